/**
 * What every flow starts with: `test` knows the deployment, the texts and the operator, and what a page complained of.
 */
import { test as base, type CDPSession, expect, type Page } from "@playwright/test";
import { answerWith, type FakeUpstream, startUpstreamAt } from "@/tests/support/upstream";
import { prepare } from "./context";
import { type Customer, createCustomer } from "./customer";
import { deployment } from "./deployment";
import { createPeople, type People } from "./people";
import { openSession, type Session } from "./session";
import { type Texts, textsIn } from "./texts";

type Flow = {
  t: Texts;
  /** Whether pages fetch what their links lead to, as they do for people: `test.use({ prefetches: true })`. */
  prefetches: boolean;
  /** What an account may spend this month, in currency units: `test.use({ quota: "0.01" })`. */
  quota: string;
  /** A new account with an owner. */
  customer: Customer;
  /** Under which the deployment reaches this machine. */
  upstreamHost: string;
  /** A vendor of this flow alone, which the deployment can reach. It answers well until it is told otherwise. */
  upstream: FakeUpstream;
  /** Somebody else's browser. */
  otherPage: Page;
  /** What pages wrote to their console as errors. A flow fails if anything is left in it at the end. */
  complaints: string[];
};
/** A page on which nothing is open yet, or no longer. */
export type Opened = {
  page: Page;
  /** Of this page. To attach to a page and leave it again costs its cache of scripts. */
  devtools: CDPSession;
  /** What it has written to its console as errors. */
  complaints: string[];
};
/** The same for every file: Playwright starts another process and browser where these differ. */
type Worker = {
  /** The operator's procedures, for what a flow needs and is not about. */
  operator: Session;
  /** Who looks at screens (`screen.ts`), and the pages on which they have done so. */
  people: People;
  opened: Map<string, Opened>;
};

/** An answer that the console shows in words, such as a refusal; browsers complain of each. */
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
      const opened = new Map<string, Opened>();
      await use(opened);
      await Promise.all([...opened.values()].map(({ page }) => page.context().close()));
    },
    { scope: "worker" },
  ],
});

export { expect };
