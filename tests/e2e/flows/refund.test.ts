import { answerWith, usage } from "@/tests/support/upstream";
import { enter } from "../pages/sign-in-page";
import { uniqueName } from "../support/customer";
import { deployment } from "../support/deployment";
import { expect, test } from "../support/flow";
import { callerWith } from "../support/gateway";
import { newestRequest } from "../support/people";
import { sellOn } from "../support/sold";

test("an operator refunds a part of a charge, and the customer sees it with its reason", async ({
  page,
  otherPage,
  t,
  operator,
  customer,
  upstream,
}) => {
  const model = uniqueName("model");
  const { channelId } = await sellOn(operator, { model, upstream, price: "100000" });
  // 20 tokens at 100,000 per million: the call costs 2.
  upstream.answer(answerWith("All is well.", usage(10, 10)));
  const { chat } = callerWith(await customer.newKey("app"));
  await expect.poll(() => chat(model)).toBe(200);
  const requestId = await newestRequest(await customer.session());
  await operator.channels.remove.mutate({ channelId });

  await enter(page, deployment.admin(), `/all-requests?request=${requestId}`);
  const drawer = page.getByRole("dialog", { name: t("requests.detailTitle") });
  await drawer.getByRole("button", { name: t("requests.refund") }).click();
  const form = page.getByRole("dialog", { name: t("requests.refundTitle") });
  const amount = form.getByRole("textbox", { name: t("requests.refundAmount") });
  await expect(amount).toHaveValue("2");
  const send = form.getByRole("button", { name: t("requests.refundAction"), exact: true });
  await send.click();
  await expect(form.getByText(t("common.required"))).toBeVisible();
  await amount.fill("2.5");
  await form.getByRole("textbox", { name: t("requests.refundReason") }).fill("half an answer");
  await send.click();
  await expect(form).toContainText(t("refusals.refundTooLarge", { left: "2" }));
  await amount.fill("0.75");
  await send.click();
  await expect(form).toBeHidden();
  await expect(drawer).toContainText("half an answer");
  await expect(drawer).toContainText("1.25");

  await enter(otherPage, customer.owner, `/requests?request=${requestId}`);
  const dialog = otherPage.getByRole("dialog");
  await expect(dialog).toContainText("half an answer");
  await expect(dialog.getByRole("button", { name: t("requests.refund") })).toHaveCount(0);
  // Excludes the line with the month's sums, which has a similar name.
  const refundRow = new RegExp(`^${t("billing.kinds.refund")}\\s`);
  await otherPage.goto("/billing");
  const entry = otherPage.getByRole("row", { name: refundRow });
  await expect(entry).toContainText("0.75");
  await expect(entry).toContainText("half an answer");
});
