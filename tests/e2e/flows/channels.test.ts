import { answerWith, refuseWith } from "@/tests/support/upstream";
import { channelsPage } from "../pages/channels-page";
import { enter } from "../pages/sign-in-page";
import { uniqueName } from "../support/customer";
import { deployment } from "../support/deployment";
import { expect, test } from "../support/flow";
import { callerWith } from "../support/gateway";
import { sell } from "../support/sold";

/** Five faults in a row, and one call that finds the breaker open. */
const CALLS_TO_BREAK = 6;
/** A breaker stays open for ten seconds. */
test("a channel is added and tested, gets no calls while its upstream fails, and works again on its own", {
  tag: "@smoke",
}, async ({ page, t, operator, customer, upstream }) => {
  const [model, name] = [uniqueName("model"), uniqueName("channel")];
  await sell(operator, model);
  const { chat } = callerWith(await customer.newKey("app"));
  expect(await chat(model)).toBe(502);

  await enter(page, deployment.admin(), "/channels");
  const channels = channelsPage(page, t);
  await channels.fillNew({ name, model, baseUrl: upstream.baseUrl, credential: "upstream-secret" });
  upstream.answer(refuseWith(401, "no such credential"));
  await channels.test();
  await expect(page.getByText(t("channels.testNotOk"))).toBeVisible();
  await expect(page.getByText("no such credential")).toBeVisible();
  upstream.answer(answerWith("All is well."));
  await channels.test();
  await expect(page.getByText(t("channels.testOk"))).toBeVisible();
  await channels.save(name);
  await expect.poll(() => chat(model)).toBe(200);
  await expect(channels.row(name)).toContainText(t("channels.states.well"));

  // Not 500, which an account's own requests may cause: that opens the breaker for this account only.
  upstream.answer(refuseWith(503, "out of order"));
  for (let call = 0; call < CALLS_TO_BREAK; call++) {
    expect(await chat(model)).toBe(502);
  }
  await expect(channels.row(name)).toContainText(t("channels.states.open"));
  await expect(channels.row(name)).toContainText("out of order");

  upstream.answer(answerWith("All is well."));
  await expect(channels.row(name)).toContainText(t("channels.states.probing"));
  expect(await chat(model)).toBe(200);
  await expect(channels.row(name)).toContainText(t("channels.states.well"));
});

test("a channel that is filled in by hand asks for a few fields, and shows a folded one that is wrong", async ({
  page,
  t,
}) => {
  await enter(page, deployment.admin(), "/channels/new?byHand=true");
  const weight = page.getByLabel(t("channels.weight"), { exact: true });
  const summary = page.locator("summary").filter({ hasText: t("channels.limits") });
  await expect(summary).toBeVisible();
  await expect(weight).toBeHidden();
  await summary.press("Enter");
  await weight.fill("much");
  await summary.press("Enter");
  await expect(weight).toBeHidden();
  await page.getByRole("button", { name: t("channels.createAction"), exact: true }).click();
  await expect(weight).toBeVisible();
  await expect(page.getByText(t("channels.problems.weight"))).toBeVisible();
});
