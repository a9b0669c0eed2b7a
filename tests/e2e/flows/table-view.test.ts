import { enter, open } from "../pages/sign-in-page";
import { expect, test } from "../support/flow";

test("a person's row height and columns of a table stay, and the next page is served with them", async ({
  page,
  t,
  customer,
}) => {
  await customer.newKey("website");
  await enter(page, customer.owner, "/keys");
  const table = page.getByRole("table", { name: t("shell.keys") });
  const header = (name: string) => table.getByRole("columnheader", { name });
  const row = table.getByRole("row").filter({ hasText: "website" });
  const heightOf = async () => (await row.boundingBox())?.height ?? Number.NaN;
  const usual = await heightOf();
  await expect(header(t("keys.created"))).toBeVisible();

  const button = page.getByRole("button", { name: t("common.tableView") });
  const choice = (role: "menuitemradio" | "menuitemcheckbox", name: string) =>
    page.getByRole(role, { name, exact: true });
  await button.press("Enter");
  await choice("menuitemradio", t("common.densities.compact")).press("Enter");
  await choice("menuitemcheckbox", t("keys.created")).press("Space");
  await expect(choice("menuitemradio", t("common.densities.compact"))).toBeChecked();
  await expect(choice("menuitemcheckbox", t("keys.created"))).not.toBeChecked();
  await expect(choice("menuitemcheckbox", t("keys.status"))).toBeChecked();
  // A key without its name, its checkbox or its menu would be of no use.
  await expect(choice("menuitemcheckbox", t("keys.name"))).toHaveCount(0);
  await expect(choice("menuitemcheckbox", t("keys.choose"))).toHaveCount(0);
  await page.keyboard.press("Escape");
  await expect(page.getByRole("menu")).toBeHidden();
  await expect(button).toBeFocused();
  await expect(header(t("keys.created"))).toHaveCount(0);
  // One line of text: the key's last four characters are next to its name, or cut.
  await expect.poll(heightOf).toBeLessThan(32);

  const served = await (await page.request.get("/keys", { headers: { "accept-language": "en" } })).text();
  expect(served).toContain('data-compact="true"');
  expect(served).toContain(`data-label="${t("keys.lastUsed")}"`);
  expect(served).not.toContain(`data-label="${t("keys.created")}"`);

  await open(page, "/keys");
  await expect.poll(heightOf).toBeLessThan(usual);
  const compact = await heightOf();
  await button.click();
  await page.getByRole("menuitem", { name: t("common.usualColumns") }).click();
  await expect(header(t("keys.created"))).toBeVisible();
  await choice("menuitemradio", t("common.densities.comfortable")).click();
  await expect.poll(heightOf).toBeGreaterThan(compact);
});

test("two tabs keep each other's choices", async ({ page, context, t, customer }) => {
  await customer.newKey("website");
  await enter(page, customer.owner, "/keys");
  const other = await context.newPage();
  await open(other, "/keys");
  const choose = async (tab: typeof page, role: "menuitemradio" | "menuitemcheckbox", name: string) => {
    await tab.getByRole("button", { name: t("common.tableView") }).click();
    await tab.getByRole(role, { name, exact: true }).click();
  };
  await choose(page, "menuitemcheckbox", t("keys.created"));
  await choose(other, "menuitemradio", t("common.densities.compact"));

  await open(page, "/keys");
  const table = page.getByRole("table", { name: t("shell.keys") });
  await expect(table).toHaveAttribute("data-compact", "true");
  await expect(table.getByRole("columnheader", { name: t("keys.created") })).toHaveCount(0);
});
