import type { Locator, Page } from "@playwright/test";
import { branded } from "@/tests/support/branded";
import { enter } from "../pages/sign-in-page";
import { findViolations } from "../support/axe";
import type { Customer } from "../support/customer";
import { makeDearDay } from "../support/dear-day";
import { expect, test } from "../support/flow";
import { settle } from "../support/settle";

test.use({ hasTouch: true });

/** Gives the account some weeks of spend; returns yesterday, which is the most expensive day. */
async function spend(customer: Customer): Promise<string> {
  await customer.newKey("app");
  const [key] = (await (await customer.session()).keys.list.query({})).rows;
  const keyId = key?.id ?? "";
  const made = await makeDearDay({
    ...{ accountId: branded(customer.accountId), keyId, modelId: "claude-sonnet" },
  });
  return made.day;
}

const dayBefore = (day: string, days: number) =>
  new Date(Date.parse(day) - days * 86_400_000).toISOString().slice(0, 10);

/** The middle of a column of a chart with so many columns, in pixels of the window. */
async function placeOf(chart: Locator, column: number, count: number) {
  const plot = chart.locator(".recharts-cartesian-grid");
  await plot.scrollIntoViewIfNeeded();
  const box = await plot.boundingBox();
  if (!box) {
    throw new Error("the chart has drawn nothing");
  }
  return { x: box.x + (box.width * (column + 0.5)) / count, y: box.y + box.height / 2 };
}

/** Moves a finger from one place to another. */
async function swipe(page: Page, from: { x: number; y: number }, to: { x: number; y: number }) {
  const devtools = await page.context().newCDPSession(page);
  const touch = (type: "touchStart" | "touchMove" | "touchEnd", touchPoints: { x: number; y: number }[]) =>
    devtools.send("Input.dispatchTouchEvent", { type, touchPoints });
  await touch("touchStart", [from]);
  for (const part of [0.25, 0.5, 0.75, 1]) {
    await touch("touchMove", [{ x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part }]);
  }
  await touch("touchEnd", []);
}

test("an owner narrows the period in the chart with a mouse, a finger and the keyboard", async ({
  page,
  t,
  customer,
}) => {
  const yesterday = await spend(customer);
  const today = dayBefore(yesterday, -1);
  await enter(page, customer.owner, "/usage?range=week");
  const chart = page.getByRole("img", {
    name: t("usage.chartLabel", { measure: t("overview.measures.cost") }),
  });
  const keys = page.getByRole("slider", { name: t("common.brush") });
  await settle(page, t);
  await expect(keys).toHaveAttribute("aria-valuemax", "7");

  const [third, fifth] = [await placeOf(chart, 2, 7), await placeOf(chart, 4, 7)];
  const text = page.locator(".brush-text");
  await page.mouse.move(fifth.x, fifth.y);
  await page.mouse.down();
  await page.mouse.move(third.x, third.y, { steps: 5 });
  await expect(text).toBeVisible();
  await page.mouse.move(fifth.x, fifth.y, { steps: 5 });
  await page.mouse.up();
  // Back at its first column, a drag chooses nothing.
  await expect(text).toBeHidden();
  await expect(page).toHaveURL(/range=week$/);
  await page.mouse.down();
  await page.mouse.move(third.x, third.y, { steps: 5 });
  // Three days of 1.00 each.
  await expect(text).toContainText("¥3.00");
  await page.mouse.up();
  const threeDays = `from=${dayBefore(today, 4)}&to=${dayBefore(today, 2)}`;
  await expect(page).toHaveURL(new RegExp(`/usage\\?.*${threeDays}`));
  await expect(page.getByLabel(t("usage.range"))).toHaveValue("custom");
  await expect(keys).toHaveAttribute("aria-valuemax", "3");

  await page.goBack();
  await expect(keys).toHaveAttribute("aria-valuemax", "7");
  await settle(page, t);
  // Up and down, a finger scrolls the page.
  await swipe(page, third, { x: third.x, y: third.y - 120 });
  await swipe(page, await placeOf(chart, 2, 7), await placeOf(chart, 4, 7));
  await expect(page).toHaveURL(new RegExp(`/usage\\?.*${threeDays}`));
  await expect(keys).toHaveAttribute("aria-valuemax", "3");

  await page.goto("/usage?range=week");
  await settle(page, t);
  await keys.focus();
  await page.keyboard.press("ArrowLeft");
  await expect(keys).toHaveAttribute("aria-valuetext", /¥20\.11$/);
  await page.keyboard.press("Shift+ArrowLeft");
  await expect(keys).toHaveAttribute("aria-valuetext", /¥21\.11$/);
  expect(await findViolations(page, "all")).toEqual([]);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(new RegExp(`/usage\\?.*from=${dayBefore(yesterday, 1)}&to=${yesterday}`));
});

test("hours that an owner marks lead to their requests, and days of the overview to their usage", async ({
  page,
  t,
  customer,
}) => {
  const yesterday = await spend(customer);
  const keys = page.getByRole("slider", { name: t("common.brush") });
  await enter(page, customer.owner, `/usage?from=${yesterday}&to=${yesterday}`);
  await expect(keys).toHaveAttribute("aria-valuemax", "24");
  await keys.press("Home");
  await page.keyboard.press("Shift+End");
  await page.keyboard.press("Enter");
  const start = `from=${dayBefore(yesterday, 1)}T16%3A00%3A00.000Z`;
  await expect(page).toHaveURL(new RegExp(`/requests\\?${start}&until=${yesterday}T16%3A00%3A00.000Z`));
  await expect(page.getByRole("region", { name: t("requests.sums.title") })).toContainText("57");

  await page.goto("/");
  await keys.press("ArrowLeft");
  await page.keyboard.press("Shift+ArrowLeft");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Shift+ArrowRight");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(new RegExp(`/usage\\?from=${dayBefore(yesterday, 1)}&to=${yesterday}`));
});
