import { allowListEditor, keysPage } from "../pages/keys-page";
import { shell } from "../pages/shell";
import { signIn } from "../pages/sign-in-page";
import { expect, test } from "../support/flow";
import { callerWith } from "../support/gateway";

/** What the console promises of every change. */
const WITHIN = { timeout: 1_000, intervals: [50] };

test.beforeEach(async ({ page, t, customer }) => {
  await signIn(page, t, customer.owner);
  await shell(page, t).goTo(t("shell.keys"));
});

test("a key made in the console calls the API at once, and its secret is never shown again", async ({
  page,
  t,
}) => {
  const keys = keysPage(page, t);
  const secret = await keys.create("website");
  expect(secret).toMatch(/^sk-\w{40,}$/);
  expect(await callerWith(secret).chat()).toBe(200);
  await keys.leaveSecret();
  await expect(keys.row("website")).toContainText(secret.slice(-4));
  await page.reload();
  await expect(keys.row("website")).toBeVisible();
  expect(await page.content()).not.toContain(secret);
});

test("a disabled key is refused within a second, and an enabled one let in again", async ({ page, t }) => {
  const keys = keysPage(page, t);
  const { chat } = callerWith(await keys.create("laptop"));
  await keys.leaveSecret();
  expect(await chat()).toBe(200);
  await keys.disable("laptop");
  await expect.poll(() => chat(), WITHIN).toBe(403);
  await expect(keys.row("laptop")).toContainText(t("keys.disabled"));
  await keys.enable("laptop");
  await expect.poll(() => chat(), WITHIN).toBe(200);
});

test("an allow-list locks out whoever is not on it, says so before, and lets in whoever is added", async ({
  page,
  t,
}) => {
  const keys = keysPage(page, t);
  const { chat } = callerWith(await keys.create("office"));
  await keys.leaveSecret();
  expect(await chat()).toBe(200);
  await keys.open("office");
  const editor = allowListEditor(page, t);
  await editor.add("203.0.113.0/24");
  await expect(editor.warning()).toBeVisible();
  await editor.save();
  await expect.poll(() => chat(), WITHIN).toBe(403);
  await editor.addHere();
  await expect(editor.warning()).toBeHidden();
  await editor.save();
  await expect.poll(() => chat(), WITHIN).toBe(200);
});

test("several keys are disabled at once, and the others go on", async ({ page, t }) => {
  const keys = keysPage(page, t);
  const secrets = new Map<string, string>();
  for (const name of ["first", "second", "third"]) {
    secrets.set(name, await keys.create(name));
    await keys.leaveSecret();
  }
  const statusOf = (name: string) => callerWith(secrets.get(name) ?? "").chat();
  expect([await statusOf("first"), await statusOf("second")]).toEqual([200, 200]);
  await keys.disableAll(["first", "second"]);
  await expect.poll(() => statusOf("first"), WITHIN).toBe(403);
  await expect.poll(() => statusOf("second"), WITHIN).toBe(403);
  expect(await statusOf("third")).toBe(200);
  await expect(keys.row("first")).toContainText(t("keys.disabled"));
});
