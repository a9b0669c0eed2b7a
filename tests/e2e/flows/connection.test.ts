import type { BrowserContext, Page } from "@playwright/test";
import { keysPage } from "../pages/keys-page";
import { shell } from "../pages/shell";
import { enter } from "../pages/sign-in-page";
import { expect, test } from "../support/flow";
import { callerWith } from "../support/gateway";
import { openSession } from "../support/session";

/** Browsers log an error for each call without a network. */
const isOffline = (text: string) =>
  /ERR_INTERNET_DISCONNECTED|ERR_CONNECTION_FAILED|ERR_FAILED|ERR_ABORTED/.test(text);
const forgive = (complaints: string[]) =>
  complaints.splice(0, complaints.length, ...complaints.filter((text) => !isOffline(text)));

// With prefetching, as users have it: a prefetch may find no network, and its result may be of an older build.
test.use({ prefetches: true });
test.afterEach(({ complaints }) => forgive(complaints));

/** Breaks all calls of a procedure. Returns a function that lets them through again. */
async function breakCalls(context: BrowserContext, procedure: RegExp): Promise<() => Promise<void>> {
  await context.route(procedure, (route) => route.abort("connectionfailed"));
  return () => context.unroute(procedure);
}

test("a key that is disabled offline is shown as active, as it is, and the console says at once that nothing changed", async ({
  page,
  context,
  t,
  customer,
}) => {
  const { chat } = callerWith(await customer.newKey("laptop"));
  await enter(page, customer.owner, "/keys");
  const keys = keysPage(page, t);
  // The browser loads the menu when it is first opened.
  await page.getByRole("button", { name: t("common.moreActions", { name: "laptop" }) }).click();
  await expect(page.getByRole("menuitem", { name: t("keys.disable") })).toBeVisible();
  await context.setOffline(true);
  await page.getByRole("menuitem", { name: t("keys.disable") }).click();
  await expect(page.getByText(t("refusals.offline")).first()).toBeVisible();
  await expect(page.getByText(t("common.changeFailed")).first()).toBeVisible();
  await expect(keys.row("laptop")).toContainText(t("keys.active"));
  expect(await chat()).toBe(200);
  await context.setOffline(false);
  // The change is not made later either.
  await page.reload();
  await expect(keys.row("laptop")).toContainText(t("keys.active"));
  await keys.disable("laptop");
  await expect(keys.row("laptop")).toContainText(t("keys.disabled"));
});

