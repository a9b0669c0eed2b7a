import { expect, type Page } from "@playwright/test";
import type { Texts } from "./texts";

/** Waits until a page shows what it has: nothing of it is loading, and nothing moves. */
export async function settle(page: Page, t: Texts): Promise<void> {
  await page.waitForLoadState("networkidle");
  await expect(page.getByRole("status", { name: t("common.loading"), exact: true })).toHaveCount(0);
  // What stands in for a part whose script is still on its way.
  await expect(page.locator(".mantine-Skeleton-root")).toHaveCount(0);
  await page.evaluate(async () => {
    const endless = Number.POSITIVE_INFINITY;
    const moving = document
      .getAnimations()
      .filter(({ effect }) => effect?.getComputedTiming().iterations !== endless);
    await Promise.allSettled(moving.map(({ finished }) => finished));
  });
}
