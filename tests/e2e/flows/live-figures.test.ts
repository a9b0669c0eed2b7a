import { answerWith, usage } from "@/tests/support/upstream";
import { enter } from "../pages/sign-in-page";
import { uniqueName } from "../support/customer";
import { deployment } from "../support/deployment";
import { expect, test } from "../support/flow";
import { CHAT_MODEL, callerWith } from "../support/gateway";
import { channelTo, sell } from "../support/sold";

/** Longer than a page waits before it refreshes its figures. */
const REFRESHED_MS = 20_000;

test("an operator's open pages follow what a customer spends, without a click", async ({
  page,
  otherPage,
  t,
  operator,
  customer,
  upstream,
}) => {
  const model = uniqueName("live");
  // 20 tokens cost 2.
  await sell(operator, model, { price: "100000" });
  const channel = await channelTo(operator, {
    ...{ name: model, upstream },
    models: [{ modelId: model, upstreamName: model, overrides: {} }],
  });
  upstream.answer(answerWith("All is well.", usage(10, 10)));
  const caller = callerWith(await customer.newKey("app"));
  await Promise.all([page.clock.install(), otherPage.clock.install()]);
  await enter(page, deployment.admin(), `/accounts/${customer.accountId}`);
  const available = page.locator(".headline");
  // The sum has no term that is zero.
  const used = available.locator(".sum-term").filter({ hasText: t("accounts.used") });
  await expect(available).toContainText(t("accounts.available"));
  await expect(used).toHaveCount(0);
  await enter(otherPage, deployment.admin(), "/");
  const today = otherPage.locator(".headline-figure");
  const before = await today.innerText();
  await expect.poll(() => caller.chat(model)).toBe(200);
  await operator.channels.remove.mutate({ channelId: channel.id });
  await Promise.all([page.clock.fastForward(REFRESHED_MS), otherPage.clock.fastForward(REFRESHED_MS)]);
  await expect(used).toContainText("¥2.00");
  await expect(today).not.toHaveText(before);
});

test("an open usage page of a customer follows their calls", async ({ page, t, customer }) => {
  const caller = callerWith(await customer.newKey("app"));
  await page.clock.install();
  await enter(page, customer.owner, "/usage?range=today");
  await expect(page.getByText(t("usage.emptyTitle"))).toBeVisible();
  expect(await caller.chat()).toBe(200);
  await page.clock.fastForward(REFRESHED_MS);
  await expect(page.getByRole("main").getByRole("rowheader", { name: CHAT_MODEL })).toBeVisible();
});
