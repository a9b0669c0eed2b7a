import { unlessAborted } from "@/server/base/deadline";
import { inDecimals } from "@/server/base/money";
import {
  findOutageSales,
  latestClosings,
  type Place,
  type Scope,
  type Slice,
  verifySlices,
} from "@/server/billing";
import { patient } from "@/server/db";
import { accountOf } from "./account-flag";
import { type Command, type CommandContext, type FlagValues, text, UsageError } from "./command";
import { CheckFailed, reasonOf } from "./findings";
import { Found, MAX_SHOWN } from "./ledger-found";
import { shown } from "./render";

export const scopeFlags: Command["flags"] = {
  account: { type: "string" },
  month: { type: "string" },
  from: { type: "string" },
  entries: { type: "boolean" },
};

const MONTH = "\\d{4}-(?:0[1-9]|1[0-2])";

export function monthOf(value: string): string {
  if (!new RegExp(`^${MONTH}$`).test(value)) {
    throw new UsageError("--month must be a month such as 2026-01");
  }
  return value;
}

/** As many slices as a command has connections: each keeps one of the database's processors busy. */
const AT_ONCE = 2;

/** A longer run reports its progress this often. */
const TELL_EVERY_MS = 5_000;

function placeOf(values: FlagValues): Place | undefined {
  const value = text(values, "from");
  const [, period, after] = new RegExp(`^(${MONTH}):(\\S*)$`).exec(value ?? "") ?? [];
  if (value !== undefined && (period === undefined || after === undefined)) {
    throw new UsageError("--from must be a position that an earlier run printed, such as 2026-01:acc_...");
  }
  return period === undefined || after === undefined ? undefined : { period, after };
}

/** Closed months are verified by their sums, unless a month or all entries are requested. */
async function closedMonths({ database }: CommandContext, values: FlagValues): Promise<string[] | undefined> {
  return values.entries === true || values.month !== undefined
    ? undefined
    : [...(await latestClosings(patient(database))).keys()];
}

/** The charges that outage allowances paid, within the scope of the flags. */
export async function outageSales(context: CommandContext, values: FlagValues) {
  const month = text(values, "month");
  const accountId = await accountOf(context, values);
  const sales = await findOutageSales(context.db, {
    accountIds: accountId === undefined ? undefined : [accountId],
    periods: month === undefined ? undefined : [monthOf(month)],
    limit: MAX_SHOWN,
  });
  return inDecimals(sales).map(({ name: _, ...row }) => shown(row, { accountId: "account" }));
}

async function scopeOf(context: CommandContext, values: FlagValues): Promise<Scope> {
  const month = text(values, "month");
  const accountId = await accountOf(context, values);
  return {
    accountIds: accountId === undefined ? undefined : [accountId],
    periods: month === undefined ? undefined : [monthOf(month)],
    from: placeOf(values),
    atOnce: AT_ONCE,
    closedMonths: await closedMonths(context, values),
  };
}

/**
 * Verifies the scope of the flags slice by slice. `act` gets each slice, and the signal of an interruption. On an error, and
 * if too many differences are in `found` to go on, throws with the place where the next run can continue, and with the
 * rows of `found`, introduced by `words`.
 */
export async function eachSlice(
  context: CommandContext,
  values: FlagValues,
  { found, words, act }: { found: Found; words: string; act: (slice: Slice, stop: AbortSignal) => unknown },
): Promise<void> {
  const stop = new AbortController();
  context.onInterrupt(() => stop.abort(new Error("interrupted")));
  const slices = verifySlices(patient(context.database), await scopeOf(context, values));
  let next: Place | null = placeOf(values) ?? null;
  let [entries, differences] = [0, 0];
  let toldAt = Date.now();
  const resumeHint = () => (next ? `; continue with --from ${next.period}:${next.after}` : "");
  try {
    for (;;) {
      const { value: slice, done } = await unlessAborted(slices.next(), stop.signal);
      if (done || !slice) {
        return;
      }
      await act(slice, stop.signal);
      next = slice.next;
      entries += slice.entries;
      differences += slice.count;
      if (found.isFull && next) {
        throw new Error("too many differences to show");
      }
      if (Date.now() - toldAt > TELL_EVERY_MS) {
        toldAt = Date.now();
        context.tell(`${slice.period}: ${entries} entries read, ${differences} differences${resumeHint()}`);
      }
    }
  } catch (error) {
    const unfinished = `the check is incomplete: ${reasonOf(error)}${resumeHint()}`;
    throw found.count > 0
      ? new CheckFailed(`${words}${found.leftOutWords()}, and ${unfinished}`, found.rows())
      : new Error(unfinished);
  }
}

/** The differences within the scope of the flags. */
export async function check(context: CommandContext, values: FlagValues): Promise<Found> {
  const found = new Found();
  const act = (slice: Slice) => found.add(slice);
  await eachSlice(context, values, { found, words: "the ledger has drifted", act });
  return found;
}
