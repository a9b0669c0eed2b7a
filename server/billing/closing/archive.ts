import { eq, sql } from "drizzle-orm";
import { z } from "zod";
import { type Nanos, nanos } from "@/server/base/money";
import { type Database, type Db, dropPartition, partitionName, patient, type Tx, tables } from "@/server/db";
import { ormOf, sqlOf } from "@/server/db/handles";
import { entryKinds } from "@/server/domain/enums";
import type { AccountId } from "@/server/domain/ids";
import { type Checkpoint, type Closing, digestOf, latestClosings, lockChain } from "./chain";

const { ledgerCheckpoints, ledgerClosings } = tables;

/** The first line of an archive: the month, and its sums when it was closed. */
const Head = z.object({
  format: z.literal("tollgate-ledger-1"),
  period: z.string(),
  number: z.number(),
  entries: z.number(),
  sums: z.string(),
  digest: z.string(),
});
export type ArchiveHead = z.output<typeof Head>;

/** The fields of an entry that its sums need. An archived entry has all other fields, too. */
const Entry = z.object({
  account_id: z.string().brand<"AccountId">(),
  period: z.string(),
  kind: z.enum(entryKinds),
  key_id: z.string().nullable(),
  model_id: z.string().nullable(),
  amount: z.string().regex(/^-?\d+$/),
  held: z.string().regex(/^\d+$/).nullable(),
});

const ROWS = 1_000;

/** Escapes characters that some readers, Node's among them, take for the end of a line. */
const inOneLine = (json: string) => json.replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");

/** The lines of a closed month's archive: a head, and one line per entry with the table's columns. Money is text. */
export async function* archiveLines(db: Database, closing: Closing): AsyncGenerator<string> {
  const { period, number, entries, sums, digest } = closing;
  yield JSON.stringify({
    format: "tollgate-ledger-1",
    period,
    number,
    entries,
    sums,
    digest,
  } satisfies ArchiveHead);
  const sql = sqlOf(patient(db));
  let last = { accountId: "", id: "", isLost: false };
  // Each batch is a separate statement: a single one would be cancelled after ten minutes.
  for (;;) {
    const { accountId, id, isLost } = last;
    const rows = await sql<({ line: string } & typeof last)[]>`
      select (to_jsonb(entry) || jsonb_build_object(
        'amount', amount::text, 'held', held::text, 'cost', cost::text
      ))::text as line,
        account_id as "accountId", id, is_lost as "isLost"
      from ledger_entries as entry
      where period = ${period} and (account_id, id, is_lost) > (${accountId}, ${id}, ${isLost})
      order by account_id, id, is_lost limit ${ROWS}`;
    for (const { line } of rows) {
      yield inOneLine(line);
    }
    const behind = rows.at(-1);
    if (!behind || rows.length < ROWS) {
      return;
    }
    last = behind;
  }
}

/** Sums up an archive's entries, to be compared with its head. Throws if the file is not an archive. */
export async function readArchive(
  lines: AsyncIterable<string>,
): Promise<{ head: ArchiveHead; entries: number; sums: string }> {
  let head: ArchiveHead | undefined;
  let entries = 0;
  const sums = new Map<string, Checkpoint>();
  for await (const line of lines) {
    const parsed: unknown = JSON.parse(line);
    if (head === undefined) {
      head = Head.parse(parsed);
      continue;
    }
    const entry = Entry.parse(parsed);
    if (entry.period !== head.period) {
      throw new Error(`an entry of ${entry.period} in an archive of ${head.period}`);
    }
    entries += 1;
    add(sums, entry);
  }
  if (head === undefined) {
    throw new Error("the file is empty");
  }
  return { head, entries, sums: digestOf([...sums.values()]) };
}

function add(sums: Map<string, Checkpoint>, entry: z.output<typeof Entry>): void {
  const names = {
    accountId: entry.account_id,
    kind: entry.kind,
    keyId: (entry.key_id ?? "") as Checkpoint["keyId"],
    modelId: entry.model_id ?? "",
  };
  const name = JSON.stringify(names);
  const amount = BigInt(entry.amount);
  const over = entry.kind === "capture" && entry.held !== null ? amount - BigInt(entry.held) : 0n;
  const sum = sums.get(name);
  sums.set(name, {
    ...names,
    entries: (sum?.entries ?? 0) + 1,
    amount: ((sum?.amount ?? 0n) + amount) as Checkpoint["amount"],
    overHold: ((sum?.overHold ?? 0n) + (over > 0n ? over : 0n)) as Checkpoint["overHold"],
  });
}

/**
 * For a month whose entries are archived, returns the change of the account's quota, in nano-units. null: the entries
 * are in the database.
 */
export async function findArchived(
  db: Db,
  { accountId, period }: { accountId: AccountId; period: string },
): Promise<{ adjusted: Nanos } | null> {
  const [row] = await ormOf(db).execute<{ isArchived: boolean; adjusted: string }>(sql`
    select exists (select 1 from ${ledgerClosings} where period = ${period} and archived_at is not null) as "isArchived",
      coalesce(sum(amount), 0)::text as adjusted
    from ${ledgerCheckpoints} where account_id = ${accountId} and period = ${period} and kind = 'adjust'`);
  return row?.isArchived ? { adjusted: nanos(row.adjusted) } : null;
}

/** A closed month and the digest of its archive file (SHA-256). */
export type Archived = Pick<Closing, "period" | "number"> & { archive: string };

/**
 * Drops the entries of a closed month that are in a file. Its sums stay, and verification uses them. Statements of `tx`
 * may take minutes, because the entries are counted. Returns the number of dropped entries; null if an entry has come
 * since the month was closed, or if another process has dropped them: then nothing changes.
 */
export async function dropArchived(
  tx: Tx,
  { period, number, archive }: Archived,
): Promise<{ entries: number } | null> {
  const partition = { table: "ledger_entries", month: period };
  const orm = ormOf(tx);
  await lockChain(tx);
  const closing = (await latestClosings(tx)).get(period);
  if (closing?.number !== number || closing.archivedAt !== null) {
    return null;
  }
  // Charges of that month wait during the count. Readers do not wait, and most queries read all months at once.
  await orm.execute(sql.raw(`set local lock_timeout = 5000`));
  await orm.execute(sql.raw(`lock table "${partitionName(partition)}" in share mode`));
  const [row] = await orm.execute<{ entries: string }>(
    sql.raw(`select count(*) as entries from "${partitionName(partition)}"`),
  );
  if (Number(row?.entries) !== closing.entries) {
    return null;
  }
  await dropPartition(tx, partition);
  await orm
    .update(ledgerClosings)
    .set({ archivedAt: sql`now()`, archive })
    .where(eq(ledgerClosings.number, number));
  return { entries: closing.entries };
}
