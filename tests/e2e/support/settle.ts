import { expect, type Page } from "@playwright/test";
import { requestsUnderWay } from "./context";
import type { Texts } from "./texts";

/** Runs in the page: after two more frames, what keeps it from being as it will stay. */
async function findUnsettled(loading: string): Promise<string[]> {
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  await frame();
  await frame();
  const title = document.querySelector("h1");
  // React marks what it has taken over with members whose names begin so.
  const listens = title !== null && Object.keys(title).some((name) => name.startsWith("__reactProps"));
  const isMoving = ({ effect, playState }: Animation) =>
    playState === "running" && effect?.getComputedTiming().iterations !== Number.POSITIVE_INFINITY;
  const faults = {
    "the document is being loaded": document.readyState !== "complete",
    "the page does not listen yet": !listens,
    "something is loading": document.querySelector(`[role=status][aria-label="${loading}"]`) !== null,
    // What stands in for a part whose script is still on its way.
    "a part is missing": document.querySelector(".mantine-Skeleton-root") !== null,
    "something moves": document.getAnimations().some(isMoving),
  };
  return Object.entries(faults).flatMap(([fault, holds]) => (holds ? [fault] : []));
}

/** Waits until React has taken over the page inside its frame. */
export async function untilItListens(page: Page): Promise<void> {
  await page.waitForFunction(() =>
    Object.keys(document.querySelector("h1") ?? {}).some((name) => name.startsWith("__reactProps")),
  );
}

/** Waits until a page shows what it has: it listens, nothing of it is loading, and nothing moves. */
export async function settle(page: Page, t: Texts): Promise<void> {
  const unsettled = async () => [
    ...(await page.evaluate(findUnsettled, t("common.loading"))),
    ...requestsUnderWay(page),
  ];
  await expect.poll(unsettled, { intervals: [20] }).toEqual([]);
}
