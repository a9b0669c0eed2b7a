/**
 * Brings a database up to date beside those who use it (decision 37). What Drizzle's own migrator does not do: it takes
 * everything in one transaction, waits for locks with everybody behind it, and skips what was generated earlier than
 * the newest that it finds. Its table stays, so that earlier releases know what is there.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Sql, TransactionSql } from "postgres";
import { ConfigError } from "@/server/base/config";
import { runConcurrently } from "./concurrent-index";
import { connectTo } from "./connect";
import { Busy, LOCK_MS, patiently, type Say } from "./lock-patience";
import type { Migration } from "./migrations";
import { explainState, findStateBy, isForbidden } from "./schema-state";

/** Any numbers, the same in every process of every version. */
const MIGRATION_LOCK = 7_310_246;
/**
 * Releases before version 18 wait for this one with a statement, for which an index that is built concurrently waits in
 * its turn: it is only had for as long as a transaction lasts.
 */
const EARLIER_RELEASES_LOCK = 7_310_245;

const LOOK_EVERY_MS = 250;
const SAY_EVERY_MS = 10_000;
/** For another process that migrates; a backfill of years takes its time. */
const LONGEST_WAIT_MS = 6 * 3_600_000;

const BATCH_PAUSE_MS = 20;
/** Of thousands of rows each: a statement that never comes to its end. */
const MOST_BATCHES = 10_000_000;

type Context = { sql: Sql; say: Say };

/** One process migrates at a time. Asked for again and again: a statement that waited would be waited for. */
async function takeTurn({ sql, say }: Context): Promise<void> {
  for (let waitedMs = 0; ; waitedMs += LOOK_EVERY_MS) {
    const [row] = await sql<{ isOurs: boolean }[]>`
      select pg_try_advisory_lock(${MIGRATION_LOCK}) as "isOurs"`;
    if (row?.isOurs) {
      return;
    }
    if (waitedMs >= LONGEST_WAIT_MS) {
      throw new ConfigError("Another process has been migrating this database for hours. See what it does.");
    }
    if (waitedMs % SAY_EVERY_MS === 0) {
      say("Another process migrates this database; this one waits for it");
    }
    await sleep(LOOK_EVERY_MS);
  }
}

/** As Drizzle makes it. */
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

async function runInTransaction({ sql }: Context, migration: Migration): Promise<void> {
  await sql.begin(async (tx) => {
    const [lock] = await tx<{ isOurs: boolean }[]>`
      select pg_try_advisory_xact_lock(${EARLIER_RELEASES_LOCK}) as "isOurs"`;
    if (!lock?.isOurs) {
      throw new Busy("a release before this one migrates");
    }
    // Our turn is the session's: a connection that was made anew has lost it.
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

/** Each statement until it changes no row. What was done before it broke off is done. */
async function runInBatches(context: Context, { tag, statements }: Migration): Promise<void> {
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

async function run(context: Context, migration: Migration): Promise<void> {
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
 * Brings the schema up to date, and answers the names of what was run. Twice, or from several processes at once, is
 * safe: one lock orders them. A role that may change nothing can call it too, where there is nothing to do. `say`: what
 * it waits for. Throws ConfigError in words where the database belongs to a later release, a lock is never got, or the
 * role may not.
 */
export async function migrateDatabase(url: string, folder: string, say: Say = () => {}): Promise<string[]> {
  const sql = connectTo(url, {
    max: 1,
    onnotice: () => {},
    connect_timeout: 10,
    // As the session's own, so that a `reset` within a migration comes back to them.
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
