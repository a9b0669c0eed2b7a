/**
 * What stands between this program and PostgreSQL. A pooler may give each connection a session of its own; one that
 * gives each transaction another session loses `LISTEN`, prepared statements and settings without a word.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Sql, TransactionSql } from "postgres";
import { ConfigError } from "@/server/base/config";
import { withinMs } from "@/server/base/deadline";
import { newId } from "@/server/base/ids";
import { SESSION } from "./client";
import { connectTo } from "./connect";
import { errorCode } from "./vitals";

const PATIENCE_MS = 5_000;
const NOTIFY_EVERY_MS = 250;
const LOOK_MS = 10;

/** Of pools whose statements are planned in ways of their own (`client.ts`). */
const PLANS = ["plan_cache_mode", "enable_seqscan", "random_page_cost"];

/** What sessions are opened with, besides what every pooler knows. */
const IGNORED = ["extra_float_digits", "lock_timeout", ...Object.keys(SESSION), ...PLANS].filter(
  (name) => name !== "application_name",
);

const HOW =
  "Have it pool sessions (pgbouncer: pool_mode = session), or connect to PostgreSQL itself (docs/operations.md).";

/** Without parameters, as one message: it works through any pooler. */
async function backendOf(sql: Sql | TransactionSql): Promise<number> {
  const [row] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`.simple();
  return row?.pid ?? 0;
}

/**
 * Two connections that are open have two sessions. Where one's session is the other's as soon as that begins a
 * transaction, or its own changes between two statements, sessions belong to transactions.
 */
async function sharesSessions(one: Sql, other: Sql): Promise<boolean> {
  // To connect may have used a session: the next one that the pooler lends is to be the last one that `one` used.
  await backendOf(other);
  const before = await backendOf(one);
  return await other.begin(async (transaction) => {
    if ((await backendOf(transaction)) === before) {
      return true;
    }
    // A pooler with no other session lets it wait for the end of this transaction.
    const after = await withinMs(backendOf(one), PATIENCE_MS);
    return after !== before;
  });
}

/** Where what a session begins with is left out, a role's own setting stands: then a charge might not be on disk. */
async function isDurable(sql: Sql): Promise<boolean> {
  const [row] = await sql<{ synchronous_commit: string }[]>`show synchronous_commit`.simple();
  return row?.synchronous_commit !== "off";
}

/** Whether what is told arrives at a connection that listens. */
async function hearsNotices(one: Sql, other: Sql): Promise<boolean> {
  const channel = newId("proc");
  let isHeard = false;
  const listening = await withinMs(
    one.listen(channel, () => {
      isHeard = true;
    }),
    PATIENCE_MS,
  );
  const deadline = performance.now() + PATIENCE_MS;
  while (listening !== null && !isHeard && performance.now() < deadline) {
    await other`notify ${other(channel)}`.simple();
    for (let waitedMs = 0; !isHeard && waitedMs < NOTIFY_EVERY_MS; waitedMs += LOOK_MS) {
      await sleep(LOOK_MS);
    }
  }
  return isHeard;
}

/** A pooler in transaction mode speaks a protocol of its own where it refuses. */
function explainRefusal(error: unknown): ConfigError | null {
  if (errorCode(error) !== "08P01") {
    return null;
  }
  const words = error instanceof Error ? error.message : "";
  return new ConfigError(
    /startup parameter/i.test(words)
      ? `The pooler in front of PostgreSQL refuses what sessions are opened with (${words}). Set in pgbouncer: ignore_startup_parameters = ${IGNORED.join(",")} (docs/operations.md).`
      : `The pooler in front of PostgreSQL refuses what Tollgate needs (${words}). ${HOW}`,
    { cause: error },
  );
}

/**
 * At a start: refuses a pooler that lends sessions by the transaction, and anything that swallows notices. Throws
 * ConfigError in words, and what the driver throws where the database does not answer.
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
  const [one, other] = [open(), open()];
  try {
    if (await sharesSessions(one, other)) {
      throw new ConfigError(
        `DATABASE_URL leads to a pooler that gives each transaction another session: prepared statements, settings and LISTEN are lost in it. ${HOW}`,
      );
    }
    if (!(await isDurable(one))) {
      throw new ConfigError(
        "A pooler leaves out what sessions are opened with, and synchronous_commit is off: a charge could be lost. `alter role ... set synchronous_commit = on` (docs/operations.md).",
      );
    }
    if (!(await hearsNotices(one, other))) {
      throw new ConfigError(
        `What this process tells itself by NOTIFY does not arrive by LISTEN: something between it and PostgreSQL swallows notices, and a key that is disabled would go on working for a while. ${HOW}`,
      );
    }
  } catch (error) {
    throw explainRefusal(error) ?? error;
  } finally {
    await Promise.all([one.end({ timeout: 1 }), other.end({ timeout: 1 })]);
  }
}
