import type { Locator, Page } from "@playwright/test";
import { keysPage } from "../pages/keys-page";
import { shell } from "../pages/shell";
import { enter, signIn, signInPage } from "../pages/sign-in-page";
import type { Customer } from "../support/customer";
import { expect, test } from "../support/flow";
import { CHAT_MODEL } from "../support/gateway";
import type { ConsoleTexts } from "../support/texts";

// With prefetching, as users have it: a prefetch may find that the session has ended.
test.use({ prefetches: true });

/** Clicks even if the page has noticed the end of its session itself, and its password dialog covers the page already. */
const clickBehind = (target: Locator) => target.dispatchEvent("click");

/** Signs in again as the page's owner, in the dialog over the page. */
async function signInAgain(page: Page, t: ConsoleTexts, { owner }: Customer): Promise<void> {
  const again = page.getByRole("dialog", { name: t("signIn.againTitle") });
  await again.getByLabel(t("signIn.password"), { exact: true }).fill(owner.password);
  await again.getByRole("button", { name: t("signIn.submit"), exact: true }).click();
  await expect(again).toHaveCount(0);
}

test("signing in returns to a deep link, with its query and its fragment", async ({ page, t, customer }) => {
  await page.goto("/requests?status=failed&range=week#content");
  const form = signInPage(page, t);
  await form.fill(customer.owner);
  await form.submit();
  await page.waitForURL("**/requests?status=failed&range=week#content");
  await expect(page.getByLabel(t("requests.status"))).toHaveValue("failed");
});

test("an ended session leads from every page of the menu to the sign-in, and back to the requested page", async ({
  page,
  t,
  customer,
}) => {
  await enter(page, customer.owner, "/");
  await page.context().clearCookies();
  const menu = page.getByRole("navigation", { name: t("shell.navigation") });
  await clickBehind(menu.getByRole("link", { name: t("shell.models"), exact: true }));
  const form = signInPage(page, t);
  await expect(page.getByRole("heading", { name: t("signIn.title"), exact: true })).toBeVisible();
  await expect(page.getByText(t("common.notFoundTitle"))).toHaveCount(0);
  await form.fill(customer.owner);
  await form.submit();
  await page.waitForURL("**/models");
  await expect(page.getByRole("heading", { level: 1, name: t("shell.models") })).toBeVisible();
});

test("a form that was half filled when the session ended is unchanged after a sign-in in place", async ({
  page,
  t,
  customer,
}) => {
  await enter(page, customer.owner, "/keys");
  const form = await keysPage(page, t).openForm();
  await form.getByLabel(t("keys.name")).fill("half filled");
  await page.context().clearCookies();
  await clickBehind(form.getByRole("button", { name: t("keys.createAction") }));

  const again = page.getByRole("dialog", { name: t("signIn.againTitle") });
  await expect(again).toBeVisible();
  await expect(again.getByLabel(t("signIn.email"))).toHaveValue(customer.owner.email);
  await again.getByLabel(t("signIn.password"), { exact: true }).fill("not this one");
  await page.keyboard.press("Escape");
  await again.getByRole("button", { name: t("signIn.submit"), exact: true }).click();
  await expect(again.getByText(t("signIn.wrong"))).toBeVisible();
  await signInAgain(page, t, customer);

  await expect(form.getByLabel(t("keys.name"))).toHaveValue("half filled");
  await form.getByRole("button", { name: t("keys.createAction") }).click();
  await expect(page.getByRole("dialog").getByLabel(t("keys.secretLabel"), { exact: true })).toBeVisible();
  await keysPage(page, t).leaveSecret();
  await expect(keysPage(page, t).row("half filled")).toHaveCount(1);
});

test("an export after the session ended opens the sign-in over the page, and is saved afterwards", async ({
  page,
  t,
  customer,
}) => {
  await enter(page, customer.owner, "/requests");
  const button = page.getByRole("link", { name: t("common.exportCsv"), exact: true });
  await page.context().clearCookies();
  // The button takes a person's clicks only. A key reaches it even if the password dialog covers the page already.
  await button.press("Enter");
  await signInAgain(page, t, customer);
  const saved = page.waitForEvent("download");
  await button.click();
  expect((await saved).suggestedFilename()).toMatch(/\.csv$/);
});

test("a question that the playground could not send because the session ended can be sent again after a sign-in in place", async ({
  page,
  t,
  customer,
}) => {
  await enter(page, customer.owner, `/playground?model=${CHAT_MODEL}`);
  await page.getByLabel(t("playground.message"), { exact: true }).fill("Is this still here?");
  await page.context().clearCookies();
  await clickBehind(page.getByRole("button", { name: t("playground.send"), exact: true }));
  await signInAgain(page, t, customer);
  await expect(page.getByText(t("playground.failures.signed_out"))).toBeVisible();
  await page.getByRole("button", { name: t("playground.askAgain"), exact: true }).click();
  await expect(page.getByText(t("playground.failures.signed_out"))).toHaveCount(0);
  await expect(page.getByText("Is this still here?").first()).toBeVisible();
  await expect(page.getByRole("button", { name: t("playground.copyAnswer"), exact: true })).toBeVisible();
});

test("a session that ends while a page only refreshes asks for the password over the page, and typed text stays", async ({
  page,
  t,
  customer,
}) => {
  await enter(page, customer.owner, "/keys");
  const form = await keysPage(page, t).openForm();
  await form.getByLabel(t("keys.name")).fill("half filled");
  await page.context().clearCookies();
  // Simulates a minute away from the page: the page requests everything again.
  await page.evaluate(() => {
    window.dispatchEvent(new Event("offline"));
    window.dispatchEvent(new Event("online"));
  });
  await signInAgain(page, t, customer);
  await expect(form.getByLabel(t("keys.name"))).toHaveValue("half filled");
  await expect(page).toHaveURL(/\/keys/);
});

test("a user ends a session that is open elsewhere from the list, which describes each session", async ({
  page,
  otherPage,
  t,
  customer,
}) => {
  await signIn(otherPage, t, customer.owner);
  await signIn(page, t, customer.owner);
  await shell(page, t).goTo(t("shell.security"));
  const rows = page.getByRole("table", { name: t("security.sessionsTitle") }).getByRole("row");
  await expect(rows.filter({ hasText: t("security.currentSession") })).toHaveCount(1);
  const others = rows.filter({ has: page.getByRole("button", { name: t("security.endSession") }) });
  // The sessions of the customer's setup and of the other browser.
  await expect(others.first()).toContainText("Chrome");
  while ((await others.count()) > 0) {
    const before = await others.count();
    await others.first().getByRole("button").click();
    await expect(others).toHaveCount(before - 1);
  }
  await otherPage.goto("/keys");
  await otherPage.waitForURL("**/sign-in*");
  await page.goto("/keys");
  await expect(page.getByRole("heading", { level: 1, name: t("shell.keys") })).toBeVisible();
});
