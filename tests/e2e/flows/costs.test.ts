import { enter } from "../pages/sign-in-page";
import { findViolations } from "../support/axe";
import { countActions } from "../support/count-actions";
import { uniqueName } from "../support/customer";
import { deployment } from "../support/deployment";
import { expect, test } from "../support/flow";
import { pressAt, tabTo, typeAt } from "../support/keyboard";
import { channelTo, sell } from "../support/sold";

test("costs are entered in the grid's cell and on the channel's page, from the list and from another channel", async ({
  page,
  t,
  operator,
  upstream,
}) => {
  const name = uniqueName("nano");
  await sell(operator, name, { price: "3" });
  const models = [{ modelId: name, upstreamName: "gpt-4.1-nano", overrides: {} }];
  const channel = await channelTo(operator, { name, upstream, vendor: "openai", models });
  const other = await channelTo(operator, { name: `${name}-other`, upstream, models });
  const costsAt = async (channelId: string) =>
    (await operator.prices.costs.query({ channelId })).flatMap((row) =>
      row.prices.map((price) => `${price.name} ${price.price}`),
    );

  const actions = await countActions(page);
  await enter(page, deployment.admin(), "/prices/grid");
  await page.getByLabel(t("prices.search")).fill(name);
  const input = t("prices.inputPrice");
  const cell = page.getByRole("button", { name: t("prices.gridCostEdit", { name, price: input }) });
  await cell.click();
  const dialog = page.getByRole("dialog", { name: t("margin.costTitle", { model: name }) });
  await dialog.getByLabel(t("margin.groups.channel")).selectOption(name);
  await dialog.getByLabel(t("margin.times")).fill("0.6");
  await dialog.getByLabel(t("margin.rateOf", { currency: "USD" })).fill("10");
  await dialog.getByRole("button", { name: t("margin.fill"), exact: true }).click();
  // 0.1 on the list, times 0.6, times 10.
  await expect(dialog.getByLabel(`${input} (CNY)`, { exact: true })).toHaveValue("0.6");
  expect(await findViolations(page, "all")).toEqual([]);
  await dialog.getByRole("button", { name: t("margin.costSave"), exact: true }).click();
  await expect(dialog).toBeHidden();
  await expect(cell).toContainText("0.60");
  expect.soft(actions).toEqual({ clicks: 3, fields: 4 });
  expect(await costsAt(channel.id)).toEqual(["input 0.6", "output 2.4", "cache_read 0.15"]);

  // On the channel's page without a mouse.
  await page.goto(`/channels/${other.id}`);
  await pressAt(page.getByRole("button", { name: t("margin.setAll"), exact: true }));
  const all = page.getByRole("dialog", { name: t("margin.importTitle") });
  await tabTo(all.getByLabel(t("margin.fillFrom")));
  await page.keyboard.type(t("margin.sameAs", { channel: name }));
  await typeAt(all.getByLabel(t("margin.factor")), "0.5");
  await page.keyboard.press("Enter");
  await expect(all).toBeHidden();
  expect(await costsAt(other.id)).toEqual(["input 0.3", "output 1.2", "cache_read 0.075"]);
  await pressAt(page.getByRole("button", { name: t("margin.costEdit", { model: name }) }));
  await typeAt(page.getByRole("dialog").getByLabel(`${input} (CNY)`, { exact: true }), "0.45");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog")).toBeHidden();
  expect(await costsAt(other.id)).toContain("input 0.45");
});
