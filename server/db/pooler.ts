/**
 * Detects a pooler between this program and PostgreSQL. A pooler may give each connection a session that no other connection shares; one
 * that gives each transaction another session silently breaks `LISTEN`, prepared statements and settings.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Sql, TransactionSql } from "postgres";
import { ConfigError } from "@/server/base/config";
import { withinMs } from "@/server/base/deadline";
import { newId } from "@/server/domain/ids";
import { SESSION } from "./client";
import { connectTo } from "./connect";
import { errorCode } from "./reasons";

const PATIENCE_MS = 5_000;
const NOTIFY_EVERY_MS = 250;
const LOOK_MS = 10;

/** Settings of pools with their own ways of planning (`client.ts`). */
const PLANS = ["plan_cache_mode", "enable_seqscan", "random_page_cost"];

/** The settings that sessions are opened with and that not every pooler knows. */
const IGNORED = ["extra_float_digits", "lock_timeout", ...Object.keys(SESSION), ...PLANS].filter(
  (name) => name !== "application_name",
);

const HOW =
  "Have it pool sessions (pgbouncer: pool_mode = session), or connect to PostgreSQL itself (docs/database.md).";

/** Sent without parameters, as one message, which works through any pooler. */
async function backendOf(sql: Sql | TransactionSql): Promise<number> {
  const [row] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`.simple();
  return row?.pid ?? 0;
}

/**
 * Two open connections should have two sessions. If one's session becomes the other's when that begins a transaction,
 * or changes between two statements, sessions belong to transactions.
 */
async function sharesSessions(first: Sql, second: Sql): Promise<boolean> {
  // Connecting may have used a session: this makes the session that `first` used last the next that the pooler lends.
  await backendOf(second);
  const before = await backendOf(first);
  return await second.begin(async (transaction) => {
    if ((await backendOf(transaction)) === before) {
      return true;
    }
    // A pooler without another session lets it wait until this transaction ends.
    const after = await withinMs(backendOf(first), PATIENCE_MS);
    return after !== before;
  });
}

/**
 * A pooler may leave out a session's settings, and then the role's own are in force, with which a charge might not be
 * on disk.
 */
async function isDurable(sql: Sql): Promise<boolean> {
  const [row] = await sql<{ synchronous_commit: string }[]>`show synchronous_commit`.simple();
  return row?.synchronous_commit !== "off";
}

/** Whether a notice reaches a connection that listens. */
async function hearsNotices(first: Sql, second: Sql): Promise<boolean> {
  const channel = newId("proc");
  let isHeard = false;
  const listening = await withinMs(
    first.listen(channel, () => {
      isHeard = true;
    }),
    PATIENCE_MS,
  );
  const deadline = performance.now() + PATIENCE_MS;
  while (listening !== null && !isHeard && performance.now() < deadline) {
    await second`notify ${second(channel)}`.simple();
    for (let waitedMs = 0; !isHeard && waitedMs < NOTIFY_EVERY_MS; waitedMs += LOOK_MS) {
      await sleep(LOOK_MS);
    }
  }
  return isHeard;
}

/** Explains the refusal of a pooler in transaction mode, which arrives as a protocol violation (08P01). */
function explainRefusal(error: unknown): ConfigError | null {
  if (errorCode(error) !== "08P01") {
    return null;
  }
  const words = error instanceof Error ? error.message : "";
  return new ConfigError(
    /startup parameter/i.test(words)
      ? `The pooler in front of PostgreSQL refuses what sessions are opened with (${words}). Set in pgbouncer: ignore_startup_parameters = ${IGNORED.join(",")} (docs/database.md).`
      : `The pooler in front of PostgreSQL refuses what Tollgate needs (${words}). ${HOW}`,
    { cause: error },
  );
}

/**
 * At a start: refuses a pooler that lends sessions by the transaction, and anything that loses notices. Throws
 * ConfigError in words, or the driver's error if the database does not answer.
 */
export async function refusePooling(url: string): Promise<void> {
  const open = () =>
    connectTo(url, {
      max: 1,
      onnotice: () => {},
      connect_timeout: 10,
      fetch_types: false,
      connection: { ...SESSION, application_name: "tollgate start" },
    });
  const [first, second] = [open(), open()];
  try {
    if (await sharesSessions(first, second)) {
      throw new ConfigError(
        `DATABASE_URL leads to a pooler that gives each transaction another session: prepared statements, settings and LISTEN are lost in it. ${HOW}`,
      );
    }
    if (!(await isDurable(first))) {
      throw new ConfigError(
        "A pooler leaves out what sessions are opened with, and synchronous_commit is off: a charge could be lost. `alter role ... set synchronous_commit = on` (docs/database.md).",
      );
    }
    if (!(await hearsNotices(first, second))) {
      throw new ConfigError(
        `What this process tells itself by NOTIFY does not arrive by LISTEN: something between it and PostgreSQL swallows notices, and a key that is disabled would go on working for a while. ${HOW}`,
      );
    }
  } catch (error) {
    throw explainRefusal(error) ?? error;
  } finally {
    await Promise.all([first.end({ timeout: 1 }), second.end({ timeout: 1 })]);
  }
}
