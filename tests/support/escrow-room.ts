import { nanos } from "@/server/base/money";
import type { Billing, Hold } from "@/server/billing";
import { sqlOf } from "@/server/db/handles";
import type { AccountId } from "@/server/domain/ids";
import { billingRoom } from "./billing-room";
import { chargeOf } from "./ledger";
import { until } from "./until";

/** A billing room for a file's tests, whose payers are busy after one charge. Its ledger is verified at the end. */
export function escrowRoom() {
  const { room, replica } = billingRoom({ leaseSeconds: 3, busyCalls: 1 });
  const call = (billing: Billing, accountId: AccountId, want: { amount?: bigint; keyCap?: bigint } = {}) =>
    billing.hold({ ...room.payer(accountId, want.keyCap), amount: nanos(want.amount ?? 10n) });

  return {
    room,
    replica,
    call,
    escrows: async (accountId: AccountId) => [
      ...(await sqlOf(room.ledger.db)<{ id: string; amount: string; captured: string }[]>`
        select request_id as id, amount::text, captured::text from holds
        where account_id = ${accountId} and process_id is not null order by 1`),
    ],
    /**
     * Makes the account busy in a process, so that it has an escrow there. Returns the hold of a call that the escrow
     * pays.
     */
    busy: async (billing: Billing, accountId: AccountId, want: { keyCap?: bigint } = {}): Promise<Hold> => {
      let last: Hold | null = null;
      await until(async () => {
        if (last) {
          await billing.capture(last, chargeOf(1n));
        }
        last = await call(billing, accountId, want);
        return last.drawn !== null;
      });
      if (last === null) {
        throw new Error("never busy");
      }
      return last;
    },
  };
}
