import { accountPage } from "../pages/account-page";
import { deployment } from "../support/deployment";
import { expect, test } from "../support/flow";
import { callerWith } from "../support/gateway";
import { openSession } from "../support/session";

test.use({ quota: "0.0005" });

test("an account that has spent its quota is refused with 402 until an operator tops it up", async ({
  page,
  t,
  customer,
}) => {
  const { chat } = callerWith(await customer.newKey("shop"));
  expect(await chat()).toBe(200);
  await expect.poll(() => chat(), { intervals: [1] }).toBe(402);

  await openSession(page.request, deployment.admin());
  const account = accountPage(page, t);
  await account.find(customer.name);
  await account.topUp({ amount: "1", reason: "invoice 118 paid" });
  expect(await chat()).toBe(200);
});
