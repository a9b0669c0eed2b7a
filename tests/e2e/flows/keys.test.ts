import { allowListEditor, keysPage } from "../pages/keys-page";
import { enter } from "../pages/sign-in-page";
import { expect, test } from "../support/flow";
import { callerWith } from "../support/gateway";

test.beforeEach(async ({ page, customer }) => {
  await enter(page, customer.owner, "/keys");
});

test("a key made in the console calls the API at once, and its secret is never shown again", {
  tag: "@smoke",
}, async ({ page, t }) => {
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

test("a new key needs a name, other fields are folded, and its button is in sight with all of them open", async ({
  page,
  t,
}) => {
  const keys = keysPage(page, t);
  const form = await keys.openForm();
  const action = form.getByRole("button", { name: t("keys.createAction") });
  await expect(form.getByLabel(t("keys.perMinute"))).toBeHidden();
  await expect(form.getByLabel(t("keys.models"))).toBeHidden();
  await expect(action).toBeInViewport({ ratio: 1 });
  for (const fields of ["limits", "access", "responses"] as const) {
    await keys.unfold(fields);
    await expect(action).toBeInViewport({ ratio: 1 });
  }
  // A problem in a folded field is shown.
  await form.getByLabel(t("keys.name")).fill("limited");
  await form.getByLabel(t("keys.perMinute")).fill("many");
  await keys.unfold("limits");
  await expect(form.getByLabel(t("keys.perMinute"))).toBeHidden();
  await action.click();
  await expect(form.getByLabel(t("keys.perMinute"))).toBeFocused();
});

test("an allow-list locks out every address that is not on it, warns before, and admits an address that is added", async ({
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
  await expect.poll(() => chat()).toBe(403);
  await editor.addHere();
  await expect(editor.warning()).toBeHidden();
  await editor.save();
  await expect.poll(() => chat()).toBe(200);
});

test("several keys are disabled at once, the others keep working, and one is enabled again", async ({
  page,
  t,
}) => {
  const keys = keysPage(page, t);
  const secrets = new Map<string, string>();
  for (const name of ["first", "second", "third"]) {
    secrets.set(name, await keys.create(name));
    await keys.leaveSecret();
  }
  const statusOf = (name: string) => callerWith(secrets.get(name) ?? "").chat();
  expect([await statusOf("first"), await statusOf("second")]).toEqual([200, 200]);
  await keys.disableAll(["first", "second"]);
  await expect.poll(() => statusOf("first")).toBe(403);
  await expect.poll(() => statusOf("second")).toBe(403);
  expect(await statusOf("third")).toBe(200);
  await expect(keys.row("first")).toContainText(t("keys.disabled"));
  await keys.enable("first");
  await expect.poll(() => statusOf("first")).toBe(200);
});