test("a page whose refresh fails says since when it is old, and refreshes on request", async ({
  page,
  context,
  t,
  customer,
}) => {
  const { chat } = callerWith(await customer.newKey("laptop"));
  await chat();
  await openSession(page.request, customer.owner);
  // The rows come with the page; the options of the key filter are requested afterwards.
  const offered = page.waitForResponse(/\/api\/trpc\/[^?]*keys\.list/);
  await page.goto("/requests?live=true");
  await expect(page.getByRole("row")).toHaveCount(2);
  await offered;
  const mend = await breakCalls(context, /\/api\/trpc\//);
  const note = page.getByRole("alert").filter({ hasText: t("refusals.unreachable") });
  await expect(note).toBeVisible();
  await expect(note).toContainText(t("common.staleSince", { moment: "" }).trim());
  await expect(page.getByRole("row")).toHaveCount(2);
  await mend();
  await note.getByRole("button", { name: t("common.retry"), exact: true }).click();
  await expect(note).toHaveCount(0);
});

test("rows that could not be loaded are reported in their list, and load on a retry", async ({
  page,
  context,
  t,
  customer,
}) => {
  test.slow();
  const session = await customer.session();
  await Promise.all(
    Array.from({ length: 51 }, (_, place) => session.keys.create.mutate({ name: `key ${place}` })),
  );
  await enter(page, customer.owner, "/keys");
  await expect(page.getByRole("row")).toHaveCount(51);
  const mend = await breakCalls(context, /\/api\/trpc\/.*keys\.list/);
  await page.getByRole("button", { name: t("common.loadMore"), exact: true }).click();
  const note = page.getByRole("alert").filter({ hasText: t("common.moreFailed") });
  await expect(note).toBeVisible();
  await expect(page.getByRole("row")).toHaveCount(51);
  await mend();
  // The note above the page has a button of the same name if rows that are older than 5 s were refreshed meanwhile.
  await note
    .locator("..")
    .getByRole("button", { name: t("common.retry"), exact: true })
    .click();
  await expect(page.getByRole("row")).toHaveCount(52);
  await expect(page.getByText(t("common.moreFailed"))).toHaveCount(0);
});

test("a part of the console that is gone after an upgrade leaves a half-filled form as it is, and offers to reload", async ({
  page,
  context,
  t,
  complaints,
  customer,
}) => {
  await enter(page, customer.owner, "/keys");
  const name = (await keysPage(page, t).openForm()).getByLabel(t("keys.name"));
  await name.fill("half filled");
  await context.route("**/_next/static/**", (route) => route.fulfill({ status: 404, body: "gone" }));
  // The browser loads the palette on demand.
  await page.evaluate(() =>
    document.documentElement.dispatchEvent(
      new KeyboardEvent("keydown", { key: "k", ctrlKey: true, bubbles: true }),
    ),
  );
  const notice = page.getByText(t("common.upgradedTitle"));
  await expect(notice).toBeVisible();
  await expect(page.getByText("ChunkLoadError")).toHaveCount(0);
  await expect(name).toHaveValue("half filled");
  await context.unroute("**/_next/static/**");
  await page.getByRole("button", { name: t("common.reload"), exact: true }).click();
  await expect(notice).toHaveCount(0);
  await expect(page.getByRole("heading", { level: 1, name: t("shell.keys") })).toBeVisible();
  // React logs the missing script in its own words.
  complaints.length = 0;
});

test("a browser without a network says so above the page, and opens a requested page when there is one again", async ({
  page,
  context,
  t,
  customer,
}) => {
  await enter(page, customer.owner, "/keys");
  const bar = page.getByRole("status").filter({ hasText: t("common.offlineTitle") });
  await context.setOffline(true);
  await expect(bar).toBeVisible();
  const menu = page.getByRole("navigation", { name: t("shell.navigation") });
  await menu.getByRole("link", { name: t("shell.models"), exact: true }).click();
  await expect(bar).toBeVisible();
  await context.setOffline(false);
  await expect(page.getByRole("heading", { level: 1, name: t("shell.models") })).toBeVisible();
  await expect(bar).toHaveCount(0);
});

/** From now on the server has another build of the console. */
const upgrade = (context: BrowserContext) =>
  context.route(/\/api\/trpc\//, async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, headers: { ...answer.headers(), "x-console-build": "next" } });
  });

const goOutOfSight = (page: Page) =>
  page.evaluate(() => {
    Object.defineProperty(document, "hidden", { value: true, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  });

/** Marks the page; a reload removes the mark. */
const mark = (page: Page) => page.locator("body").evaluate((body) => body.setAttribute("data-before", ""));
const isMarked = (page: Page) => page.locator("body[data-before]");

test("after an upgrade a hidden tab reloads itself once, unless a form is being filled in", async ({
  page,
  context,
  t,
  customer,
}) => {
  await enter(page, customer.owner, "/keys");
  await upgrade(context);
  const form = await keysPage(page, t).openForm();
  await form.getByLabel(t("keys.name")).fill("half filled");
  await mark(page);
  await context.setOffline(true);
  await context.setOffline(false);
  const notice = page.getByText(t("common.newBuildTitle"));
  await expect(notice).toBeVisible();
  await goOutOfSight(page);
  await expect(form.getByLabel(t("keys.name"))).toHaveValue("half filled");
  await expect(isMarked(page)).toHaveCount(1);
  // After the form is closed, the next page is of the new build.
  await page.keyboard.press("Escape");
  await expect(form).toHaveCount(0);
  await shell(page, t).goTo(t("shell.models"));
  await expect(isMarked(page)).toHaveCount(0);
  // If a replica of the old build answers again, the tab does not reload for ever.
  await page.waitForLoadState("networkidle");
  await mark(page);
  await goOutOfSight(page);
  await expect(isMarked(page)).toHaveCount(1);
});
