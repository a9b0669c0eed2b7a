import { nanos } from "@/server/base/money";
import type { AccountId } from "@/server/domain/ids";
import type { openBillingRoom } from "./billing-room";
import { chargeOf } from "./ledger";

type Room = Awaited<ReturnType<typeof openBillingRoom>>;

/** An account that has paid 40 by a key under a cap, and has 25 frozen. */
export async function payingAccount(room: Room, quota = 1_000n): Promise<AccountId> {
  const { billing } = room.replica();
  const accountId = await room.account(quota);
  const paid = await billing.hold({ ...room.payer(accountId, 500n), amount: nanos(50n) });
  await billing.capture(paid, chargeOf(40n));
  await billing.hold({ ...room.payer(accountId, 500n), amount: nanos(25n) });
  return accountId;
}
