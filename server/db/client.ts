import { is } from "drizzle-orm";
import { drizzle, type PostgresJsDatabase, PostgresJsSession } from "drizzle-orm/postgres-js";
import type { ISql, Sql } from "postgres";
import { connectTo, failed } from "./connect";
import { type PoolVitals, watchPool } from "./pool-vitals";
import { createSockets } from "./socket";

type Pool = PostgresJsDatabase;
type Orm = Pool | Parameters<Parameters<Pool["transaction"]>[0]>[0];

/**
 * A process has two copies of this code and one name for both: Next's copy uses databases that the server's copy
 * opened.
 */
export const HANDLES = Symbol.for("tollgate.db");

/** The parts of a `Db` that only rooms may use (`handles.ts`). */
type Handles = {
  /** Drizzle: for every statement except those of the hot path (decision 22). */
  orm: Orm;
  /** The driver: for those of the hot path, prepared once for each connection. */
  sql: ISql;
  /** Tables are spread over machines by account (`distribution.ts`). */
  isDistributed: boolean;
};

/** The database, or a transaction. Opaque to code that only passes it on. */
export type Db = { readonly [HANDLES]: Handles };

/** An open transaction. */
export type Tx = { readonly [HANDLES]: Handles & { isTransaction: true } };

export type Database = {
  /** `relaxed`: a commit does not wait for the disk. For rows that need not survive a power cut. */
  readonly [HANDLES]: { orm: Orm; sql: Sql; isDistributed: boolean; relaxed: Db; patient: Db };
  /**
   * Opens the connections that calls need, and keeps them open: it uses each before it is idle for too long, and
   * replaces lost ones. Does not throw: while the database is away, the calls that need it fail.
   */
  keepWarm: () => Promise<void>;
  /** The state of each pool. */
  pools: () => PoolVitals[];
  close: () => Promise<void>;
};

/** The connection of a transaction: a statement prepared on it is part of the transaction. */
function clientOf(transaction: Orm): ISql {
  const { session } = transaction._;
  if (!is(session, PostgresJsSession)) {
    throw new Error("a transaction of another driver");
  }
  return session.client;
}

/**
 * Runs `act` in a transaction: its changes by `tx` are made together, or not at all if `act` throws. Inside a
 * transaction it makes a savepoint, which may fail alone.
 */
export function transaction<T>(db: Db, act: (tx: Tx) => Promise<T>): Promise<T> {
  const { orm, isDistributed } = db[HANDLES];
  return orm.transaction((inside) =>
    act({ [HANDLES]: { orm: inside, sql: clientOf(inside), isDistributed, isTransaction: true } }),
  );
}

/** The same database over a connection whose statements may take minutes: for very long reads, one at a time. */
export const patient = (db: Database): Db => db[HANDLES].patient;

/** The server cancels statements that take longer. */
const STATEMENT_MS = 15_000;
const PATIENT_STATEMENT_MS = 600_000;

const [MONEYS, RELAXED] = [4, 2];
/** Connections of every process in addition to those for lists and look-ups. */
export const HOT_CONNECTIONS = MONEYS + RELAXED + 1;

/**
 * Settings for the statements of money, which are few, do not change for years, and find every row by an index. With
 * custom plans PostgreSQL would plan a statement at each execution where that looks cheaper, which doubles its time.
 * And while a table is small or has no statistics, as in a new database, the plan would read all of it, and would stay
 * in use after the table has grown. The data is in memory, so looking up a row by its key costs next to nothing.
 */
const SAME_PLAN = { plan_cache_mode: "force_generic_plan", enable_seqscan: "off", random_page_cost: "0" };

/**
 * Lists and look-ups are planned for their parameters: a generic plan opens all partitions of a table, and does not
 * know how few rows a page has.
 */
const OWN_PLANS = { plan_cache_mode: "force_custom_plan" };

