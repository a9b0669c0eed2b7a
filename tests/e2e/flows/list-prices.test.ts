import { enter } from "../pages/sign-in-page";
import { deployment } from "../support/deployment";
import { expect, test } from "../support/flow";
import { sell } from "../support/sold";

/** On OpenAI's list, and sold by no other flow. */
const MODELS = ["gpt-4.1", "gpt-4.1-mini", "gpt-4.1-nano"];

test("an operator sells three models of a vendor at list plus 20 %, and leaves a fourth as it is", async ({
  page,
  t,
  operator,
}) => {
  for (const id of [...MODELS, "o3-mini"]) {
    await sell(operator, id, { price: "77" });
  }
  const listed = await operator.prices.previewList.query({ vendor: "openai", rate: "7", models: MODELS });
  await enter(page, deployment.admin(), "/prices");
  await page.getByRole("link", { name: t("prices.importLists") }).click();
  await page.getByLabel(t("prices.importFactor"), { exact: true }).fill("1.2");
  const rate = page.getByLabel(/USD/);
  // The installation sells in another currency than the list's, so it has to be said what one costs in the other.
  await expect(page.getByRole("main").getByRole("alert")).toContainText("USD");
  await rate.fill("7");
  const row = (name: string) => page.getByRole("row", { name: new RegExp(`^.*\\b${name}\\b(?!-)`) });
  await expect(row("gpt-4.1")).toContainText("77");
  for (const box of await page.getByRole("checkbox").all()) {
    const name = (await box.getAttribute("aria-label")) ?? "";
    const isMeant = MODELS.some((id) => name === t("prices.importChooseModel", { name: id }));
    await box.setChecked(isMeant);
  }
  await page.getByRole("button", { name: t("prices.importAction", { count: MODELS.length }) }).click();
  await expect(page.getByText(t("prices.importedNotice", { count: MODELS.length }))).toBeVisible();
  for (const { id, after } of listed.changed) {
    const { inputPrice } = await operator.prices.get.query({ id });
    expect(Number(inputPrice)).toBeCloseTo(Number(after.inputPrice) * 1.2, 9);
  }
  expect(listed.changed).toHaveLength(MODELS.length);
  expect((await operator.prices.get.query({ id: "o3-mini" })).inputPrice).toBe("77");
});
