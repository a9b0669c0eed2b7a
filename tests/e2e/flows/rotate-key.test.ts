import { keysPage } from "../pages/keys-page";
import { enter } from "../pages/sign-in-page";
import { expect, test } from "../support/flow";
import { callerWith } from "../support/gateway";

test.beforeEach(async ({ page, customer }) => {
  await enter(page, customer.owner, "/keys");
});

test("a leaked key is rotated: programs change over while both secrets work, and the old one ends later or at once", async ({
  page,
  t,
}) => {
  const keys = keysPage(page, t);
  const leaked = await keys.create("leaked", { cap: "5" });
  await keys.leaveSecret();
  expect(await callerWith(leaked).chat()).toBe(200);
  const renewed = await keys.rotate("leaked", "keepHour");
  expect(renewed).not.toBe(leaked);
  await expect(page.getByRole("dialog")).toContainText(`sk-…${leaked.slice(-4)}`);
  await keys.leaveSecret();
  await expect.poll(() => callerWith(renewed).chat()).toBe(200);
  expect(await callerWith(leaked).chat()).toBe(200);
  // It is still the same key and shows the ends of both secrets.
  await expect(keys.row("leaked")).toContainText(renewed.slice(-4));
  await expect(keys.row("leaked")).toContainText(leaked.slice(-4));
  await keys.open("leaked");
  await expect(page.getByLabel(t("keys.cap"), { exact: true })).toHaveValue("5");
  await keys.retire("leaked");
  await expect.poll(() => callerWith(leaked).chat()).toBe(401);
  expect(await callerWith(renewed).chat()).toBe(200);
  await page.reload();
  await expect(page.getByText(renewed.slice(-4))).toBeVisible();
  const shown = await page.content();
  expect([leaked, renewed].filter((secret) => shown.includes(secret))).toEqual([]);
  // The new secret is abused, too.
  await page.goto("/keys");
  const last = await keys.rotate("leaked", "keepNone");
  await expect.poll(() => callerWith(renewed).chat()).toBe(401);
  expect(await callerWith(last).chat()).toBe(200);
});

test("a duplicate has the original's terms and a secret of its own", async ({ page, t }) => {
  const keys = keysPage(page, t);
  const original = await keys.create("original", { cap: "7" });
  await keys.leaveSecret();
  const secret = await keys.duplicate("original", "second");
  expect(secret).not.toBe(original);
  expect(await callerWith(secret).chat()).toBe(200);
  await keys.leaveSecret();
  await keys.open("second");
  await expect(page.getByLabel(t("keys.cap"), { exact: true })).toHaveValue("7");
});
