import { and, desc, eq, inArray, type SQL, sql } from "drizzle-orm";
import { type Cut, cuts } from "@/server/base/facts";
import { type AccountId, madeAt } from "@/server/base/ids";
import { type Nanos, nanos } from "@/server/base/money";
import { currentPeriod, periodAfter, periodBefore } from "@/server/base/period";
import { type Db, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { cutNote, LATE, NOT_BELIEVED, OTHER_MODEL, UNREAD_COUNTS } from "./settlements";

const { ledgerEntries } = tables;

/** As it is read: `toEntry` makes a line of it. What it cost its operator is for nobody else's eyes. */
export type EntryRow = Omit<typeof ledgerEntries.$inferSelect, "accountId" | "cost">;

/** A line of the ledger. Prices are of a million tokens, of a unit, or of a video. `requestId`: whose end, or whose refund, it is. */
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
  inputTokens: ledgerEntries.inputTokens,
  cacheReadTokens: ledgerEntries.cacheReadTokens,
  cacheWriteTokens: ledgerEntries.cacheWriteTokens,
  cacheWrite1hTokens: ledgerEntries.cacheWrite1hTokens,
  outputTokens: ledgerEntries.outputTokens,
  reasoningTokens: ledgerEntries.reasoningTokens,
  units: ledgerEntries.units,
  usageSource: ledgerEntries.usageSource,
  prices: ledgerEntries.prices,
  note: ledgerEntries.note,
  chargeId: ledgerEntries.chargeId,
  chargePeriod: ledgerEntries.chargePeriod,
};

/** Rows of the ledger, to be made entries of. */
export const selectRows = (db: Db, where: SQL | undefined) =>
  ormOf(db).select(columns).from(ledgerEntries).where(where);

/** A call may have two. */
const LOST = "_lost";

/** What names an entry within its month. */
export const entryName = ({ id, isLost }: Pick<EntryRow, "id" | "isLost">): string =>
  isLost ? id + LOST : id;

/** What `entryName` was made of. */
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

/** A call by its account; in the ledger, where it has moved money, under `id`: a video's is its task's. */
export type Charged = { id: string; accountId: AccountId };

/**
 * The months in which money of these calls can be: that of UTC in which each was made, and those beside it, for other
 * zones and clocks that were set back. To look into every month that there is takes 80 ms for 200 calls in 40 months.
 */
function monthsOf(calls: Charged[]): string[] {
  const made = new Set(calls.map(({ id }) => currentPeriod("UTC", madeAt(id))));
  return [...new Set([...made].flatMap((month) => [periodBefore(month), month, periodAfter(month)]))];
}

/**
 * How the money of these calls ended, by id: a capture is what it cost, after a release it cost nothing; where a late
 * capture came after the release of a lost hold, it is the capture. What is not in the answer froze no money, or has not
 * ended.
 */
export async function findCharges(db: Db, calls: Charged[]): Promise<Map<string, LedgerEntry>> {
  if (calls.length === 0) {
    return new Map();
  }
  const [accountIds, ids] = [calls.map(({ accountId }) => accountId), calls.map(({ id }) => id)];
  const isTheirs = sql`(${ledgerEntries.accountId}, ${ledgerEntries.id}) in (
    select * from unnest(${sql.param(accountIds)}::text[], ${sql.param(ids)}::text[])
  )`;
  // Of two, the one that stays is not the loss.
  const isThen = inArray(ledgerEntries.period, monthsOf(calls));
  const rows = await selectRows(db, and(isThen, isTheirs)).orderBy(desc(ledgerEntries.isLost));
  return new Map(rows.map((row) => [row.id, toEntry(row)]));
}

type Noted = Pick<LedgerEntry, "kind" | "note">;

const hasNote = ({ kind, note }: Noted, wanted: string): boolean =>
  kind === "capture" && (note ?? "").split(", ").includes(wanted);

/** Whether a charge came after what was frozen for it had been returned. */
export const isLateCharge = (entry: Noted): boolean => hasNote(entry, LATE);

/** Whether its upstream counted far more than was charged, and than can be. */
export const isNotBelieved = (entry: Noted): boolean => hasNote(entry, NOT_BELIEVED);

/** Whether its upstream said a count that is not understood, so that it may have been charged too little. */
export const hasUnreadCounts = (entry: Noted): boolean => hasNote(entry, UNREAD_COUNTS);

/** Why the answer that was charged is not whole; null: it is, as far as the ledger says. */
export const cutOf = (entry: Noted): Cut | null => cuts.find((cut) => hasNote(entry, cutNote(cut))) ?? null;

/** Whether a part of what was charged, at the price of the model that was called, was another model's work. */
export const hasOtherModel = (entry: Noted): boolean => hasNote(entry, OTHER_MODEL);
