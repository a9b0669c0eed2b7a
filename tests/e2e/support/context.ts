import type { BrowserContext, Page, Request } from "@playwright/test";

/** Requests of a page that have no answer yet. */
const underWay = new WeakMap<Page, Set<Request>>();

export const requestsUnderWay = (page: Page): string[] =>
  [...(underWay.get(page) ?? [])].map((request) => request.url());

function countRequests(page: Page): void {
  const requests = new Set<Request>();
  underWay.set(page, requests);
  const end = (request: Request) => requests.delete(request);
  page.on("request", (request) => requests.add(request));
  page.on("requestfinished", end);
  page.on("requestfailed", end);
}

/** Runs in the page. Without the prefetch, a link loads its page when it is followed. */
function refusePrefetches(): void {
  const { fetch } = window;
  window.fetch = (input, init) =>
    new Headers(init?.headers).has("next-router-prefetch")
      ? Promise.resolve(new Response(null, { status: 204 }))
      : fetch(input, init);
}

/**
 * Prepares a context before its first page. Each page of the console prefetches the targets of its links: about 30
 * answers, for which the server renders as many pages. Only flows that test this (`prefetches`) pay for it.
 */
export async function prepare(
  context: BrowserContext,
  { prefetches }: { prefetches: boolean },
): Promise<void> {
  context.on("page", countRequests);
  if (!prefetches) {
    await context.addInitScript(refusePrefetches);
  }
}
