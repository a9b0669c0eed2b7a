import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { TransactionSql } from "postgres";
import { linesOf } from "@/server/base/lines";
import { Refusal } from "@/server/domain/refusal";
import { hasServer, SERVED } from "../servers";
import { damaged, END_OF_ROWS, Foot, Head, readLine, Section } from "./format";
import { newestMigration, sectionsOf, withClient } from "./tables";

const LINE_END = Buffer.from("\n");

/** The file is cut short, changed, or was never compressed: zlib's messages would not help. */
const isUnpacking = (error: unknown): boolean =>
  String((error as NodeJS.ErrnoException | null)?.code).startsWith("Z_");

/** Reads lines one by one, and hashes those that count. */
function readerOf(chunks: AsyncIterable<Buffer>) {
  const lines = linesOf(chunks);
  const hash = createHash("sha256");
  const next = async (): Promise<Buffer | null> => {
    const { value, done } = await lines.next().catch((error: unknown) => {
      throw isUnpacking(error) ? Object.assign(damaged(), { cause: error }) : error;
    });
    return done ? null : value;
  };
  return {
    next,
    /** As `next`, for lines that are part of the foot's sum. */
    counted: async () => {
      const line = await next();
      if (line) {
        hash.update(line).update(LINE_END);
      }
      return line;
    },
    sum: () => hash.digest("hex"),
  };
}
type DumpReader = ReturnType<typeof readerOf>;

/** Tables that people fill: a database without rows in them is unused. */
const PEOPLES = ["accounts", "users", "channels", "models"];

/** Throws Refusal. */
async function refuseUsed(tx: TransactionSql): Promise<void> {
  for (const table of PEOPLES) {
    const [row] = await tx`select 1 from ${tx(table)} limit 1`;
    if (row) {
      throw new Refusal(
        `the database is in use: its "${table}" has rows. Restore into an empty database`,
        null,
      );
    }
  }
}

/** Throws Refusal if there are rows, or a server runs. */
async function refuseTaken(tx: TransactionSql): Promise<void> {
  await refuseUsed(tx);
  if (await hasServer(tx)) {
    throw new Refusal(SERVED, null);
  }
}

/**
 * Locks the tables: a process that began to use the database before is noticed, and one that begins now waits and finds
 * the restored rows. The checks run before the lock, too: in a database that serves, no call may wait for this lock.
 * Throws Refusal.
 */
async function takeTables(tx: TransactionSql, tables: string[]): Promise<void> {
  await refuseTaken(tx);
  await tx`lock table ${tx(tables)} in access exclusive mode`;
  await refuseTaken(tx);
}

/** Throws Refusal. */
async function refuseOther(tx: TransactionSql, { migration }: Head): Promise<void> {
  const ours = await newestMigration(tx);
  if (migration !== ours) {
    throw new Refusal(
      `the dump has schema ${migration} and this release ${ours}: restore it with the release that wrote it, then ` +
        "upgrade",
      null,
    );
  }
}

async function makePartitions(tx: TransactionSql, { table, partitions }: Section): Promise<void> {
  for (const { name, bound } of partitions) {
    await tx.unsafe(`create table if not exists "${name}" partition of "${table}" ${bound}`);
  }
}

/** Returns the number of rows. */
async function copyRows(
  tx: TransactionSql,
  reader: DumpReader,
  { table, columns }: Section,
): Promise<number> {
  let count = 0;
  async function* rows() {
    for (let row = await reader.counted(); ; row = await reader.counted()) {
      if (row === null) {
        throw damaged();
      }
      if (row.length === END_OF_ROWS.length && row.toString() === END_OF_ROWS) {
        return;
      }
      count++;
      yield Buffer.concat([row, LINE_END]);
    }
  }
  const target = await tx`copy ${tx(table)} (${tx(columns)}) from stdin`.writable();
  await pipeline(Readable.from(rows(), { objectMode: false }), target, { end: false });
  target.end();
  // The driver's stream does not report errors that concern all rows together; the transaction does.
  await tx`select 1`.catch((error: unknown) => {
    throw Object.assign(damaged(), { cause: error });
  });
  return count;
}

/** Sets each sequence to follow the highest number. */
async function continueNumbers(tx: TransactionSql): Promise<void> {
  const columns = await tx<{ table: string; column: string }[]>`
    select c.relname as table, a.attname as column from pg_attribute a join pg_class c on c.oid = a.attrelid
    where a.attidentity <> '' and c.relnamespace = 'public'::regnamespace and not c.relispartition`;
  for (const { table, column } of columns) {
    await tx`
      select setval(pg_get_serial_sequence(${table}, ${column}), coalesce(max(${tx(column)}), 0) + 1, false)
      from ${tx(table)}`;
  }
}

async function restore(tx: TransactionSql, reader: DumpReader): Promise<Foot> {
  await refuseOther(tx, readLine(Head, await reader.counted()));
  const sections = new Map((await sectionsOf(tx)).map((section) => [section.table, section]));
  await takeTables(tx, [...sections.keys()]);
  // Removes the rows of migrations: the dump has them, too.
  await tx`truncate ${tx([...sections.keys()])}`;
  let rows = 0;
  for (let tables = 0; tables < sections.size; tables++) {
    const section = readLine(Section, await reader.counted());
    if (sections.get(section.table)?.columns.join() !== section.columns.join()) {
      throw damaged();
    }
    await makePartitions(tx, section);
    rows += await copyRows(tx, reader, section);
  }
  const sha256 = reader.sum();
  const foot = readLine(Foot, await reader.next());
  if (foot.sha256 !== sha256 || foot.rows !== rows || (await reader.next()) !== null) {
    throw damaged();
  }
  await continueNumbers(tx);
  return foot;
}

/**
 * Fills an empty database that has this release's schema from the text of `dumpDatabase`: completely or not at all.
 * Throws Refusal if the database is in use or a server runs on it, if the dump is from another release, or if it is
 * incomplete.
 */
export async function restoreDatabase(url: string, chunks: AsyncIterable<Buffer>): Promise<Foot> {
  return await withClient(url, async (client) => {
    let first: { error: unknown } | null = null;
    const attempted = (tx: TransactionSql) =>
      restore(tx, readerOf(chunks)).catch((error: unknown) => {
        first = { error };
        throw error;
      });
    // A rollback in the middle of a COPY may fail itself, and its error hides the cause.
    const foot = await client.begin(attempted).catch((error: unknown) => {
      throw first === null ? error : first.error;
    });
    await client`analyze`;
    return foot;
  });
}
