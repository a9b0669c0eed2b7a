import { answerWith, usage } from "@/tests/support/upstream";
import { enter } from "../pages/sign-in-page";
import { uniqueName } from "../support/customer";
import { deployment } from "../support/deployment";
import { expect, test } from "../support/flow";
import { callerWith } from "../support/gateway";
import { channelTo, sell } from "../support/sold";

test("an operator imports a channel's costs, and sees the margin of each of its calls", async ({
  page,
  t,
  operator,
  customer,
  upstream,
}) => {
  const name = uniqueName("nano");
  await sell(operator, name, { maxOutputTokens: 1_000_000 });
  const channel = await channelTo(operator, {
    ...{ name, upstream, vendor: "openai" },
    models: [{ modelId: name, upstreamName: "gpt-4.1-nano", overrides: {} }],
  });
  upstream.answer(answerWith("All is well.", usage(1_000_000, 10)));

  await enter(page, deployment.admin(), "/margin");
  await page.getByRole("button", { name: t("margin.import") }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel(t("requests.channel")).fill(name);
  await page.getByRole("option", { name, exact: true }).click();
  const action = dialog.getByRole("button", { name: t("margin.importAction"), exact: true });
  await action.click();
  // The list has another currency than the installation.
  await expect(dialog.getByRole("alert")).toContainText("USD");
  await dialog.getByLabel(t("margin.factor")).fill("1.5");
  await dialog.getByLabel(t("margin.rate")).fill("10");
  await action.click();
  await expect(dialog).toBeHidden();
  // 0.1 and 0.4 on the list, times 1.5, times 10. Output is sold at 1.
  const cost = page.getByRole("table", { name: t("margin.costPrices") }).getByRole("row", { name });
  await expect(cost).toContainText(t("prices.outputPrice"));
  await expect(cost.getByText(t("prices.outputPrice"), { exact: true })).toBeVisible();

  const caller = callerWith(await customer.newKey("app"));
  await expect.poll(() => caller.chat(name)).toBe(200);
  await page.goto("/margin?by=channel&range=day");
  const row = page.getByRole("table", { name: t("margin.groups.channel") }).getByRole("row", { name });
  const [shown] = (await operator.prices.margin.query({ by: "channel", range: "day" })).rows.filter(
    ({ id }) => id === channel.id,
  );
  expect(shown).toMatchObject({ amount: "1.00001", cost: "1.50006", margin: "-0.50005", calls: 1 });
  await expect(row).toContainText("1.50");
  await expect(row).toContainText("−50.0%");
  await page.goto("/margin?by=account&range=today");
  await expect(page.getByRole("row", { name: customer.name })).toContainText("1.50");

  await page.goto("/");
  const earned = page.getByRole("table", { name: t("overview.earningsTitle") });
  await expect(earned.getByRole("rowheader", { name: t("margin.margin"), exact: true })).toBeVisible();
});
