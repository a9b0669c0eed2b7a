import { shell } from "../pages/shell";
import { enter } from "../pages/sign-in-page";
import { countActions } from "../support/count-actions";
import { expect, test } from "../support/flow";
import { untilItListens } from "../support/settle";

test("a page is found by the keyboard alone, from the shortcut to its heading", async ({ page, t }) => {
  await page.goto("/docs/quick-start");
  const { keyboard } = page;
  await keyboard.press("Control+k");
  await expect(page.getByRole("searchbox", { name: t("docs.search") })).toBeFocused();
  await keyboard.type("restore a backup");
  await keyboard.press("Enter");
  await expect(page.getByRole("heading", { level: 1, name: t("docs.searchTitle") })).toBeVisible();
  await untilItListens(page);
  // Past the menu of all pages.
  await keyboard.press("Tab");
  await expect(page.getByRole("link", { name: t("shell.skip") })).toBeFocused();
  await keyboard.press("Enter");
  await keyboard.press("Tab");
  await expect(page.locator(".docs-results").getByRole("link").first()).toBeFocused();
  await keyboard.press("Enter");
  await expect(page).toHaveURL(/\/docs\/[\w-]+(#.+)?$/);
});

test("a search that finds nothing says so, and keeps the words", async ({ page, t }) => {
  await page.goto("/docs/search?q=zxqvjk");
  await expect(page.getByText(t("docs.noResults", { query: "zxqvjk" }))).toBeVisible();
  await expect(page.getByRole("searchbox", { name: t("docs.search") })).toHaveValue("zxqvjk");
});

test("the language of examples is chosen once, for every example and page", async ({ page }) => {
  await page.goto("/docs/quick-start");
  await page.getByRole("tab", { name: "Go" }).first().click();
  await expect(page.getByRole("tab", { name: "Go", selected: true })).toHaveCount(2);
  await page.goto("/docs/streaming");
  await expect(page.getByRole("tab", { name: "Go", selected: true })).toHaveCount(1);
  await expect(page.getByText("client.Chat.Completions.NewStreaming")).toBeVisible();
});

test("an example runs on the page with the reader's key, which all examples then have", async ({
  page,
  t,
  customer,
}) => {
  const secret = await customer.newKey("documentation");
  const actions = await countActions(page);
  await page.goto("/docs/quick-start");
  await page
    .getByRole("button", { name: t("docs.try") })
    .first()
    .click();
  await page.getByLabel(t("docs.key"), { exact: true }).fill(secret);
  await page.getByRole("button", { name: t("docs.run") }).click();
  await expect(page.getByRole("status").filter({ hasText: "HTTP 200" })).toContainText('"choices"');
  expect.soft(actions).toEqual({ clicks: 2, fields: 1 });
  await expect(page.getByText(`Authorization: Bearer ${secret}`).first()).toBeVisible();
  await page.getByRole("tab", { name: "Python" }).first().click();
  await expect(page.getByText(`api_key="${secret}"`).first()).toBeVisible();
  await page.reload();
  await expect(page.getByText(secret)).toHaveCount(0);
});

test("a link to an English heading leads to it in Chinese too", async ({ page, t }) => {
  await page.goto("/docs/people#e-mail");
  await expect(page.getByRole("heading", { level: 2, name: "E-mail" })).toBeInViewport();
  await shell(page, t).chooseLanguage("中文");
  const heading = page.getByRole("heading", { level: 2, name: "邮件", exact: true });
  await expect(heading).toBeVisible();
  await page.reload();
  await expect(heading).toBeInViewport();
});

for (const [platform, keys] of [
  ["MacIntel", "⌘K"],
  ["Linux x86_64", "Ctrl K"],
] as const) {
  test(`the search shows ${keys} on ${platform}, before anything is drawn`, async ({ page, customer }) => {
    await page.addInitScript(
      (name) => Object.defineProperty(navigator, "platform", { get: () => name }),
      platform,
    );
    await enter(page, customer.owner, "/keys");
    const shown = () =>
      page.locator(".palette-button").evaluate((button) => getComputedStyle(button, "::after").content);
    expect(await shown()).toBe(`"${keys}"`);
    await page.goto("/docs");
    const hint = page.locator(".docs-search .search-keys");
    expect(await hint.evaluate((span) => getComputedStyle(span, "::after").content)).toBe(`"${keys}"`);
  });
}
