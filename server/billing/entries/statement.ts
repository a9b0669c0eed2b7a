import { and, asc, desc, eq, sql } from "drizzle-orm";
import { type Db, findPage, type Keyset, type Page, type PageQuery, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import type { AccountId } from "@/server/domain/ids";
import { type Balance, figures, toBalance } from "./balances";
import { type EntryRow, entryName, type LedgerEntry, parseEntryName, selectRows, toEntry } from "./entries";

const { accountMonths, ledgerEntries } = tables;

/** One month of an account. */
type StatementMonth = { accountId: AccountId; period: string };

const ofMonth = ({ accountId, period }: StatementMonth) =>
  and(eq(ledgerEntries.accountId, accountId), eq(ledgerEntries.period, period));

/** Captures use the index of the whole month; other kinds use an index without captures. */
function ofKind(kind: LedgerEntry["kind"] | undefined) {
  if (kind === undefined) {
    return undefined;
  }
  const isKind = eq(ledgerEntries.kind, kind);
  return kind === "capture" ? isKind : and(sql`${ledgerEntries.kind} <> 'capture'`, isKind);
}

/** An entry's place in the order of time. All entries of one statement have the same moment. */
type EntryPosition = Pick<EntryRow, "createdAt" | "id" | "isLost">;

const { createdAt, id, isLost } = ledgerEntries;
const place = sql`(${createdAt}, ${id}, ${isLost})`;
const placeOf = (entry: EntryPosition) =>
  sql`(${entry.createdAt.toISOString()}::timestamptz, ${entry.id}, ${entry.isLost})`;

const newestFirst: Keyset<EntryPosition> = {
  orderBy: [desc(createdAt), desc(id), desc(isLost)],
  cursorOf: (entry) => `${entry.createdAt.getTime()}.${entryName(entry)}`,
  behind: (cursor) => {
    const [, time, name] = /^(\d{1,14})\.([\w-]{1,100})$/.exec(cursor) ?? [];
    return time === undefined || name === undefined
      ? undefined
      : sql`${place} < ${placeOf({ createdAt: new Date(Number(time)), ...parseEntryName(name) })}`;
  },
};

/** One page of a month's entries, newest first. Throws Refusal if the cursor is invalid. */
export async function listStatement(
  db: Db,
  { kind, ...month }: StatementMonth & { kind?: LedgerEntry["kind"] | undefined },
  page: PageQuery,
): Promise<Page<LedgerEntry>> {
  const { rows, nextCursor } = await findPage<EntryRow>(newestFirst, page, ({ behind, orderBy, limit }) =>
    selectRows(db, and(ofMonth(month), ofKind(kind), behind))
      .orderBy(...orderBy)
      .limit(limit),
  );
  return { rows: rows.map(toEntry), nextCursor };
}

const EXPORT_ROWS = 500;

/**
 * All entries of a month, oldest first, in batches. Each batch is a separate query, so a slow reader does not block a
 * connection.
 */
export async function* exportStatement(db: Db, month: StatementMonth): AsyncGenerator<LedgerEntry[]> {
  let last: EntryRow | undefined;
  for (;;) {
    const rows: EntryRow[] = await selectRows(
      db,
      and(ofMonth(month), last && sql`${place} > ${placeOf(last)}`),
    )
      .orderBy(asc(createdAt), asc(id), asc(isLost))
      .limit(EXPORT_ROWS);
    if (rows.length > 0) {
      yield rows.map(toEntry);
    }
    last = rows.at(-1);
    if (!last || rows.length < EXPORT_ROWS) {
      return;
    }
  }
}

const MAX_PERIODS = 240;

/** An account's months, newest first. */
export async function listPeriods(db: Db, accountId: AccountId): Promise<Balance[]> {
  const rows = await ormOf(db)
    .select(figures)
    .from(accountMonths)
    .where(eq(accountMonths.accountId, accountId))
    .orderBy(desc(accountMonths.period))
    .limit(MAX_PERIODS);
  return rows.map(toBalance);
}
