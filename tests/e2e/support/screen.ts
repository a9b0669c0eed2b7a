/** `test` for what holds on every screen: people to look at it, each visit in a browser of its own. */
import type { BrowserContextOptions, Page } from "@playwright/test";
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
type OnScreens = { visit: (screen: Screen, options?: BrowserContextOptions) => Promise<Visit> };

export const test = flow.extend<OnScreens, { people: People }>({
  people: [
    async ({ operator, playwright }, use) => {
      await use(await createPeople(operator, playwright.request));
    },
    { scope: "worker", timeout: 60_000 },
  ],
  visit: async ({ browser, people, baseURL, viewport }, use) => {
    await use(async ({ role }, options) => {
      const context = await browser.newContext({
        ...(baseURL && { baseURL }),
        ...(viewport && { viewport }),
        ...people.sessions[role],
        ...options,
      });
      const page = await context.newPage();
      const complaints: string[] = [];
      collectComplaints(page, complaints);
      return { page, complaints, leave: () => context.close() };
    });
  },
});

export { expect };
