/** The `test` of all flows, with the deployment, the texts, the operator, and the errors in the page's console. */
import { test as base, type CDPSession, expect, type Page } from "@playwright/test";
import { answerWith, type FakeUpstream, startUpstreamAt } from "@/tests/support/upstream";
import { prepare } from "./context";
import { type Customer, createCustomer } from "./customer";
import { deployment } from "./deployment";
import { createPeople, type People } from "./people";
import { openSession, type Session } from "./session";
import { type ConsoleTexts, textsIn } from "./texts";

type Flow = {
  t: ConsoleTexts;
  /** Whether pages prefetch the targets of their links, as they do for users: `test.use({ prefetches: true })`. */
  prefetches: boolean;
  /** The account's quota for this month, in currency units: `test.use({ quota: "0.01" })`. */
  quota: string;
  /** A new account with an owner. */
  customer: Customer;
  /** The host name under which the deployment reaches this machine. */
  upstreamHost: string;
  /** A vendor of this flow alone, which the deployment can reach. It succeeds until a flow changes its answer. */
  upstream: FakeUpstream;
  /** A page in another user's browser. */
  otherPage: Page;
  /** The errors in the pages' consoles. A flow fails if any are left at its end. */
  complaints: string[];
};
/** A page that shows no screen: a new one, or one that has been left. */
export type BlankPage = {
  page: Page;
  /** The page's DevTools session. Detaching from a page would cost its cache of scripts. */
  devtools: CDPSession;
  /** The errors in its console. */
  complaints: string[];
};
/** These are the same for every file, because Playwright starts another process and browser where they differ. */
type Worker = {
  /** The operator's procedures, for preparations of a flow. */
  operator: Session;
  /** The users who look at screens (`screen.ts`), and the pages that they have used. */
  people: People;
  opened: Map<string, BlankPage>;
};

/** An answer that the console shows as text, such as a refusal. Browsers log each as an error. */
const isRefusedRequest = (text: string) => /^Failed to load resource: .* status of 4\d\d/.test(text);

const MAX_CHARACTERS = 300;

export function collectComplaints(page: Page, complaints: string[]): void {
  const note = (text: string) => complaints.push(text.slice(0, MAX_CHARACTERS));
  page.on("pageerror", (error) => note(error.message));
  page.on("console", (message) => {
    if (message.type() === "error" && !isRefusedRequest(message.text())) {
      note(message.text());
    }
  });
}

export const test = base.extend<Flow, Worker>({
  t: async ({ locale }, use) => {
    await use(textsIn(locale?.startsWith("zh") ? "zh" : "en"));
  },
  prefetches: [false, { option: true }],
  context: async ({ context, prefetches }, use) => {
    await prepare(context, { prefetches });
    await use(context);
  },
  quota: ["100", { option: true }],
  customer: async ({ operator, playwright, quota }, use) => {
    await use(await createCustomer(operator, { request: playwright.request, quota }));
  },
  upstreamHost: [process.env.E2E_UPSTREAM_HOST || "127.0.0.1", { option: true }],
  upstream: async ({ upstreamHost }, use) => {
    const upstream = await startUpstreamAt(upstreamHost, answerWith("All is well."));
    await use(upstream);
    await upstream.close();
  },
  otherPage: async ({ browser, complaints, baseURL, locale, prefetches }, use) => {
    const context = await browser.newContext({ ...(baseURL && { baseURL }), ...(locale && { locale }) });
    await prepare(context, { prefetches });
    const page = await context.newPage();
    collectComplaints(page, complaints);
    await use(page);
    await context.close();
  },
  complaints: [
    async ({ context }, use) => {
      const complaints: string[] = [];
      context.on("page", (page) => collectComplaints(page, complaints));
      await use(complaints);
      expect(complaints).toEqual([]);
    },
    { auto: true },
  ],
  operator: [
    async ({ playwright }, use) => {
      const request = await playwright.request.newContext();
      await use(await openSession(request, deployment.admin()));
      await request.dispose();
    },
    { scope: "worker" },
  ],
  people: [
    async ({ operator, playwright }, use) => {
      await use(await createPeople(operator, playwright.request));
    },
    { scope: "worker" },
  ],
  opened: [
    // biome-ignore lint/correctness/noEmptyPattern: it is by what Playwright calls this that it knows what is wanted.
    async ({}, use) => {
      const opened = new Map<string, BlankPage>();
      await use(opened);
      await Promise.all([...opened.values()].map(({ page }) => page.context().close()));
    },
    { scope: "worker" },
  ],
});

export { expect };
