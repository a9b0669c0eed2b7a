import type { AccountId } from "@/server/base/ids";
import { type Database, type Db, patient } from "@/server/db";
import { listMonths, nextAccounts } from "./extent";
import { type Drift, findDrift, MAX_DRIFTS, type Part } from "./figures";
import { findStrayKeys } from "./stray-keys";

/** Where a verification goes on: in a month, behind an account (empty: with the first one). */
export type Place = { period: string; after: string };

/** What is verified: everything, but for what is named. `from`: only what comes from there on. */
export type Scope = {
  accountIds?: AccountId[] | undefined;
  periods?: string[] | undefined;
  from?: Place | undefined;
};

/** What one step has found, and where the next one goes on; null: that was all. */
export type Slice = {
  period: string;
  accounts: number;
  entries: number;
  drift: Drift[];
  next: Place | null;
};

/** A month of the accounts that are named. */
export async function verifyAccounts(db: Db, part: Part): Promise<Omit<Slice, "next">> {
  const { period, accountIds } = part;
  const { entries, drift } = await findDrift(db, part);
  const strays = await findStrayKeys(db, period, accountIds);
  return { period, accounts: accountIds.length, entries, drift: [...drift, ...strays] };
}

/** The accounts of a month that come next; behind the last ones, keys of which no account knows. */
async function verifyNext(db: Db, place: Place): Promise<Omit<Slice, "next"> & { last: string | null }> {
  const { period } = place;
  const { accountIds, isEnd } = await nextAccounts(db, place);
  const { entries, drift } =
    accountIds.length === 0 ? { entries: 0, drift: [] } : await findDrift(db, { period, accountIds });
  const strays = isEnd ? await findStrayKeys(db, period) : [];
  const last = isEnd ? null : (accountIds.at(-1) ?? null);
  return { period, accounts: accountIds.length, entries, drift: [...drift, ...strays], last };
}

/**
 * Verifies the ledger step by step: the newest month first, and within a month some accounts after the others. Each
 * step compares within one statement, which has one snapshot, so calls may go on; between two steps as much time may
 * pass as one likes. Whoever has come to `next` and goes on from there another time misses nothing.
 */
export async function* verifySlices(db: Db, { accountIds, periods, from }: Scope): AsyncGenerator<Slice> {
  const months = (periods ?? (await listMonths(db, accountIds))).filter(
    (period) => from === undefined || period <= from.period,
  );
  for (const [index, period] of months.entries()) {
    const older = months[index + 1];
    const nextMonth = older === undefined ? null : { period: older, after: "" };
    if (accountIds !== undefined) {
      yield { ...(await verifyAccounts(db, { period, accountIds })), next: nextMonth };
      continue;
    }
    let after: string | null = from?.period === period ? from.after : "";
    while (after !== null) {
      const { last, ...found } = await verifyNext(db, { period, after });
      after = last;
      yield { ...found, next: after === null ? nextMonth : { period, after } };
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
