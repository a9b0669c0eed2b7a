/** Builds and drops indexes while others write. An interrupted build is dropped and repeated. */
import type { Sql } from "postgres";
import { patiently, type Say } from "./lock-patience";

const CREATE =
  /^create\s+(unique\s+)?index\s+concurrently\s+(?:if\s+not\s+exists\s+)?"(\w+)"\s+on\s+"(\w+)"\s+([\s\S]+)$/i;
const DROP = /^drop\s+index\s+concurrently\s+(?:if\s+exists\s+)?"(\w+)"$/i;

type Index = { name: string; table: string; unique: string; rest: string };

/** Parses a statement of a file that is marked `concurrently`; null: neither of the two allowed statements. */
export function parseConcurrent(statement: string): Index | { dropped: string } | null {
  const text = statement
    .replace(/^\s*--.*$/gm, "")
    .trim()
    .replace(/;$/, "");
  const [, unique, name, table, rest] = CREATE.exec(text) ?? [];
  if (name !== undefined && table !== undefined && rest !== undefined) {
    return { name, table, rest, unique: unique === undefined ? "" : "unique" };
  }
  const [, dropped] = DROP.exec(text) ?? [];
  return dropped === undefined ? null : { dropped };
}

/** null: no index of that name. An interrupted build leaves an index that is not valid. */
async function findIndex(sql: Sql, name: string): Promise<{ isValid: boolean; isAttached: boolean } | null> {
  const [row] = await sql<{ isValid: boolean; isAttached: boolean }[]>`
    select indisvalid as "isValid", relispartition as "isAttached"
    from pg_index join pg_class on pg_class.oid = indexrelid
    where indexrelid = to_regclass(${`"${name}"`})`;
  return row ?? null;
}

/** No limit on locks here: nothing else waits behind this wait, and an interrupted build must start again. */
async function unhurried(sql: Sql, statement: string): Promise<void> {
  await sql.unsafe("set lock_timeout = 0");
  try {
    await sql.unsafe(statement);
  } finally {
    await sql.unsafe("reset lock_timeout");
  }
}

async function build(sql: Sql, { name, table, unique, rest }: Index): Promise<void> {
  const existing = await findIndex(sql, name);
  if (existing?.isValid) {
    return;
  }
  if (existing !== null) {
    await unhurried(sql, `drop index concurrently "${name}"`);
  }
  await unhurried(sql, `create ${unique} index concurrently "${name}" on "${table}" ${rest}`);
}

/**
 * A partitioned table: builds an index on each partition by itself, and attaches it to the whole table's index, which
 * becomes valid once every partition has its own.
 */
async function buildInParts(context: { sql: Sql; say: Say }, index: Index): Promise<void> {
  const { sql } = context;
  const { name, table, unique, rest } = index;
  const quickly = (statement: string) =>
    patiently({ ...context, what: `the index ${name}` }, () => sql.unsafe(statement));
  if ((await findIndex(sql, name)) === null) {
    await quickly(`create ${unique} index "${name}" on only "${table}" ${rest}`);
  }
  const parts = await sql<{ part: string; isIndexed: boolean }[]>`
    select relname as part, exists (
      select from pg_inherits as indexes join pg_index on indexrelid = indexes.inhrelid
      where indexes.inhparent = to_regclass(${`"${name}"`}) and indrelid = pg_class.oid
    ) as "isIndexed"
    from pg_inherits join pg_class on pg_class.oid = inhrelid
    where inhparent = to_regclass(${`"${table}"`}) order by relname`;
  for (const { part, isIndexed } of parts) {
    // A partition that was created meanwhile has its index already.
    if (!isIndexed) {
      const own = `${name}${part.slice(table.length)}`;
      await build(sql, { ...index, name: own, table: part });
      await quickly(`alter index "${name}" attach partition "${own}"`);
    }
  }
}

async function drop(context: { sql: Sql; say: Say }, name: string): Promise<void> {
  const { sql } = context;
  const [index] = await sql<{ isOfParts: boolean }[]>`
    select relkind = 'I' as "isOfParts" from pg_class where oid = to_regclass(${`"${name}"`})`;
  if (index?.isOfParts) {
    // PostgreSQL cannot drop this index concurrently; the drop is brief once it has its locks.
    await patiently({ ...context, what: `the index ${name}` }, () =>
      sql.unsafe(`drop index if exists "${name}"`),
    );
    return;
  }
  await unhurried(sql, `drop index concurrently if exists "${name}"`);
}

/** Runs one statement of such a file. Running it twice changes nothing. Throws for any other statement. */
export async function runConcurrently(context: { sql: Sql; say: Say }, statement: string): Promise<void> {
  const { sql } = context;
  const command = parseConcurrent(statement);
  if (command === null) {
    throw new Error(`this is not built concurrently: ${statement.trim()}`);
  }
  if ("dropped" in command) {
    await drop(context, command.dropped);
    return;
  }
  const [table] = await sql<{ isInParts: boolean }[]>`
    select relkind = 'p' as "isInParts" from pg_class where oid = to_regclass(${`"${command.table}"`})`;
  await (table?.isInParts ? buildInParts(context, command) : build(sql, command));
}
