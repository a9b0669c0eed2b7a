import { keysPage } from "../pages/keys-page";
import { enter } from "../pages/sign-in-page";
import { expect, test } from "../support/flow";
import { callerWith } from "../support/gateway";
import { arrowDownTo, tabTo } from "../support/keyboard";

test("a key is made and deleted without a mouse, from the sign-in on", async ({ page, t, customer }) => {
  const { keyboard } = page;
  const goTo = (role: "button" | "link" | "textbox", name: string) =>
    tabTo(page.getByRole(role, { name, exact: true }));

  await page.goto("/sign-in");
  await goTo("textbox", t("signIn.email"));
  await keyboard.type(customer.owner.email);
  await keyboard.press("Tab");
  await keyboard.type(customer.owner.password);
  await keyboard.press("Enter");

  await goTo("link", t("shell.keys"));
  await keyboard.press("Enter");
  await expect(page.getByRole("heading", { level: 1, name: t("shell.keys") })).toBeVisible();
  await goTo("button", t("keys.create"));
  await keyboard.press("Enter");
  await expect(page.getByLabel(t("keys.name"))).toBeFocused();
  await keyboard.type("typed");
  await keyboard.press("Enter");
  const secret = (await page.getByLabel(t("keys.secretLabel"), { exact: true }).innerText()).trim();
  await goTo("button", t("keys.done"));
  await keyboard.press("Enter");
  await goTo("button", t("keys.notCopiedClose"));
  await keyboard.press("Enter");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(keysPage(page, t).row("typed")).toBeVisible();
  expect(await callerWith(secret).chat()).toBe(200);

  await goTo("button", t("common.moreActions", { name: "typed" }));
  await keyboard.press("Enter");
  await arrowDownTo(page.getByRole("menuitem", { name: t("keys.delete") }));
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
