import { deployment } from "../support/deployment";
import { CHAT_MODEL, VIDEO_MODEL } from "../support/gateway";
import type { People } from "../support/people";
import { expect, test } from "../support/screen";
import { type Screen, screens } from "../support/screens";
import type { Session } from "../support/session";

/** A text of each screen's own content in its first paint: from a row, not from the frame around the rows. */
const shown: Record<string, (people: People, operator: Session) => string | Promise<string>> = {
  overview: () => "50.00",
  keys: () => "production",
  requests: () => CHAT_MODEL,
  videos: () => "A paper boat on a river",
  billing: () => "goodwill",
  models: () => CHAT_MODEL,
  "management-keys": () => "billing service",
  // The model with the highest spend so far in all flows: it is still among the first five when the page is rendered.
  "operator-overview": async (_, operator) =>
    (await operator.overview.business.query()).topModels[0]?.modelId ?? "",
  accounts: ({ accountName }) => accountName,
  account: ({ accountName }) => accountName,
  channels: () => "sandbox",
  "channel-routes": () => "sandbox",
  prices: () => VIDEO_MODEL,
  "price-groups": ({ priceGroupName }) => priceGroupName,
  "price-groups-viewer": ({ priceGroupName }) => priceGroupName,
  "accounts-of-group": ({ accountName }) => accountName,
  users: () => deployment.admin().email,
  "users-viewer": () => deployment.admin().email,
  "all-requests": ({ accountName }) => accountName,
  "all-videos": ({ accountName }) => accountName,
  "operator-management-keys": () => "sign-up service",
  audit: ({ accountName }) => accountName,
};

function screenOf(name: string): Screen {
  const match = screens.find((screen) => screen.name === name);
  if (!match) {
    throw new Error(`there is no screen ${name}`);
  }
  return match;
}

const main = screens.filter(({ name }) => name in shown);

test("every list and every overview is checked", () => {
  expect(main.map(({ name }) => name).sort()).toEqual(Object.keys(shown).sort());
});

for (const screen of main) {
  test(`${screen.name} (${screen.role}): the page has its rows before any script has run`, async ({
    people,
    operator,
    visitAgain,
    t,
  }) => {
    const { page, leave } = await visitAgain(screen, { javaScriptEnabled: false });
    const text = (await shown[screen.name]?.(people, operator)) ?? "";
    expect(text).not.toBe("");
    const answer = await page.goto(screen.path(people));
    // The page is personal, so no cache on the way may keep it.
    expect(answer?.headers()["cache-control"]).toContain("no-store");
    await expect(page.getByRole("main").getByText(text).filter({ visible: true }).first()).toBeVisible();
    await expect(page.getByRole("status", { name: t("common.loading"), exact: true })).toHaveCount(0);
    await expect(page.locator(".mantine-Skeleton-root")).toHaveCount(0);
    await leave();
  });
}

test("a page whose data cannot be loaded for the first paint opens, and the browser asks for the data", async ({
  visit,
  t,
}) => {
  const { page, complaints, leave } = await visit(screenOf("key"));
  const answer = await page.goto("/keys/key_unknown");
  expect(answer?.status()).toBe(200);
  await expect(page.getByRole("heading", { level: 1, name: t("keys.missingTitle") })).toBeVisible();
  expect(complaints).toEqual([]);
  await leave();
});

test("times are in the reader's zone from the first paint on, once their browser has named it", async ({
  people,
  visit,
}) => {
  const screen = screenOf("requests");
  const first = await visit(screen, { timezoneId: "America/New_York" });
  await first.page.goto(screen.path(people));
  // The browser's clock and UTC, four or five hours apart: `11/22/2026, 04:00:00 · 2026-11-22 09:00:00 UTC`.
  const timeOf = (page: typeof first.page) => page.getByRole("main").locator("time").first();
  const isLocal = /\b(\d\d):\d\d:\d\d · [\d-]+ (?!\1)\d\d:/;
  await expect(timeOf(first.page)).toHaveAttribute("title", isLocal);
  const storageState = await first.page.context().storageState();
  const second = await visit(screen, { storageState, javaScriptEnabled: false });
  await second.page.goto(screen.path(people));
  await expect(timeOf(second.page)).toHaveAttribute("title", isLocal);
  expect(first.complaints).toEqual([]);
  await first.leave();
  await second.leave();
});
