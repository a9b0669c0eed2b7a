import { isSum, type Slice, verifySlices } from "@/server/billing";
import { patient } from "@/server/db";
import type { AccountId } from "@/server/domain/ids";
import { ledgerOperations } from "@/server/operations";
import type { CommandContext, FlagValues } from "./command";
import { CheckFailed } from "./findings";
import { eachSlice } from "./ledger-check";
import { Found } from "./ledger-found";
import { operate } from "./operate";

const LEFT = "these cannot be corrected here: they are not sums, or their entries are archived";

/** Ends a repair that corrects the same sums each time. */
const MAX_REPAIRS = 1_000;

type Month = { accountId: AccountId; period: string };

async function verifyMonth({ database }: CommandContext, { accountId, period }: Month): Promise<Slice> {
  const scope = { accountIds: [accountId], periods: [period] };
  for await (const slice of verifySlices(patient(database), scope)) {
    return slice;
  }
  throw new Error(`${period} was not verified`);
}

/**
 * Corrects the sums of one account's month, in as many transactions as it takes: each corrects the first differences. Ends
 * when none is left that is a sum, or a transaction has corrected none. A corrected sum can show another difference, so
 * their number may grow meanwhile. Adds to `left` the differences that a
 * last verification finds.
 */
async function mendMonth(
  context: CommandContext,
  month: Month,
  { mended, left }: { mended: Found; left: Found },
): Promise<void> {
  const patiently = { ...context, db: patient(context.database) };
  const first = await verifyMonth(context, month);
  let rest = first;
  let listed = 0;
  for (let repairs = 0; rest.drift.some(isSum) && repairs < MAX_REPAIRS; repairs++) {
    const { mended: drift } = await operate(patiently, ledgerOperations.repair, month);
    if (drift.length === 0) {
      break;
    }
    mended.add({ drift, count: drift.length });
    listed += drift.length;
    rest = await verifyMonth(context, month);
  }
  left.add(rest);
  if (first.count > first.drift.length) {
    // Sums of days and hours are corrected all together, also those that no transaction lists.
    mended.add({ drift: [], count: Math.max(first.count - rest.count - listed, 0) });
  }
}

/**
 * Corrects every sum within the scope of the flags that does not match its entries, month by month, so that no month is
 * locked while others are repaired. Returns the corrected ones. Throws Findings if a difference is left.
 */
export async function mend(context: CommandContext, values: FlagValues): Promise<Found> {
  const [mended, left] = [new Found(), new Found()];
  const act = async ({ accountIds, period }: Slice, stop: AbortSignal) => {
    for (const accountId of accountIds) {
      stop.throwIfAborted();
      await mendMonth(context, { accountId, period }, { mended, left });
    }
  };
  await eachSlice(context, values, { found: left, words: LEFT, act });
  if (left.count > 0) {
    if (mended.count > 0) {
      context.tell(`${mended.count} sums were corrected; the audit log has them`);
    }
    throw new CheckFailed(`${LEFT}${left.leftOutWords()}`, left.rows());
  }
  return mended;
}
