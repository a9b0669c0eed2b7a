import type { AccountId } from "@/server/base/ids";
import { type Database, type Db, inStatements, patient } from "@/server/db";
import { listMonths, nextAccounts } from "./extent";
import { type Drift, findDrift, MAX_DRIFTS, type Part } from "./figures";

/** Where a verification goes on: in a month, behind an account (empty: with the first one). */
export type Place = { period: string; after: string };

/** What is verified: everything, but for what is named. `from`: only what comes from there on. */
export type Scope = {
  accountIds?: AccountId[] | undefined;
  periods?: string[] | undefined;
  from?: Place | undefined;
  /** Steps that are read at a time, 1 unless it is said. */
  atOnce?: number | undefined;
  /** Months that are verified by what was summed up when they were closed; by their entries only where that differs. */
  closedMonths?: string[] | undefined;
};

/** What one step has found, and where the next one goes on; null: that was all. */
export type Slice = {
  period: string;
  accounts: number;
  entries: number;
  drift: Drift[];
  /** The month's books are right, but not those that were closed: something has been charged since. */
  isReopened: boolean;
  next: Place | null;
};

/** By as few statements as may be, for each has one snapshot. */
async function findDriftOf(db: Db, part: Part): Promise<{ entries: number; drift: Drift[] }> {
  let [entries, drift] = [0, [] as Drift[]];
  for (const together of inStatements(
    db,
    part.accountIds.map((accountId) => ({ accountId })),
  )) {
    const found = await findDrift(db, { ...part, accountIds: together.map(({ accountId }) => accountId) });
    entries += found.entries;
    drift = [...drift, ...found.drift].slice(0, MAX_DRIFTS);
  }
  return { entries, drift };
}

/** A month of the accounts that are named. */
async function verifyPart(db: Db, part: Part): Promise<Omit<Slice, "next">> {
  const { period, accountIds } = part;
  const found = await findDriftOf(db, part);
  const isDoubtful = part.by === "checkpoints" && found.drift.length > 0;
  const sure = isDoubtful ? await findDriftOf(db, { ...part, by: "entries" }) : found;
  return { period, accounts: accountIds.length, ...sure, isReopened: isDoubtful && sure.drift.length === 0 };
}

/** The accounts of a month one after the other. `last`: the last of a step; null: there are no more. */
async function* verifyMonth(
  db: Db,
  { period, after, by, atOnce }: Place & Pick<Part, "by"> & { atOnce: number },
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
      // The failure is thrown where the step is awaited; an earlier step may fail first.
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
 * Verifies the ledger step by step: the newest month first, and within a month some accounts after the others. Each
 * step compares within one statement, which has one snapshot, so calls may go on; between two steps as much time may
 * pass as one likes. A caller that goes on from `next` at another time misses nothing.
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
    for await (const { last, ...found } of verifyMonth(db, { period, after, by, atOnce })) {
      yield { ...found, next: last === null ? nextMonth : { period, after: last } };
    }
  }
}

/** Every figure that differs, or the first thousand. */
export async function verifyLedger(db: Database, scope: Scope = {}): Promise<Drift[]> {
  const drift: Drift[] = [];
  for await (const slice of verifySlices(patient(db), scope)) {
    drift.push(...slice.drift);
    if (drift.length >= MAX_DRIFTS) {
      break;
    }
  }
  return drift;
}
