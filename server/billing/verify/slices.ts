import { type Database, type Db, inStatements, patient } from "@/server/db";
import type { AccountId } from "@/server/domain/ids";
import { findDayDrift, isOfDays } from "./day-drift";
import { type Differences, type Drift, MAX_DRIFTS, together } from "./drift";
import { listMonths, nextAccounts } from "./extent";
import { findDrift, type MonthPart } from "./figures";

/** Where a verification continues: in a month, after an account (empty: with the first one). */
export type VerifyCursor = { period: string; after: string };

/** The scope of a verification; missing fields do not restrict it. `from`: starts there. */
export type Scope = {
  accountIds?: AccountId[] | undefined;
  periods?: string[] | undefined;
  from?: VerifyCursor | undefined;
  /** Number of steps to read at the same time. Default: 1. */
  atOnce?: number | undefined;
  /** Months to verify by their stored sums; their entries are read only if these differ. */
  closedMonths?: string[] | undefined;
};

/** The result of one step, and where the next one continues; null: that was the last. */
export type Slice = Differences & {
  period: string;
  accounts: number;
  entries: number;
  /** The month's books are right, but differ from its stored sums: something was charged after it was closed. */
  isReopened: boolean;
  next: VerifyCursor | null;
};

/** Uses as few statements as possible, because each has one snapshot. */
async function findDriftOf(db: Db, part: MonthPart): Promise<Differences & { entries: number }> {
  let entries = 0;
  let [money, ofDays] = [together([]), together([])];
  for (const accounts of inStatements(
    db,
    part.accountIds.map((accountId) => ({ accountId })),
  )) {
    const some = { ...part, accountIds: accounts.map(({ accountId }) => accountId) };
    const result = await findDrift(db, some);
    entries += result.entries;
    money = together([money, result]);
    // The days of a closed month change no more, and have been compared before.
    if (part.by !== "checkpoints") {
      ofDays = together([ofDays, await findDayDrift(db, some)]);
    }
  }
  // Money first: what pages show must not push it out.
  return { entries, ...together([money, ofDays]) };
}

/** Verifies a month of the given accounts. */
async function verifyPart(db: Db, part: MonthPart): Promise<Omit<Slice, "next">> {
  const { period, accountIds } = part;
  const result = await findDriftOf(db, part);
  const isDoubtful = part.by === "checkpoints" && result.drift.length > 0;
  const sure = isDoubtful ? await findDriftOf(db, { ...part, by: "entries" }) : result;
  return {
    period,
    accounts: accountIds.length,
    ...sure,
    isReopened: isDoubtful && sure.drift.every(isOfDays),
  };
}

/** Verifies the accounts of a month in order. `last`: the last account of a step; null: there are no more. */
async function* verifyMonth(
  db: Db,
  { period, after, by, atOnce }: VerifyCursor & Pick<MonthPart, "by"> & { atOnce: number },
): AsyncGenerator<Omit<Slice, "next"> & { last: string | null }> {
  const underWay: ReturnType<typeof verifyStep>[] = [];
  async function verifyStep(accountIds: AccountId[], last: string | null) {
    return { ...(await verifyPart(db, { period, accountIds, by })), last };
  }
  for (let from: string | null = after; from !== null || underWay.length > 0; ) {
    while (from !== null && underWay.length < atOnce) {
      const { accountIds, isEnd } = await nextAccounts(db, { period, after: from });
      from = isEnd ? null : (accountIds.at(-1) ?? null);
      const step = verifyStep(accountIds, from);
      // The error is thrown where the step is awaited; an earlier step may fail first.
      step.catch(() => {});
      underWay.push(step);
    }
    const [first] = underWay.splice(0, 1);
    if (first) {
      yield await first;
    }
  }
}

/**
 * Verifies the ledger step by step, the newest month first, and within a month the accounts in order. Each step
 * compares within one statement, which has one snapshot, and the days in another, so calls may continue. Any amount of
 * time may pass between two steps: a caller that later continues from `next` misses nothing.
 */
export async function* verifySlices(
  db: Db,
  { accountIds, periods, from, closedMonths, atOnce = 1 }: Scope,
): AsyncGenerator<Slice> {
  const months = (periods ?? (await listMonths(db, accountIds))).filter(
    (period) => from === undefined || period <= from.period,
  );
  for (const [index, period] of months.entries()) {
    const older = months[index + 1];
    const by = closedMonths?.includes(period) ? "checkpoints" : "entries";
    const nextMonth = older === undefined ? null : { period: older, after: "" };
    if (accountIds !== undefined) {
      yield { ...(await verifyPart(db, { period, accountIds, by })), next: nextMonth };
      continue;
    }
    const after = from?.period === period ? from.after : "";
    for await (const { last, ...part } of verifyMonth(db, { period, after, by, atOnce })) {
      yield { ...part, next: last === null ? nextMonth : { period, after: last } };
    }
  }
}

/** Figures that differ: up to a thousand, and after them up to a thousand sums of days. */
export async function verifyLedger(db: Database, scope: Scope = {}): Promise<Drift[]> {
  const [drift, ofDays]: [Drift[], Drift[]] = [[], []];
  for await (const slice of verifySlices(patient(db), scope)) {
    for (const each of slice.drift) {
      const kind = isOfDays(each) ? ofDays : drift;
      if (kind.length < MAX_DRIFTS) {
        kind.push(each);
      }
    }
    if (drift.length >= MAX_DRIFTS) {
      break;
    }
  }
  return [...drift, ...ofDays];
}
