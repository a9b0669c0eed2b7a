import { answerWith, usage } from "@/tests/support/upstream";
import { startReceiver, verified } from "@/tests/support/webhook-receiver";
import { enter } from "../pages/sign-in-page";
import { uniqueName } from "../support/customer";
import { expect, test } from "../support/flow";
import { callerWith } from "../support/gateway";
import { sellOn } from "../support/sold";

test.use({ quota: "1" });

test("an owner chooses their e-mail alerts, and a webhook that its receiver verifies warns at 80 % of the quota", async ({
  page,
  t,
  operator,
  customer,
  upstream,
}) => {
  const receiver = await startReceiver();
  const model = uniqueName("model");
  await sellOn(operator, { model, upstream });
  upstream.answer(answerWith("All is well.", usage(850_000, 10)));

  const { email } = customer.owner;
  await enter(page, customer.owner, "/notifications");
  const row = page
    .getByRole("table", { name: t("alerts.title"), exact: true })
    .getByRole("row", { name: email });
  await row.getByRole("button", { name: t("alerts.choose") }).click();
  const alerts = page.getByRole("dialog", { name: t("alerts.chooseTitle", { email }) });
  await alerts.getByRole("button", { name: t("alerts.chooseAction"), exact: true }).click();
  await expect(row).toContainText(t("webhooks.eventName.quota_threshold"));
  await expect(alerts).toBeHidden();

  await page
    .getByRole("button", { name: t("webhooks.create"), exact: true })
    .first()
    .click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel(t("webhooks.url")).fill("nowhere");
  await dialog.getByRole("button", { name: t("webhooks.createAction"), exact: true }).click();
  await expect(dialog.getByText(t("webhooks.urlNeeded"))).toBeVisible();
  await dialog.getByLabel(t("webhooks.url")).fill(receiver.url);
  await dialog.getByRole("button", { name: t("webhooks.createAction"), exact: true }).click();
  const secret = await dialog.getByLabel(t("webhooks.secretLabel"), { exact: true }).innerText();
  await dialog.getByRole("button", { name: t("keys.done"), exact: true }).click();
  await dialog.getByRole("button", { name: t("keys.notCopiedClose"), exact: true }).click();
  await expect(dialog).toBeHidden();

  await page.getByRole("button", { name: t("webhooks.test"), exact: true }).click();
  const deliveries = page.getByRole("table", { name: t("webhooks.deliveries") });
  await expect(deliveries.getByRole("row", { name: "webhook.test" })).toContainText(t("webhooks.delivered"));
  const [first] = receiver.received;
  expect(first && verified(secret, first)).toMatchObject({ type: "webhook.test" });

  const caller = callerWith(await customer.newKey("app"));
  await expect.poll(() => caller.chat(model)).toBe(200);
  const delivery = deliveries.getByRole("row", { name: "quota.threshold" });
  await expect(delivery).toContainText(t("webhooks.delivered"));
  const last = receiver.received.at(-1);
  expect(last && verified(secret, last)).toMatchObject({
    type: "quota.threshold",
    data: { account_id: customer.accountId, percent: 80, quota: "1", used: "0.85001" },
  });
  await delivery.getByRole("button", { name: t("webhooks.redeliver") }).click();
  await expect.poll(() => receiver.received.length).toBe(3);
  expect(receiver.received[2]?.headers["webhook-id"]).toBe(last?.headers["webhook-id"]);
  receiver.close();
});
