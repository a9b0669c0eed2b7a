import { type Nanos, nanos } from "@/server/base/money";
import type { Db } from "@/server/db";
import { type CapWindow, capWindows } from "@/server/domain/cap-windows";
import type { AccountId, KeyId } from "@/server/domain/ids";
import { periodBounds } from "@/server/domain/period";
import { getBalance } from "../entries/balances";
import { spendOfKeys } from "../usage/spend";
import { accountsSpentWithin, keysSpentWithin } from "./window-spend";
import { windowsAt } from "./windows";

/** The limit of a window and the spend in it, in nano-units. `until`: when the next window begins. */
export type Allowance = { window: CapWindow; limit: Nanos; used: Nanos; until: Date };

/**
 * A key's spending: its spend in each window, its caps, and its account's limits: the month, and the day if the
 * operator has set one.
 */
export type Standing = {
  spent: Record<CapWindow, Nanos>;
  caps: Allowance[];
  ofAccount: Allowance[];
};

/**
 * The part of a key's spending that its holder sees. `isCapped`: the limit is the key's own cap, not its account's
 * month.
 */
export type HolderAllowance = Allowance & { left: Nanos; isCapped: boolean };

export type AskedStanding = {
  accountId: AccountId;
  keyId: KeyId;
  caps: Record<CapWindow, Nanos | null>;
  /** The limit of the whole account. */
  dailyLimit: Nanos | null;
};

const NOTHING = nanos(0n);

const leftOf = ({ limit, used }: Allowance): bigint => limit - used;

const tightest = (allowances: readonly Allowance[]): Allowance | undefined =>
  allowances.reduce<Allowance | undefined>(
    (least, allowance) => (least === undefined || leftOf(allowance) < leftOf(least) ? allowance : least),
    undefined,
  );

/**
 * The view of a key's holder: the cap with the least left, or the account's month if the key has no caps. A tighter
 * limit lowers `limit`, so that `limit - used` is what the key can spend; looser limits do not show. Money that running
 * calls have frozen is not used yet.
 */
export function seenBy({ caps, ofAccount }: Standing): HolderAllowance {
  const own = tightest(caps) ?? ofAccount.find(({ window }) => window === "month");
  if (!own) {
    throw new Error("an account has a month");
  }
  const all = [...caps, ...ofAccount].map(leftOf);
  const least = all.reduce((a, b) => (a < b ? a : b));
  const left = nanos(least < 0n ? 0n : least);
  return { ...own, limit: nanos(own.used + left), left, isCapped: caps.length > 0 };
}

/**
 * Reads a key's spending at a moment of a billing month. Opens the account's month if necessary, and moves no money.
 */
export async function findStanding(
  db: Db,
  { accountId, keyId, caps, dailyLimit }: AskedStanding,
  { period, timeZone, now }: { period: string; timeZone: string; now: Date },
): Promise<Standing> {
  const windows = windowsAt(now, { period, timeZone });
  const month = await getBalance(db, { accountId, period });
  const ofMonth = await spendOfKeys(db, { keyIds: [keyId], period, accountId });
  const within = async (window: "day" | "week") =>
    (await keysSpentWithin(db, { keyIds: [keyId], window: windows[window], accountId })).get(keyId) ??
    NOTHING;
  const spent = {
    day: await within("day"),
    week: await within("week"),
    month: ofMonth.get(keyId)?.amount ?? NOTHING,
  };
  const ofDay =
    dailyLimit === null
      ? null
      : await accountsSpentWithin(db, { accountIds: [accountId], window: windows.day });
  const until = {
    day: windows.day.until,
    week: windows.week.until,
    month: periodBounds(period, timeZone).end,
  };
  return {
    spent,
    caps: capWindows.flatMap((window) => {
      const limit = caps[window];
      return limit === null ? [] : [{ window, limit, used: spent[window], until: until[window] }];
    }),
    ofAccount: [
      ...(dailyLimit === null
        ? []
        : [
            {
              window: "day" as const,
              limit: dailyLimit,
              used: ofDay?.get(accountId) ?? NOTHING,
              until: until.day,
            },
          ]),
      { window: "month", limit: nanos(month.quota + month.topups), used: month.used, until: until.month },
    ],
  };
}
