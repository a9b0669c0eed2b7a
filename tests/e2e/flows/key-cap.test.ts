import { keysPage } from "../pages/keys-page";
import { shell } from "../pages/shell";
import { enter } from "../pages/sign-in-page";
import { expect, test } from "../support/flow";
import { callerWith } from "../support/gateway";

test("a key that has spent its cap is refused, and the account's other keys are not", async ({
  page,
  t,
  customer,
}) => {
  await enter(page, customer.owner, "/keys");
  const keys = keysPage(page, t);
  const capped = callerWith(await keys.create("capped", { cap: "0.0005" }));
  await keys.leaveSecret();
  await expect.poll(() => capped.chat(), { intervals: [1] }).toBe(402);
  expect(await callerWith(await customer.newKey("free")).chat()).toBe(200);
  // Part of the cap is left, but less than a call may cost.
  await expect(async () => {
    await page.reload();
    await expect(keys.row("capped").getByText(t("keys.refused"), { exact: true })).toBeVisible({
      timeout: 2_000,
    });
  }).toPass();
  await keys.open("capped");
  await expect(page.getByText(t("keys.refusedHint"))).toBeVisible();
});

test("an owner caps a key by the day, calls beyond the cap are refused, and the list says so and until when", async ({
  page,
  t,
  customer,
}) => {
  await enter(page, customer.owner, "/keys");
  const keys = keysPage(page, t);
  const called = callerWith(await keys.create("by the day"));
  await keys.leaveSecret();
  expect(await called.chat()).toBe(200);
  await keys.open("by the day");
  await keys.unfold("limits");
  await page.getByLabel(t("keys.dailyCap"), { exact: true }).fill("0.00001");
  await page.getByLabel(t("keys.dailyCap"), { exact: true }).press("Enter");
  await expect(page.getByText(t("keys.savedNotice"))).toBeVisible();
  // Limits in use are not folded.
  await page.reload();
  await expect(page.getByLabel(t("keys.dailyCap"), { exact: true })).toHaveValue("0.00001");
  await expect(page.getByLabel(t("keys.dailyCap"), { exact: true })).toBeVisible();
  await expect.poll(() => called.chat(), { intervals: [200] }).toBe(402);
  await shell(page, t).goTo(t("shell.keys"));
  const row = keys.row("by the day");
  await expect(row.getByText(t("keys.overCap"), { exact: true })).toBeVisible();
  // At 1280 pixels, the row needs no scrolling.
  expect(
    await row.evaluate((element) => {
      const table = element.closest(".table-scroll");
      return table && table.scrollWidth - table.clientWidth;
    }),
  ).toBe(0);
  // With the next midnight, in the reader's language.
  await expect(row.getByText(/402/)).toContainText(":00");
});
