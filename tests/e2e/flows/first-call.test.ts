import { answerWith, usage } from "@/tests/support/upstream";
import { enter } from "../pages/sign-in-page";
import { findViolations } from "../support/axe";
import { countActions } from "../support/count-actions";
import { uniqueName } from "../support/customer";
import { expect, test } from "../support/flow";
import { callerWith } from "../support/gateway";
import { channelTo, sell } from "../support/sold";

test("the first call appears on the owner's overview with its exact cost and how it was calculated, and the month counts it", async ({
  page,
  t,
  operator,
  customer,
  upstream,
}) => {
  const model = uniqueName("first");
  await sell(operator, model, { price: "1.23456" });
  const channel = await channelTo(operator, {
    ...{ name: model, upstream },
    models: [{ modelId: model, upstreamName: model, overrides: {} }],
  });
  upstream.answer(answerWith("All is well.", usage(10, 10)));
  const caller = callerWith(await customer.newKey("app"));
  const actions = await countActions(page);
  await enter(page, customer.owner, "/");
  const main = page.getByRole("main");
  await expect(main.getByRole("heading", { name: t("overview.stepsTitle") })).toBeVisible();
  await expect.poll(() => caller.chat(model)).toBe(200);
  await operator.channels.remove.mutate({ channelId: channel.id });

  // 20 tokens at 1.23456 for a million, each class rounded up to nine decimals.
  const card = main.getByRole("region", { name: t("overview.stepsDoneTitle") });
  await expect(card).toContainText("¥0.000024692");
  await expect(card).toContainText(model);
  await expect(card).toContainText(t("requests.tokenPair", { input: "10", output: "10" }));
  await expect(card.getByRole("heading", { name: t("requests.whyTitle") })).toBeVisible();
  await expect(card.getByRole("table")).toContainText("¥1.23456");
  await expect(
    main.getByRole("img", { name: t("overview.chartLabel", { measure: t("overview.measures.cost") }) }),
  ).toBeVisible();
  expect.soft(actions).toEqual({ clicks: 0, fields: 0 });
  expect(await findViolations(page, "all")).toEqual([]);
  await page.reload();
  await expect(card).toContainText("¥0.000024692");
  await card.getByRole("button", { name: t("overview.stepsHide") }).press("Enter");
  await expect(card).toHaveCount(0);
});
