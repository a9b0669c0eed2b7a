import { answerWith, usage } from "@/tests/support/upstream";
import { enter } from "../pages/sign-in-page";
import { uniqueName } from "../support/customer";
import { deployment } from "../support/deployment";
import { expect, test } from "../support/flow";
import { callerWith } from "../support/gateway";
import { channelTo, sell } from "../support/sold";

test("an operator makes a price group and puts a customer into it, and the customer sees and pays its prices", async ({
  page,
  otherPage,
  t,
  operator,
  customer,
  upstream,
}) => {
  const [name, model] = [uniqueName("resellers"), uniqueName("model")];
  await sell(operator, model, { maxOutputTokens: 1_000_000, inputPrice: "4", outputPrice: "8" });
  const channel = await channelTo(operator, { name: model, upstream });
  await operator.prices.setCosts.mutate({
    ...{ channelId: channel.id, modelId: model },
    prices: [{ name: "input", price: "3.5" }],
  });
  upstream.answer(answerWith("All is well.", usage(1_000_000, 50)));

  await enter(page, deployment.admin(), "/prices");
  await page.getByRole("link", { name: t("priceGroups.title") }).click();
  const create = page.getByRole("button", { name: t("priceGroups.create") });
  await create.first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: t("priceGroups.name") }).fill(name);
  await dialog.getByRole("textbox", { name: t("priceGroups.factor"), exact: true }).fill("80%");
  await dialog.getByRole("button", { name: t("priceGroups.addRow") }).click();
  await dialog.getByLabel(t("priceGroups.modelOf", { number: 1 })).fill(model);
  await page.getByRole("option", { name: model }).click();
  await dialog.getByLabel(t("priceGroups.factorOf", { number: 1 })).fill("0.75");
  await dialog.getByRole("button", { name: t("priceGroups.create") }).click();
  await expect(dialog.getByText(t("priceGroups.factorWrong"))).toBeVisible();
  await dialog.getByRole("textbox", { name: t("priceGroups.factor"), exact: true }).fill("0.8");
  await dialog.getByRole("button", { name: t("priceGroups.create") }).click();
  await expect(dialog).toBeHidden();
  await expect(page).not.toHaveURL(/create/);
  const row = page.getByRole("row", { name });
  await expect(row).toContainText("× 0.8");
  await expect(row).toContainText("−20%");
  await expect(row).toContainText(t("priceGroups.modelCount", { count: 1 }));
  await expect(row).toContainText(t("prices.oddities.belowCost"));
  await expect(row.getByRole("link", { name: model })).toBeVisible();

  await page.goto(`/accounts/${customer.accountId}`);
  const select = page.getByRole("combobox", { name: t("priceGroups.group") });
  await select.selectOption({ label: t("priceGroups.named", { name, times: "× 0.8" }) });
  await expect(
    page.getByText(t("priceGroups.assignedNotice", { name: customer.name, group: name })),
  ).toBeVisible();
  await page.reload();
  await expect(select.locator("option:checked")).toHaveText(new RegExp(name));

  await enter(otherPage, customer.owner, `/models?search=${model}`);
  const sold = otherPage.getByRole("article", { name: model });
  // 4 and 8 times 0.75.
  await expect(sold).toContainText("3.00");
  await expect(sold).toContainText("6.00");
  const session = await customer.session();
  const caller = callerWith(await customer.newKey("app"));
  await expect.poll(() => caller.chat(model)).toBe(200);
  await expect.poll(async () => (await session.calls.list.query({})).rows[0]?.cost).toBe("3.0003");

  await page.goto("/prices/groups");
  await row.getByRole("link", { name: t("priceGroups.accountCount", { count: 1 }) }).click();
  await expect(page.getByRole("row", { name: customer.name })).toBeVisible();
  // The header and one row: no other account.
  await expect(page.getByRole("row")).toHaveCount(2);
  await page.goBack();
  const choose = async (action: string) => {
    await row.getByRole("button", { name: t("common.moreActions", { name }) }).click();
    await page.getByRole("menuitem", { name: action }).click();
  };
  await choose(t("priceGroups.edit"));
  await dialog.getByRole("textbox", { name: t("priceGroups.factor"), exact: true }).fill("1.25");
  await dialog.getByRole("button", { name: t("common.save") }).click();
  await expect(row).toContainText("+25%");
  await choose(t("priceGroups.remove"));
  await expect(dialog).toContainText(t("refusals.priceGroupInUse", { name }));
  await expect(dialog.getByRole("button", { name: t("priceGroups.removeAction") })).toBeDisabled();
});
