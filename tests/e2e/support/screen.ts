/** `test` for what holds on every screen: people to look at it, each in a browser of their own. */
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "@playwright/test";
import { prepare } from "./context";
import { deployment } from "./deployment";
import { collectComplaints, expect, test as flow } from "./flow";
import { createPeople, type People } from "./people";
import type { Screen } from "./screens";

type Visit = {
  /** Not yet anywhere. */
  page: Page;
  /** What it has written to its console as errors. */
  complaints: string[];
  leave: () => Promise<void>;
};
type OnScreens = {
  /** In a browser that has nothing of the console yet. */
  visit: (screen: Screen, options?: BrowserContextOptions) => Promise<Visit>;
  /** In the browser in which this worker's earlier visits by the same person with the same options were. */
  visitAgain: (screen: Screen, options?: BrowserContextOptions) => Promise<Visit>;
};
type Worker = { people: People; contexts: Map<string, BrowserContext> };

async function openPage(context: BrowserContext): Promise<Pick<Visit, "page" | "complaints">> {
  const page = await context.newPage();
  const complaints: string[] = [];
  collectComplaints(page, complaints);
  return { page, complaints };
}

async function openContext(browser: Browser, options: BrowserContextOptions, prefetches: boolean) {
  const context = await browser.newContext({ baseURL: deployment.baseUrl(), ...options });
  await prepare(context, { prefetches });
  return context;
}

export const test = flow.extend<OnScreens, Worker>({
  people: [
    async ({ operator, playwright }, use) => {
      await use(await createPeople(operator, playwright.request));
    },
    { scope: "worker" },
  ],
  contexts: [
    // biome-ignore lint/correctness/noEmptyPattern: it is by what Playwright calls this that it knows what is wanted.
    async ({}, use) => {
      const contexts = new Map<string, BrowserContext>();
      await use(contexts);
      await Promise.all([...contexts.values()].map((context) => context.close()));
    },
    { scope: "worker" },
  ],
  visit: async ({ browser, people, viewport, prefetches }, use) => {
    await use(async ({ role }, options) => {
      const whose = { ...(viewport && { viewport }), ...people.sessions[role], ...options };
      const context = await openContext(browser, whose, prefetches);
      return { ...(await openPage(context)), leave: () => context.close() };
    });
  },
  visitAgain: async ({ browser, people, viewport, contexts, prefetches }, use) => {
    await use(async ({ role }, options) => {
      const name = JSON.stringify([role, options, viewport, prefetches]);
      const whose = { ...(viewport && { viewport }), ...people.sessions[role], ...options };
      const context = contexts.get(name) ?? (await openContext(browser, whose, prefetches));
      contexts.set(name, context);
      const { page, complaints } = await openPage(context);
      return { page, complaints, leave: () => page.close() };
    });
  },
});

export { expect };
