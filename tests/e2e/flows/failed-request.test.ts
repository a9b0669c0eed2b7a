import { answerJson } from "@/tests/support/upstream";
import { enter } from "../pages/sign-in-page";
import { findViolations } from "../support/axe";
import { countActions } from "../support/count-actions";
import { uniqueName } from "../support/customer";
import { deployment } from "../support/deployment";
import { expect, test } from "../support/flow";
import { callerWith } from "../support/gateway";
import { pressAt } from "../support/keyboard";
import { channelTo, sell } from "../support/sold";

const error = {
  ...{ message: "This model's maximum context length is 4097 tokens.", type: "invalid_request_error" },
  ...{ code: "context_length_exceeded", param: "messages[0].content" },
};

test("an operator reads why a request failed, in the vendor's names, and copies a text for the customer, by keyboard alone", async ({
  page,
  otherPage,
  context,
  t,
  operator,
  customer,
  upstream,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const model = uniqueName("refused");
  await sell(operator, model, { price: "1" });
  const channel = await channelTo(operator, {
    ...{ name: model, upstream },
    models: [{ modelId: model, upstreamName: model, overrides: {} }],
  });
  upstream.answer(answerJson({ error }, 400));
  const caller = callerWith(await customer.newKey("app"));
  await expect.poll(() => caller.chat(model)).toBe(400);
  // The log of calls is written in batches.
  const session = await customer.session();
  await expect.poll(async () => (await session.calls.list.query({})).rows[0]?.status).toBe(400);
  await operator.channels.remove.mutate({ channelId: channel.id });

  const actions = await countActions(page);
  await enter(
    page,
    deployment.admin(),
    `/all-requests?account=${customer.accountId}&status=failed&model=${model}`,
  );
  await pressAt(page.getByRole("row").nth(1).getByRole("button").first());
  const drawer = page.getByRole("dialog");
  const alert = drawer.getByRole("alert");
  for (const name of ["invalid_request_error", "context_length_exceeded", "messages[0].content"]) {
    await expect(alert).toContainText(name);
  }
  await expect(alert).toContainText(t("requests.errorTerms"));
  await expect(drawer.getByRole("list").getByRole("listitem")).toHaveCount(1);
  expect(await findViolations(page, "all")).toEqual([]);
  await pressAt(drawer.getByRole("button", { name: t("requests.forCustomer.copy") }));
  expect.soft(actions).toEqual({ clicks: 2, fields: 0 });
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied.split("\n")).toEqual([
    expect.stringMatching(/^Request ID: req_[0-9a-f]{32}$/),
    expect.stringMatching(/^Time: \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/),
    `Model: ${model}`,
    `What happened: ${t("requests.errors.upstream_rejected.name")}`,
    expect.stringMatching(/^Charge: .* Nothing was charged\.$/),
    `What to do: ${t("requests.errors.upstream_rejected.advice")}`,
  ]);

  const requestId = copied.split("\n")[0]?.replace("Request ID: ", "") ?? "";
  await enter(otherPage, customer.owner, `/requests?request=${requestId}`);
  await expect(otherPage.getByRole("dialog")).toContainText("context_length_exceeded");
});
