import { deployment } from "../support/deployment";
import { CHAT_MODEL, VIDEO_MODEL } from "../support/gateway";
import type { People } from "../support/people";
import { expect, test } from "../support/screen";
import { screens } from "../support/screens";

/** What a screen is for, as its first paint says it: text of a row, not of the frame around the rows. */
const shown: Record<string, (people: People) => string> = {
  overview: () => "50.00",
  keys: () => "production",
  requests: () => CHAT_MODEL,
  videos: () => "A paper boat on a river",
  billing: () => "goodwill",
  models: () => CHAT_MODEL,
  "operator-overview": ({ accountName }) => accountName,
  accounts: ({ accountName }) => accountName,
  account: ({ accountName }) => accountName,
  channels: () => "sandbox",
  "channel-routes": () => "sandbox",
  prices: () => VIDEO_MODEL,
  users: () => deployment.admin().email,
  "users-viewer": () => deployment.admin().email,
  "all-requests": ({ accountName }) => accountName,
  "all-videos": ({ accountName }) => accountName,
  audit: ({ accountName }) => accountName,
};

const main = screens.filter(({ name }) => name in shown);

test("every list and every overview is looked at", () => {
  expect(main.map(({ name }) => name).sort()).toEqual(Object.keys(shown).sort());
});

for (const screen of main) {
  test(`${screen.name} (${screen.role}): the page has its rows before any script has run`, async ({
    people,
    visit,
    t,
  }) => {
    const { page, leave } = await visit(screen, { javaScriptEnabled: false });
    const answer = await page.goto(screen.path(people));
    // It is one person's, and no cache on the way may keep it.
    expect(answer?.headers()["cache-control"]).toContain("no-store");
    const text = shown[screen.name]?.(people) ?? "";
    await expect(page.getByRole("main").getByText(text).filter({ visible: true }).first()).toBeVisible();
    await expect(page.getByRole("status", { name: t("common.loading"), exact: true })).toHaveCount(0);
    await expect(page.locator(".mantine-Skeleton-root")).toHaveCount(0);
    await leave();
  });
}

test("what cannot be had for the first paint does not break the page: the browser asks for it", async ({
  visit,
  t,
}) => {
  const key = screens.find(({ name }) => name === "key");
  const { page, complaints, leave } = await visit(key ?? { name: "key", role: "owner", path: () => "" });
  const answer = await page.goto("/keys/key_unknown");
  expect(answer?.status()).toBe(200);
  await expect(page.getByRole("heading", { level: 1, name: t("keys.missingTitle") })).toBeVisible();
  expect(complaints).toEqual([]);
  await leave();
});
