import type { ApiKey } from "@/server/access";
import { systemClock } from "@/server/base/clock";
import { type Nanos, nanos } from "@/server/base/money";
import { accountsSpentWithin, currentWindows, keysSpentWithin } from "@/server/billing";
import type { CapWindow } from "@/server/domain/cap-windows";
import type { AccountId, KeyId } from "@/server/domain/ids";
import { periodBounds } from "@/server/domain/period";
import type { QueryContext } from "./query";

/** A cap, and the charges in its current window. `isOver`: nothing is left until `until`. */
export type CapUse = { window: CapWindow; cap: Nanos; spent: Nanos; isOver: boolean; until: Date };

const withOver = (use: Omit<CapUse, "isOver">): CapUse => ({ ...use, isOver: use.spent >= use.cap });

const NOTHING = nanos(0n);

type Capped = Pick<ApiKey, "id" | "dailyCap" | "weeklyCap" | "monthlyCap">;

/** The caps of some keys and their use, the shortest window first. `spent`: in the current month. */
export async function capUseOfKeys(
  { db, billing, config }: QueryContext,
  keys: Capped[],
  { spent, accountId }: { spent: (keyId: KeyId) => Nanos; accountId?: AccountId | undefined },
): Promise<Map<KeyId, CapUse[]>> {
  const timeZone = config.BILLING_TIMEZONE;
  const windows = currentWindows(timeZone, systemClock());
  const spentWithin = async (window: "day" | "week", name: "dailyCap" | "weeklyCap") => {
    const keyIds = keys.filter((key) => key[name] !== null).map(({ id }) => id);
    return keyIds.length === 0
      ? new Map<KeyId, Nanos>()
      : await keysSpentWithin(db, { keyIds, window: windows[window], accountId });
  };
  const [today, thisWeek] = [await spentWithin("day", "dailyCap"), await spentWithin("week", "weeklyCap")];
  const monthEnd = periodBounds(billing.period(), timeZone).end;
  return new Map(
    keys.map(({ id, dailyCap, weeklyCap, monthlyCap }) => {
      const caps = [
        { window: "day" as const, cap: dailyCap, spent: today.get(id), until: windows.day.until },
        { window: "week" as const, cap: weeklyCap, spent: thisWeek.get(id), until: windows.week.until },
        { window: "month" as const, cap: monthlyCap, spent: spent(id), until: monthEnd },
      ];
      const uses = caps.flatMap((entry) =>
        entry.cap === null ? [] : [withOver({ ...entry, cap: entry.cap, spent: entry.spent ?? NOTHING })],
      );
      return [id, uses];
    }),
  );
}

/** The use of accounts' daily limits; an account without a limit is left out. */
export async function dailyUseOfAccounts(
  { db, config }: QueryContext,
  accounts: { id: AccountId; dailyLimit: Nanos | null }[],
): Promise<Map<AccountId, CapUse>> {
  const limited = accounts.flatMap(({ id, dailyLimit }) =>
    dailyLimit === null ? [] : [{ id, cap: dailyLimit }],
  );
  if (limited.length === 0) {
    return new Map();
  }
  const { day } = currentWindows(config.BILLING_TIMEZONE, systemClock());
  const spent = await accountsSpentWithin(db, { accountIds: limited.map(({ id }) => id), window: day });
  return new Map(
    limited.map(({ id, cap }) => [
      id,
      withOver({ window: "day", cap, spent: spent.get(id) ?? NOTHING, until: day.until }),
    ]),
  );
}
