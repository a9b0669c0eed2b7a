import { signIn } from "../pages/sign-in-page";
import { uniqueName } from "../support/customer";
import { deployment } from "../support/deployment";
import { expect, test } from "../support/flow";

test("an operator raises all prices of a vendor's models from the first of next month, and sees them scheduled", async ({
  page,
  t,
  operator,
}) => {
  const owner = uniqueName("vendor");
  const names = [`${owner}-large`, `${owner}-small`];
  for (const id of names) {
    await operator.prices.create.mutate({
      ...{ id, kind: "chat", ownedBy: owner, isEnabled: true },
      ...{ inputPrice: "1.01", outputPrice: "3" },
    });
  }
  await signIn(page, t, deployment.admin());
  await page.goto("/prices");
  await page.getByRole("link", { name: t("prices.gridTitle") }).click();
  await page.getByLabel(t("prices.search")).fill(owner);
  await page.getByRole("button", { name: t("prices.gridChooseAll", { count: 2 }) }).click();
  await page.getByLabel(t("prices.gridFactor")).fill("1.2");
  await page.getByRole("button", { name: t("prices.gridApply") }).click();
  const input = page.getByLabel(
    t("prices.gridCell", { name: names[0] ?? "", price: t("prices.inputPrice") }),
  );
  // 1.212, rounded up.
  await expect(input).toHaveValue("1.22");
  await page.getByRole("button", { name: t("prices.gridNextMonth") }).click();
  await page.getByRole("button", { name: t("common.save"), exact: true }).click();
  const scheduled = page.getByRole("table", { name: t("prices.scheduledTitle") });
  for (const name of names) {
    await expect(scheduled.getByRole("row", { name })).toContainText("1.22");
  }
  expect(await operator.prices.get.query({ id: names[0] ?? "" })).toMatchObject({ inputPrice: "1.01" });

  await scheduled.getByRole("link", { name: names[0] }).click();
  const history = page.getByRole("table", { name: t("prices.historyTitle") });
  await history.getByRole("button", { name: t("prices.withdraw") }).click();
  await expect(history.getByText(t("prices.historyStates.scheduled"))).toBeHidden();
  expect((await operator.prices.scheduled.query()).map(({ modelId }) => modelId)).not.toContain(names[0]);
});
