import type { Locator } from "@playwright/test";
import { keysPage } from "../pages/keys-page";
import { enter } from "../pages/sign-in-page";
import { expect, test } from "../support/flow";
import { callerWith } from "../support/gateway";

const MAX_STEPS = 60;

/** Presses a key until the target has the focus. */
async function pressUntilFocused(target: Locator, key: "Tab" | "ArrowDown"): Promise<void> {
  const page = target.page();
  await expect(target.first()).toBeVisible();
  for (let step = 0; step < MAX_STEPS; step++) {
    await page.keyboard.press(key);
    if ((await target.and(page.locator(":focus")).count()) > 0) {
      return;
    }
  }
  throw new Error(`${MAX_STEPS} presses of ${key} do not lead to ${target}`);
}

test("a key is made and deleted without a mouse, from the sign-in on", async ({ page, t, customer }) => {
  const { keyboard } = page;
  const tabTo = (role: "button" | "link" | "textbox", name: string) =>
    pressUntilFocused(page.getByRole(role, { name, exact: true }), "Tab");

  await page.goto("/sign-in");
  await tabTo("textbox", t("signIn.email"));
  await keyboard.type(customer.owner.email);
  await keyboard.press("Tab");
  await keyboard.type(customer.owner.password);
  await keyboard.press("Enter");

  await tabTo("link", t("shell.keys"));
  await keyboard.press("Enter");
  await expect(page.getByRole("heading", { level: 1, name: t("shell.keys") })).toBeVisible();
  await tabTo("button", t("keys.create"));
  await keyboard.press("Enter");
  await expect(page.getByLabel(t("keys.name"))).toBeFocused();
  await keyboard.type("typed");
  await keyboard.press("Enter");
  const secret = (await page.getByLabel(t("keys.secretLabel"), { exact: true }).innerText()).trim();
  await tabTo("button", t("keys.done"));
  await keyboard.press("Enter");
  await tabTo("button", t("keys.notCopiedClose"));
  await keyboard.press("Enter");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(keysPage(page, t).row("typed")).toBeVisible();
  expect(await callerWith(secret).chat()).toBe(200);

  await tabTo("button", t("common.moreActions", { name: "typed" }));
  await keyboard.press("Enter");
  await pressUntilFocused(page.getByRole("menuitem", { name: t("keys.delete") }), "ArrowDown");
  await keyboard.press("Enter");
  await expect(page.getByRole("dialog").getByRole("textbox")).toBeFocused();
  await keyboard.type("typed");
  await keyboard.press("Enter");
  await expect(page.getByText(t("keys.emptyTitle"))).toBeVisible();
  await expect.poll(() => callerWith(secret).chat()).toBe(401);
});

test("the palette finds a key by a part of its name and leads to it, without a mouse", async ({
  page,
  t,
  customer,
}) => {
  await customer.newKey("nightly reports");
  await enter(page, customer.owner, "/");
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: t("shell.palettePlaceholder") }).fill("NIGHTLY");
  await expect(page.getByRole("option", { name: /nightly reports …\w{4}/ })).toBeVisible();
  await page.keyboard.press("Enter");
  await page.waitForURL("**/keys/key_*");
  await expect(page.getByRole("heading", { level: 1, name: "nightly reports" })).toBeVisible();
});
