import { and, desc, eq, inArray, type SQL } from "drizzle-orm";
import type { AccountId } from "@/server/base/ids";
import { type Nanos, nanos } from "@/server/base/money";
import { type Db, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { LATE, OTHER_MODEL } from "./settlements";

const { ledgerEntries } = tables;

/** As it is read: `toEntry` makes a line of it. */
export type EntryRow = Omit<typeof ledgerEntries.$inferSelect, "accountId">;

/** A line of the ledger. Prices are of a million tokens, or of a video. */
export type LedgerEntry = Omit<EntryRow, "id" | "prices"> & {
  id: string;
  prices: Record<string, Nanos> | null;
};

const columns = {
  id: ledgerEntries.id,
  createdAt: ledgerEntries.createdAt,
  period: ledgerEntries.period,
  kind: ledgerEntries.kind,
  amount: ledgerEntries.amount,
  requestId: ledgerEntries.requestId,
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
  usageSource: ledgerEntries.usageSource,
  prices: ledgerEntries.prices,
  note: ledgerEntries.note,
};

/** Rows of the ledger, to be made entries of. */
export const selectRows = (db: Db, where: SQL | undefined) =>
  ormOf(db).select(columns).from(ledgerEntries).where(where);

export const toEntry = ({ id, prices, ...row }: EntryRow): LedgerEntry => ({
  ...row,
  id: id.toString(),
  prices: prices && Object.fromEntries(Object.entries(prices).map(([name, price]) => [name, nanos(price)])),
});

/** The newest entries of one account, newest first. */
export async function listEntries(
  db: Db,
  filter: { accountId: AccountId; limit: number },
): Promise<LedgerEntry[]> {
  const rows = await selectRows(db, eq(ledgerEntries.accountId, filter.accountId))
    .orderBy(desc(ledgerEntries.id))
    .limit(filter.limit);
  return rows.map(toEntry);
}

/**
 * How the money of these requests ended, by request id (a video's is its task's id): a capture is what it cost, after
 * a release it cost nothing; where a late capture came after the release of a lost hold, it is the capture. What is
 * not in the answer froze no money, or has not ended. `accountId`: whose.
 */
export async function findCharges(
  db: Db,
  requestIds: string[],
  accountId?: AccountId,
): Promise<Map<string, LedgerEntry>> {
  const isTheirs = and(
    inArray(ledgerEntries.requestId, requestIds),
    accountId === undefined ? undefined : eq(ledgerEntries.accountId, accountId),
  );
  // Of two, the capture comes last and stays.
  const rows =
    requestIds.length === 0 ? [] : await selectRows(db, isTheirs).orderBy(desc(ledgerEntries.kind));
  return new Map(rows.map((row) => [row.requestId ?? "", toEntry(row)]));
}

type Noted = Pick<LedgerEntry, "kind" | "note">;

const hasNote = ({ kind, note }: Noted, wanted: string): boolean =>
  kind === "capture" && (note ?? "").split(", ").includes(wanted);

/** Whether a charge came after what was frozen for it had been returned. */
export const isLateCharge = (entry: Noted): boolean => hasNote(entry, LATE);

/** Whether a part of what was charged, at the price of the model that was called, was another model's work. */
export const hasOtherModel = (entry: Noted): boolean => hasNote(entry, OTHER_MODEL);
