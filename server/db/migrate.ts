/**
 * Brings a database up to date while servers use it (decision 37). Drizzle's own migrator cannot be used: it runs
 * everything in one transaction, waits for locks while others wait behind it, and skips migrations that were generated
 * earlier than the newest one that it finds. Its table stays, so that earlier releases know which migrations were run.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Sql, TransactionSql } from "postgres";
import { ConfigError } from "@/server/base/config";
import { runConcurrently } from "./concurrent-index";
import { connectTo } from "./connect";
import { Busy, LOCK_MS, patiently, type Say } from "./lock-patience";
import type { Migration } from "./migrations";
import { explainState, findStateBy, isForbidden } from "./schema-state";

/** Any number, the same in every process of every version. */
const MIGRATION_LOCK = 7_310_246;
/**
 * Releases before version 18 wait for this lock with a statement, and an index that is built concurrently waits for
 * that statement in turn: so this lock is held for a transaction only.
 */
const EARLIER_RELEASES_LOCK = 7_310_245;

const LOOK_EVERY_MS = 250;
const SAY_EVERY_MS = 10_000;
/** To wait for another process that migrates; a backfill of years takes long. */
const LONGEST_WAIT_MS = 6 * 3_600_000;

const BATCH_PAUSE_MS = 20;
/** Batches have thousands of rows each: a statement that needs more never ends. */
const MOST_BATCHES = 10_000_000;

type MigrationContext = { sql: Sql; say: Say };

/** Lets one process migrate at a time. It polls for the lock: others would wait for a waiting statement. */
async function takeTurn({ sql, say }: MigrationContext): Promise<void> {
  for (let waitedMs = 0; ; waitedMs += LOOK_EVERY_MS) {
    const [row] = await sql<{ isOurs: boolean }[]>`
      select pg_try_advisory_lock(${MIGRATION_LOCK}) as "isOurs"`;
    if (row?.isOurs) {
      return;
    }
    if (waitedMs >= LONGEST_WAIT_MS) {
      throw new ConfigError(
        "Another process has been migrating this database for hours. Check what it is doing.",
      );
    }
    if (waitedMs % SAY_EVERY_MS === 0) {
      say("Another process migrates this database; this one waits for it");
    }
    await sleep(LOOK_EVERY_MS);
  }
}

/** The table as Drizzle creates it. */
async function prepare(sql: Sql): Promise<void> {
  await sql`create schema if not exists drizzle`;
  await sql`create table if not exists drizzle.__drizzle_migrations (
    id serial primary key, hash text not null, created_at bigint)`;
}

async function note(sql: Sql | TransactionSql, { hash, when, serves }: Migration): Promise<void> {
  await sql`insert into drizzle.__drizzle_migrations (hash, created_at) values (${hash}, ${when})`;
  if (serves !== null) {
    await sql`update drizzle.__drizzle_migrations set serves = ${serves} where created_at = ${when}`;
  }
}

async function runInTransaction({ sql }: MigrationContext, migration: Migration): Promise<void> {
  await sql.begin(async (tx) => {
    const [lock] = await tx<{ isOurs: boolean }[]>`
      select pg_try_advisory_xact_lock(${EARLIER_RELEASES_LOCK}) as "isOurs"`;
    if (!lock?.isOurs) {
      throw new Busy("a release before this one migrates");
    }
    // The lock belongs to the session, so a connection that was replaced has lost it.
    const done = await tx`select 1 from drizzle.__drizzle_migrations where created_at = ${migration.when}`;
    if (done.length > 0) {
      return;
    }
    for (const statement of migration.statements) {
      await tx.unsafe(statement);
    }
    await note(tx, migration);
  });
}

/** Runs each statement until it changes no row. Batches done before an interruption stay done. */
async function runInBatches(context: MigrationContext, { tag, statements }: Migration): Promise<void> {
  const { sql, say } = context;
  let saidAt = Date.now();
  for (const statement of statements) {
    let rows = 0;
    for (let batch = 0; ; batch++) {
      const { count } = await patiently({ ...context, what: tag }, () => sql.unsafe(statement));
      rows += count;
      if (count === 0) {
        break;
      }
      if (batch === MOST_BATCHES) {
        throw new Error(`${tag} has a statement that comes to no end`);
      }
      if (Date.now() - saidAt > SAY_EVERY_MS) {
        saidAt = Date.now();
        say(`${tag}: ${rows} rows so far`);
      }
      await sleep(BATCH_PAUSE_MS);
    }
  }
}

async function run(context: MigrationContext, migration: Migration): Promise<void> {
  const { tag, how, statements } = migration;
  if (how === "transaction") {
    await patiently({ ...context, what: tag }, () => runInTransaction(context, migration));
    return;
  }
  if (how === "batches") {
    await runInBatches(context, migration);
  } else {
    for (const statement of statements) {
      await patiently({ ...context, what: tag }, () => runConcurrently(context, statement));
    }
  }
  await note(context.sql, migration);
}

/**
 * Brings the schema up to date, and returns the names of the migrations that it ran. It is safe to run twice, or in
 * several processes at once: one lock orders them. A role without rights may call it if there is nothing to do. `say`
 * gets a line about each wait. Throws ConfigError in words if the database belongs to a later release, a lock is never
 * obtained, or the role lacks a right.
 */
export async function migrateDatabase(url: string, folder: string, say: Say = () => {}): Promise<string[]> {
  const sql = connectTo(url, {
    max: 1,
    onnotice: () => {},
    connect_timeout: 10,
    // Set for the session, so that a `reset` in a migration returns to these values.
    connection: { application_name: "tollgate migrate", lock_timeout: LOCK_MS, statement_timeout: 0 },
  });
  const find = async () => {
    const state = await findStateBy(sql, folder);
    if (state.kind === "contracted") {
      throw new ConfigError(explainState(state) ?? "");
    }
    return state.pending;
  };
  try {
    if ((await find()).length === 0) {
      return [];
    }
    await takeTurn({ sql, say });
    const pending = await find();
    await patiently({ sql, say, what: "the list of migrations" }, () => prepare(sql));
    for (const migration of pending) {
      await run({ sql, say }, migration);
    }
    return pending.map(({ tag }) => tag);
  } catch (error) {
    throw isForbidden(error)
      ? new ConfigError(
          `The database is not up to date, and this role may not change its schema (${(error as Error).message}). Run \`tollgate migrate\` as a role that owns the tables (docs/upgrading.md).`,
          { cause: error },
        )
      : error;
  } finally {
    await sql.end({ timeout: 5 });
  }
}
