import type { BrowserContext, Page } from "@playwright/test";

/** Milliseconds since the page was asked for. `row`: the first row of a table; null: it has none. */
export type LoadTimes = { row: number | null; loaded: number | null };

/** Runs in the page, before its own scripts: notes when rows come and when nothing is loading any more. */
function watchRows(): void {
  const times: { row: number | null; loaded: number | null } = { row: null, loaded: null };
  Object.assign(window, { loadTimes: times });
  const look = () => {
    const main = document.querySelector("main");
    const isLoading = main?.querySelector(".mantine-Skeleton-root") != null;
    const isThere = main?.querySelector("h1") != null && !isLoading;
    if (times.row === null && main?.querySelector("tbody tr") != null) {
      times.row = performance.now();
    }
    if (!isThere) {
      times.loaded = null;
    }
    times.loaded ??= isThere ? performance.now() : null;
  };
  new MutationObserver(look).observe(document, { childList: true, subtree: true });
}

export async function noteRows(context: BrowserContext): Promise<void> {
  await context.addInitScript(watchRows);
}

export const readLoadTimes = (page: Page): Promise<LoadTimes> =>
  page.evaluate(() => (window as unknown as { loadTimes: LoadTimes }).loadTimes);
