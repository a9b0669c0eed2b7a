import { answerWith, refuseWith, startUpstreamAt } from "@/tests/support/upstream";
import { enter } from "../pages/sign-in-page";
import { countActions } from "../support/count-actions";
import { uniqueName } from "../support/customer";
import { deployment } from "../support/deployment";
import { expect, test } from "../support/flow";
import { callerWith } from "../support/gateway";
import { newestRequest } from "../support/people";
import { channelTo, sell } from "../support/sold";

/** Waits for an open breaker. */
test("an operator sees since when and for whom a channel fails, moves its traffic off, and back when it works", async ({
  page,
  t,
  operator,
  customer,
  upstream,
  upstreamHost,
}) => {
  const model = uniqueName("model");
  await sell(operator, model);
  const spare = await startUpstreamAt(upstreamHost, answerWith("From the spare one."));
  const models = [{ modelId: model, upstreamName: model, overrides: {} }];
  const failing = { name: uniqueName("failing"), upstream, models, priority: 10 };
  const { id: channelId } = await channelTo(operator, failing);
  await channelTo(operator, { name: uniqueName("spare"), upstream: spare, models });
  const { chat } = callerWith(await customer.newKey("app"));
  await expect.poll(() => chat(model)).toBe(200);
  upstream.answer(refuseWith(503, "the machine room is on fire"));
  for (let call = 0; call < 4; call++) {
    expect(await chat(model)).toBe(200);
  }
  await newestRequest(await customer.session());

  const report = () => operator.channels.health.query({ channelId, span: "day" });
  await expect.poll(async () => (await report()).failingSince).not.toBeNull();
  const actions = await countActions(page);
  await enter(page, deployment.admin(), `/channels/${channelId}`);
  await expect(page.getByText(t("channels.failingSince"))).toBeVisible();
  await expect(page.getByRole("table", { name: t("channels.faults") })).toContainText("HTTP 503");
  const touched = page.getByRole("table", { name: t("channels.touched") });
  await expect(touched.getByRole("row", { name: customer.name })).toBeVisible();

  await page.getByRole("button", { name: t("channels.moveOff") }).press("Enter");
  await expect(page.getByText(t("channels.movedOffText"))).toBeVisible();
  expect.soft(actions).toEqual({ clicks: 1, fields: 0 });
  const callCount = () => upstream.requests.length;
  const callAll = async () => {
    const [before, spareBefore] = [callCount(), spare.requests.length];
    for (let call = 0; call < 3; call++) {
      expect(await chat(model)).toBe(200);
    }
    expect({ failing: callCount(), spare: spare.requests.length }).toEqual({
      failing: before,
      spare: spareBefore + 3,
    });
  };
  await expect(callAll).toPass({ intervals: [200] });
  const before = callCount();

  upstream.answer(answerWith("All is well."));
  await page.getByRole("button", { name: t("channels.moveBack") }).click();
  await expect(page.getByText(t("channels.movedOffText"))).toBeHidden();
  // Its breaker may still be open: the channel is tried after the breaker's ten seconds.
  await expect
    .poll(async () => {
      await chat(model);
      return callCount();
    })
    .toBeGreaterThan(before);
  await spare.close();

  const chart = page.getByRole("img", { name: t("channels.reportChart") });
  const legend = (pressed: boolean) =>
    page.getByRole("button", { name: t("channels.failedAttempts"), exact: true, pressed });
  await expect(chart.locator(".recharts-bar")).toHaveCount(2);
  await legend(true).press("Enter");
  await expect(chart.locator(".recharts-bar")).toHaveCount(1);
  await legend(false).press("Enter");
  await page.getByRole("slider", { name: t("common.brush") }).press("Home");
  await page.keyboard.press("Shift+End");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(new RegExp(`/all-requests\\?channel=${channelId}&from=.*&until=`));
  await expect(page.getByRole("row", { name: model }).first()).toBeVisible();
});
