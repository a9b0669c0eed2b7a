import { keysPage } from "../pages/keys-page";
import { shell } from "../pages/shell";
import { signIn } from "../pages/sign-in-page";
import { expect, test } from "../support/flow";
import { callerWith } from "../support/gateway";

test("a key that has spent its cap is refused, and the account's other keys are not", async ({
  page,
  t,
  customer,
}) => {
  await signIn(page, t, customer.owner);
  await shell(page, t).goTo(t("shell.keys"));
  const keys = keysPage(page, t);
  const capped = callerWith(await keys.create("capped", { cap: "0.0005" }));
  await keys.leaveSecret();
  await expect.poll(() => capped.chat(), { intervals: [1] }).toBe(402);
  expect(await callerWith(await customer.newKey("free")).chat()).toBe(200);
});
