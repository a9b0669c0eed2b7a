import { readFile } from "node:fs/promises";
import { enter } from "../pages/sign-in-page";
import { uniqueName } from "../support/customer";
import { deployment } from "../support/deployment";
import { expect, test } from "../support/flow";
import { channelTo, sell } from "../support/sold";

test("an operator sets all prices of a vendor's models to list times 1.2 from next month, is warned of prices below cost, and sees them scheduled", async ({
  page,
  t,
  operator,
  upstream,
}) => {
  const name = uniqueName("nano");
  const names = [`${name}-1`, `${name}-2`];
  for (const id of names) {
    await sell(operator, id, { ownedBy: name, inputPrice: "1.01", outputPrice: "3" });
  }
  const channel = await channelTo(operator, {
    ...{ name, upstream, vendor: "openai" },
    models: names.map((modelId) => ({ modelId, upstreamName: "gpt-4.1-nano", overrides: {} })),
  });
  const [first = "", second = ""] = names;
  await operator.prices.setCosts.mutate({
    channelId: channel.id,
    modelId: first,
    prices: [{ name: "input", price: "1.5" }],
  });

  await enter(page, deployment.admin(), `/prices?search=${name}`);
  const listed = page.getByRole("table", { name: t("shell.prices") });
  await expect(listed.getByRole("row", { name: first })).toContainText(t("prices.belowCost"));
  await expect(listed.getByRole("row", { name: second })).not.toContainText(t("prices.belowCost"));
  await page.getByRole("link", { name: t("prices.gridTitle") }).click();
  const bulk = page.getByRole("group", { name: t("prices.gridTerms") });
  await expect(page.getByRole("heading", { level: 1, name: t("prices.gridTitle") })).toBeVisible();
  await expect(bulk).toBeHidden();
  await page.getByLabel(t("prices.search")).fill(name);
  const grid = page.getByRole("table", { name: t("prices.gridTitle") });
  // A read from the cache costs the input price, unless it has a price.
  await expect(grid.getByText(t("prices.belowCost"))).toHaveCount(2);
  // Input, output and the list's cache price: three for each model.
  await page.getByRole("button", { name: t("prices.gridChooseAll", { count: 6 }) }).click();
  await bulk.getByLabel(t("prices.gridFactor")).fill("1.2");
  await page.getByLabel(t("prices.importRate", { currency: "USD", own: "CNY" })).fill("7.1");
  await page.getByRole("button", { name: t("prices.gridApply", { count: 6 }) }).click();
  const price = (id: string, field: "inputPrice" | "outputPrice") =>
    page.getByLabel(t("prices.gridCell", { name: id, price: t(`prices.${field}`) }), { exact: true });
  // 0.1 and 0.4 on the list: 0.852 and 3.408, rounded up.
  await expect(price(first, "inputPrice")).toHaveValue("0.86");
  await expect(price(first, "outputPrice")).toHaveValue("3.41");
  await price(second, "inputPrice").fill("2");
  await price(second, "inputPrice").press("ArrowDown");
  await expect(price(second, "outputPrice")).toBeFocused();

  await page.getByRole("button", { name: t("prices.gridNextMonth") }).click();
  await page.getByRole("button", { name: t("prices.gridReview") }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByText(t("prices.gridBelowCost", { count: 2 }))).toBeVisible();
  await expect(dialog.getByText(t("prices.estimateNone"))).toBeVisible();
  await dialog.getByRole("button", { name: t("prices.gridSchedule", { count: 6 }) }).click();
  const scheduled = page.getByRole("table", { name: t("prices.scheduledTitle") });
  await expect(scheduled.getByRole("row", { name: first })).toContainText("0.86");
  await expect(scheduled.getByRole("row", { name: second })).toContainText("2.00");
  expect(await operator.prices.get.query({ id: first })).toMatchObject({ inputPrice: "1.01" });

  await scheduled.getByRole("link", { name: first }).click();
  await expect(page.getByRole("alert").filter({ hasText: t("prices.belowCost") })).toContainText(name);
  const history = page.getByRole("table", { name: t("prices.historyTitle") });
  await history.getByRole("button", { name: t("prices.withdraw") }).click();
  await expect(history.getByText(t("prices.historyStates.scheduled"))).toBeHidden();
  expect((await operator.prices.scheduled.query()).map(({ modelId }) => modelId)).not.toContain(first);
});

test("an operator exports prices, learns which line of a changed file is wrong, and imports the file once it is right", async ({
  page,
  t,
  operator,
}) => {
  const name = uniqueName("filed");
  await sell(operator, name, { outputPrice: "3" });
  await enter(page, deployment.admin(), "/prices");
  await page.getByRole("button", { name: t("prices.transfer"), exact: true }).click();
  await page.getByRole("menuitem", { name: t("prices.fileTitle") }).click();
  const download = page.waitForEvent("download");
  await page.getByRole("link", { name: t("common.exportCsv") }).click();
  const exported = await readFile(await (await download).path(), "utf8");
  const line = `${name},input,1,CNY,`;
  // Other flows may change prices of other models meanwhile. An import leaves models that are not in the file
  // unchanged.
  const [head, ...rows] = exported.split("\n");
  const own = [head, ...rows.filter((row) => row.startsWith(`${name},`))].join("\n");
  expect(own).toContain(line);

  const field = page.getByLabel(t("prices.filePaste"));
  const review = page.getByRole("button", { name: t("prices.gridReview") });
  await field.fill(own.replace(line, `${name},input,one,CNY,`));
  await review.click();
  await expect(page.getByRole("alert").filter({ hasText: "one" })).toContainText(
    t("prices.fileProblem.price", { value: "one" }),
  );
  await expect(page.getByRole("button", { name: t("prices.fileApply", { count: 0 }) })).toBeDisabled();
  await field.fill(own.replace(line, `${name},input,1.25,CNY,`));
  await review.click();
  await page.getByRole("button", { name: t("prices.fileApply", { count: 1 }) }).click();
  await expect(page.getByText(t("prices.gridSavedNotice", { count: 1 }))).toBeVisible();
  expect(await operator.prices.get.query({ id: name })).toMatchObject({
    inputPrice: "1.25",
    outputPrice: "3",
  });
});
