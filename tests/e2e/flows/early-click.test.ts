import type { Page } from "@playwright/test";
import { gate } from "@/tests/support/gate";
import { keysPage } from "../pages/keys-page";
import { signInPage } from "../pages/sign-in-page";
import type { Customer } from "../support/customer";
import { expect, test } from "../support/flow";
import { openSession } from "../support/session";

/** Opens a page and holds back its scripts, so that it does not listen yet. Returns a function that releases them. */
async function hold(page: Page, path: string): Promise<() => void> {
  const { open, opened } = gate();
  await page.route(/\/_next\/static\/.*\.js/, async (route) => {
    await opened;
    await route.continue();
  });
  await page.goto(path, { waitUntil: "commit" });
  return open;
}

async function openHeld(page: Page, { owner }: Customer, path: string): Promise<() => void> {
  await openSession(page.request, owner);
  return await hold(page, path);
}

test("a form that is sent before it listens is sent as soon as it does", async ({ page, t, customer }) => {
  const release = await hold(page, "/sign-in");
  const form = signInPage(page, t);
  await form.fill(customer.owner);
  await form.submit();
  release();
  await expect(page.getByRole("navigation", { name: t("shell.navigation") })).toBeVisible();
});

test("a click on a button that does not listen yet takes effect as soon as it does", async ({
  page,
  t,
  customer,
}) => {
  const release = await openHeld(page, customer, "/keys");
  const form = await keysPage(page, t).openForm();
  await expect(form).toHaveCount(0);
  release();
  await expect(form.getByLabel(t("keys.name"))).toBeVisible();
});

test("a shortcut before the page listens takes effect as soon as it does", async ({ page, t, customer }) => {
  const release = await openHeld(page, customer, "/keys");
  await page.getByRole("heading", { level: 1, name: t("shell.keys") }).waitFor();
  await page.keyboard.press("Control+k");
  const palette = page.getByRole("combobox", { name: t("shell.palettePlaceholder") });
  await expect(palette).toHaveCount(0);
  release();
  await expect(palette).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(palette).toHaveCount(0);
  await page.keyboard.press("Control+k");
  await expect(palette).toBeFocused();
});

test("a choice in a select that does not listen yet takes effect as soon as it does", async ({
  page,
  t,
  customer,
}) => {
  const release = await openHeld(page, customer, "/usage");
  const range = page.getByLabel(t("usage.range"));
  await range.selectOption("week");
  expect(new URL(page.url()).search).toBe("");
  release();
  await expect(page).toHaveURL(/[?&]range=week/);
  await expect(range).toHaveValue("week");
});
