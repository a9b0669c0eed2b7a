import { enter, open } from "../pages/sign-in-page";
import { expect, test } from "../support/flow";
import { callerWith } from "../support/gateway";

test("a person names the filter of the requests, finds it again later, and forgets it", async ({
  page,
  t,
  customer,
}) => {
  expect(await callerWith(await customer.newKey("website")).chat("no-such-model")).toBe(404);
  expect(await callerWith(await customer.newKey("nightly")).chat()).toBe(200);
  // The log of calls is written in batches.
  const session = await customer.session();
  await expect.poll(async () => (await session.calls.list.query({})).rows.length).toBe(2);
  await enter(page, customer.owner, "/requests?status=failed&sort=-duration");
  const row = (key: string) => page.getByRole("row").filter({ hasText: key });
  await expect(row("website")).toBeVisible();
  await expect(row("nightly")).toHaveCount(0);

  const menu = page.getByRole("button", { name: t("common.views.title") });
  const entry = (name: string) => page.getByRole("menuitem", { name, exact: true });
  await menu.click();
  await entry(t("common.views.save")).click();
  const dialog = page.getByRole("dialog", { name: t("common.views.saveTitle") });
  await dialog.getByLabel(t("common.views.name")).fill("Failures, slowest first");
  await dialog.getByRole("button", { name: t("common.save") }).click();
  await expect(dialog).toBeHidden();

  await open(page, "/requests");
  await expect(row("nightly")).toBeVisible();
  await menu.click();
  await entry("Failures, slowest first").click();
  await expect(page).toHaveURL(/status=failed/);
  await expect(page).toHaveURL(/sort=-duration/);
  await expect(row("nightly")).toHaveCount(0);
  await expect(row("website")).toBeVisible();

  await menu.click();
  await expect(entry("Failures, slowest first")).toHaveAttribute("aria-current", "true");
  await entry(t("common.views.delete", { name: "Failures, slowest first" })).click();
  await menu.click();
  await expect(entry(t("common.views.save"))).toBeVisible();
  await expect(entry("Failures, slowest first")).toHaveCount(0);
});

test("the page of usage keeps its own views", async ({ page, t, customer }) => {
  await enter(page, customer.owner, "/usage?by=key&range=week");
  const menu = page.getByRole("button", { name: t("common.views.title") });
  const entry = (name: string) => page.getByRole("menuitem", { name, exact: true });
  await menu.click();
  await entry(t("common.views.save")).click();
  const dialog = page.getByRole("dialog", { name: t("common.views.saveTitle") });
  await dialog.getByLabel(t("common.views.name")).fill("Week by key");
  await dialog.getByRole("button", { name: t("common.save") }).click();
  await expect(dialog).toBeHidden();

  await open(page, "/requests");
  await menu.click();
  await expect(entry(t("common.views.save"))).toBeVisible();
  await expect(entry("Week by key")).toHaveCount(0);

  await open(page, "/usage");
  await menu.click();
  await entry("Week by key").click();
  await expect(page).toHaveURL(/by=key/);
  await expect(page).toHaveURL(/range=week/);
});
