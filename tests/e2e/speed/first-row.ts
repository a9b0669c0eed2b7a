import type { BrowserContext, Page } from "@playwright/test";

/** Milliseconds since the page was asked for. `row`: the first row of a table; null: it has none. */
export type Shown = { row: number | null; loaded: number | null };

/** Runs in the page, before its own scripts: notes when rows come and when nothing is loading any more. */
function watchRows(): void {
  const shown: { row: number | null; loaded: number | null } = { row: null, loaded: null };
  Object.assign(window, { shown });
  const look = () => {
    const main = document.querySelector("main");
    const isLoading = main?.querySelector(".mantine-Skeleton-root") != null;
    const isThere = main?.querySelector("h1") != null && !isLoading;
    if (shown.row === null && main?.querySelector("tbody tr") != null) {
      shown.row = performance.now();
    }
    if (!isThere) {
      shown.loaded = null;
    }
    shown.loaded ??= isThere ? performance.now() : null;
  };
  new MutationObserver(look).observe(document, { childList: true, subtree: true });
}

export async function noteRows(context: BrowserContext): Promise<void> {
  await context.addInitScript(watchRows);
}

export const readShown = (page: Page): Promise<Shown> =>
  page.evaluate(() => (window as unknown as { shown: Shown }).shown);
