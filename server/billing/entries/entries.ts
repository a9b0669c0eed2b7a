import { and, desc, eq, inArray, type SQL, sql } from "drizzle-orm";
import { type Nanos, nanos } from "@/server/base/money";
import { type Db, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { type Cut, cuts } from "@/server/domain/enums";
import { type AccountId, madeAt } from "@/server/domain/ids";
import { currentPeriod, periodAfter, periodBefore } from "@/server/domain/period";
import { type Conditions, eachCount } from "@/server/pricing";
import {
  cutNote,
  LATE,
  NOT_BELIEVED,
  OTHER_MODEL,
  readConditions,
  UNREAD_COUNTS,
} from "../holds/charge-notes";

const { ledgerEntries } = tables;

/**
 * An entry as read from the database; `toEntry` converts it to a `LedgerEntry`. Excludes the operator's cost, which
 * only operators may see.
 */
export type EntryRow = Omit<typeof ledgerEntries.$inferSelect, "accountId" | "cost">;

/**
 * A line of the ledger. Prices are for a million tokens, for a unit, or for a video. `requestId`: the call that the
 * entry ends or refunds.
 */
export type LedgerEntry = Omit<EntryRow, "isLost" | "prices"> & {
  requestId: string | null;
  prices: Record<string, Nanos> | null;
};

const columns = {
  id: ledgerEntries.id,
  isLost: ledgerEntries.isLost,
  createdAt: ledgerEntries.createdAt,
  period: ledgerEntries.period,
  kind: ledgerEntries.kind,
  amount: ledgerEntries.amount,
  held: ledgerEntries.held,
  modelId: ledgerEntries.modelId,
  keyId: ledgerEntries.keyId,
  channelId: ledgerEntries.channelId,
  ...eachCount((member) => ledgerEntries[member]),
  reasoningTokens: ledgerEntries.reasoningTokens,
  units: ledgerEntries.units,
  usageSource: ledgerEntries.usageSource,
  prices: ledgerEntries.prices,
  note: ledgerEntries.note,
  chargeId: ledgerEntries.chargeId,
  chargePeriod: ledgerEntries.chargePeriod,
};

/** Selects rows of the ledger, for `toEntry`. */
export const selectRows = (db: Db, where: SQL | undefined) =>
  ormOf(db).select(columns).from(ledgerEntries).where(where);

/** Suffix of a loss entry's name: a call may have a loss and a late capture with the same identifier. */
const LOST = "_lost";

/** Returns the entry's unique name within its month. */
export const entryName = ({ id, isLost }: Pick<EntryRow, "id" | "isLost">): string =>
  isLost ? id + LOST : id;

/** The inverse of `entryName`. */
export const parseEntryName = (name: string): Pick<EntryRow, "id" | "isLost"> =>
  name.endsWith(LOST) ? { id: name.slice(0, -LOST.length), isLost: true } : { id: name, isLost: false };

export const toEntry = ({ id, isLost, prices, ...row }: EntryRow): LedgerEntry => ({
  ...row,
  id: entryName({ id, isLost }),
  requestId: row.kind === "capture" || row.kind === "release" ? id : row.chargeId,
  prices: prices && Object.fromEntries(Object.entries(prices).map(([name, price]) => [name, nanos(price)])),
});

/** The newest entries of one account, newest first. */
export async function listEntries(
  db: Db,
  filter: { accountId: AccountId; limit: number },
): Promise<LedgerEntry[]> {
  const rows = await selectRows(db, eq(ledgerEntries.accountId, filter.accountId))
    .orderBy(desc(ledgerEntries.createdAt), desc(ledgerEntries.id), desc(ledgerEntries.isLost))
    .limit(filter.limit);
  return rows.map(toEntry);
}

/**
 * A call and its account. `id` is also the identifier of its ledger entry, if it moved money; for a video, that of its
 * task.
 */
export type ChargedCall = { id: string; accountId: AccountId };

/**
 * The months that can contain money of these calls: the UTC month in which each was made, and the months before and
 * after it, for other zones and clocks that were set back. Searching every month takes 80 ms for 200 calls in 40
 * months.
 */
function monthsOf(calls: ChargedCall[]): string[] {
  const made = new Set(calls.map(({ id }) => currentPeriod("UTC", madeAt(id))));
  return [...new Set([...made].flatMap((month) => [periodBefore(month), month, periodAfter(month)]))];
}

/**
 * How the money of these calls ended, by id. A capture is the call's price; a release means that it cost nothing. If a
 * late capture followed the release of a lost hold, the result is the capture. A call that is missing from the result
 * froze no money, or has not ended.
 */
export async function findCharges(db: Db, calls: ChargedCall[]): Promise<Map<string, LedgerEntry>> {
  if (calls.length === 0) {
    return new Map();
  }
  const [accountIds, ids] = [calls.map(({ accountId }) => accountId), calls.map(({ id }) => id)];
  const isTheirs = sql`(${ledgerEntries.accountId}, ${ledgerEntries.id}) in (
    select * from unnest(${sql.param(accountIds)}::text[], ${sql.param(ids)}::text[])
  )`;
  // If a call has two entries, the map keeps the one that is not the loss.
  const isThen = inArray(ledgerEntries.period, monthsOf(calls));
  const rows = await selectRows(db, and(isThen, isTheirs)).orderBy(desc(ledgerEntries.isLost));
  return new Map(rows.map((row) => [row.id, toEntry(row)]));
}

type Noted = Pick<LedgerEntry, "kind" | "note">;

const hasNote = ({ kind, note }: Noted, text: string): boolean =>
  kind === "capture" && (note ?? "").split(", ").includes(text);

/** Whether the charge came after its frozen money had been returned. */
export const isLateCharge = (entry: Noted): boolean => hasNote(entry, LATE);

/** Whether the upstream reported far more tokens than is possible, and than was charged. */
export const isNotBelieved = (entry: Noted): boolean => hasNote(entry, NOT_BELIEVED);

/** Whether the upstream reported a count that we cannot read, so that the charge may be too low. */
export const hasUnreadCounts = (entry: Noted): boolean => hasNote(entry, UNREAD_COUNTS);

/** Why the charged answer is incomplete; null: as far as the ledger knows, it is complete. */
export const cutOf = (entry: Noted): Cut | null => cuts.find((cut) => hasNote(entry, cutNote(cut))) ?? null;

/** The conditions of the charge's prices. null: they have none. */
export const conditionsOfCharge = ({ kind, note }: Noted): Conditions | null =>
  kind === "capture" ? ((note ?? "").split(", ").map(readConditions).find(Boolean) ?? null) : null;

/** Whether another model did a part of the work, which was charged at the price of the requested model. */
export const hasOtherModel = (entry: Noted): boolean => hasNote(entry, OTHER_MODEL);
