import { expect, type Page } from "@playwright/test";
import { requestsUnderWay } from "./context";
import type { ConsoleTexts } from "./texts";

/** Runs in the page: waits two frames, then returns the reasons why the page is not settled yet. */
async function findUnsettled(loading: string): Promise<string[]> {
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  await frame();
  await frame();
  const title = document.querySelector("h1");
  // React adds members whose names begin so to hydrated elements.
  const listens = title !== null && Object.keys(title).some((name) => name.startsWith("__reactProps"));
  const isMoving = ({ effect, playState }: Animation) =>
    playState === "running" && effect?.getComputedTiming().iterations !== Number.POSITIVE_INFINITY;
  const faults = {
    "the document is being loaded": document.readyState !== "complete",
    "the page does not listen yet": !listens,
    "something is loading": document.querySelector(`[role=status][aria-label="${loading}"]`) !== null,
    // The placeholders of parts whose scripts are still loading: cards, fields, charts, and dialogs.
    "a part is missing":
      document.querySelector(".mantine-Skeleton-root, .coming, .coming-chart, [aria-busy=true]") !== null,
    "something moves": document.getAnimations().some(isMoving),
  };
  return Object.entries(faults).flatMap(([fault, holds]) => (holds ? [fault] : []));
}

/** Waits until React has hydrated the page inside its frame. */
export async function untilItListens(page: Page): Promise<void> {
  await page.waitForFunction(() =>
    Object.keys(document.querySelector("h1") ?? {}).some((name) => name.startsWith("__reactProps")),
  );
}

/** Waits until a page is complete: it listens, nothing is loading, and nothing moves. */
export async function settle(page: Page, t: ConsoleTexts): Promise<void> {
  const unsettled = async () => [
    ...(await page.evaluate(findUnsettled, t("common.loading"))),
    ...requestsUnderWay(page),
  ];
  await expect.poll(unsettled, { intervals: [20] }).toEqual([]);
}
