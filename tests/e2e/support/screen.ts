/** `test` for properties of every screen, with users who each have their own browser. */
import type { Browser, BrowserContextOptions } from "@playwright/test";
import { prepare } from "./context";
import { deployment } from "./deployment";
import { type BlankPage, collectComplaints, expect, test as flow } from "./flow";
import type { Screen } from "./screens";

type Visit = BlankPage & { leave: () => Promise<void> };
type OnScreens = {
  /** Opens the screen in a browser that has cached nothing of the console. */
  visit: (screen: Screen, options?: BrowserContextOptions) => Promise<Visit>;
  /**
   * Opens the screen on the page of this worker's earlier visits by the same user with the same options: its process
   * has already compiled the scripts.
   */
  visitAgain: (screen: Screen, options?: BrowserContextOptions) => Promise<Visit>;
};

async function open(
  browser: Browser,
  options: BrowserContextOptions,
  prefetches: boolean,
): Promise<BlankPage> {
  const context = await browser.newContext({ baseURL: deployment.baseUrl(), ...options });
  await prepare(context, { prefetches });
  const page = await context.newPage();
  const complaints: string[] = [];
  collectComplaints(page, complaints);
  return { page, devtools: await context.newCDPSession(page), complaints };
}

export const test = flow.extend<OnScreens>({
  visit: async ({ browser, people, viewport, prefetches }, use) => {
    await use(async ({ role }, options) => {
      const whose = { ...(viewport && { viewport }), ...people.sessions[role], ...options };
      const visited = await open(browser, whose, prefetches);
      return { ...visited, leave: () => visited.page.context().close() };
    });
  },
  visitAgain: async ({ browser, people, viewport, opened, prefetches }, use) => {
    await use(async ({ role }, options) => {
      const name = JSON.stringify([role, options, viewport, prefetches]);
      const whose = { ...(viewport && { viewport }), ...people.sessions[role], ...options };
      const visited = opened.get(name) ?? (await open(browser, whose, prefetches));
      opened.set(name, visited);
      visited.complaints.length = 0;
      // A page that is left sends the server no more requests.
      const leave = async () => void (await visited.page.goto("about:blank"));
      return { ...visited, leave };
    });
  },
});

export { expect };