/** The settings of every session; a pooler in between must pass them on or leave them out. */
export const SESSION = {
  application_name: "tollgate",
  synchronous_commit: "on",
  // Compiling these statements would take longer than running them.
  jit: "off",
  statement_timeout: STATEMENT_MS,
  idle_in_transaction_session_timeout: 15_000,
};

/** A connection that is idle for so long is closed. */
const IDLE_SECONDS = 15;
const TOUCH_EVERY_MS = 5_000;

/** Settings of a pool's sessions, in addition to `SESSION`. */
type SessionSettings = { statementMs?: number } & Record<string, string | number>;

/**
 * Opens the pools. No connection is made before the first query. `onStatement` is called with each statement and its
 * parameters; `isShut`: no connection may be made now; `isDistributed`: the result of `findDistribution`. `patientConnections`: how many long statements may run
 * at a time.
 */
export function openDatabase(
  url: string,
  options: {
    connections?: number;
    isDistributed?: boolean;
    patientConnections?: number;
    onStatement?: (text: string, parameters: unknown[]) => void;
    isShut?: () => boolean;
  } = {},
): Database {
  const { connections = 8, isDistributed = false, patientConnections = 1, onStatement } = options;
  const { isShut = () => false } = options;
  const open = (
    name: string,
    max: number,
    { statementMs = STATEMENT_MS, ...settings }: SessionSettings = {},
  ) => {
    const watch = watchPool(name, max);
    const openSocket = createSockets(statementMs, watch.opened);
    const client = connectTo(url, {
      socket: (target) =>
        isShut()
          ? failed(Object.assign(new Error("the database is not used yet"), { code: "ECONNREFUSED" }))
          : openSocket(target),
      max,
      connect_timeout: 5,
      idle_timeout: IDLE_SECONDS,
      onnotice: () => {},
      // Less than a second between attempts, so that a restarted server is found again quickly.
      backoff: (attempt) => Math.min(0.1 * 2 ** attempt, 1),
      ...(onStatement && { debug: (_connection, text, parameters) => onStatement(text, parameters) }),
      connection: { ...SESSION, statement_timeout: statementMs, ...settings },
    });
    return { client, watch };
  };
  const typed = open("lists", connections, OWN_PLANS);
  // A statement's parameters decide which machine runs it, and a generic plan does not have them.
  const plans = isDistributed ? OWN_PLANS : SAME_PLAN;
  // A pool for money alone: no long list is ahead of it in a queue.
  const money = open("money", MONEYS, plans);
  const relaxed = open("relaxed", RELAXED, { ...plans, synchronous_commit: "off" });
  const patient = open("patient", patientConnections, { statementMs: PATIENT_STATEMENT_MS });
  const all = [typed, money, relaxed, patient];
  const kept = [
    // Lists may open more connections while they use them.
    { ...typed, count: Math.min(2, connections) },
    { ...money, count: MONEYS },
    { ...relaxed, count: RELAXED },
  ];
  let touching: NodeJS.Timeout | undefined;
  let isClosed = false;
  /** Sends all statements at once: each goes to a free open connection, or else to a new one. */
  async function keepWarm(): Promise<void> {
    await Promise.allSettled(
      kept.map(({ client, count, watch }) =>
        watch.time(() => Promise.allSettled(Array.from({ length: count }, () => client`select 1`))),
      ),
    );
    if (!isClosed) {
      touching = setTimeout(() => void keepWarm(), TOUCH_EVERY_MS).unref();
    }
  }
  const ormOver = (client: Sql) => drizzle(client, { casing: "snake_case" });
  const dbOver = (client: Sql): Db => ({ [HANDLES]: { orm: ormOver(client), sql: client, isDistributed } });
  return {
    [HANDLES]: {
      orm: ormOver(typed.client),
      sql: money.client,
      isDistributed,
      relaxed: dbOver(relaxed.client),
      patient: dbOver(patient.client),
    },
    keepWarm,
    pools: () => all.map(({ watch }) => watch.view()),
    close: async () => {
      isClosed = true;
      clearTimeout(touching);
      await Promise.all(all.map(({ client }) => client.end({ timeout: 5 })));
    },
  };
}
