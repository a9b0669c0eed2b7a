import { is } from "drizzle-orm";
import { drizzle, type PostgresJsDatabase, PostgresJsSession } from "drizzle-orm/postgres-js";
import type { ISql, Sql } from "postgres";
import { connectTo } from "./connect";
import { type PoolVitals, watchPool } from "./pool-vitals";
import { createSockets } from "./socket";

type Pool = PostgresJsDatabase;
type Orm = Pool | Parameters<Parameters<Pool["transaction"]>[0]>[0];

/** Under one name for the two copies of this code in a process: the server's opens what Next's uses. */
export const HANDLES = Symbol.for("tollgate.db");

/** What only rooms take out of a `Db` (`handles.ts`). */
type Handles = {
  /** Drizzle: everything but the statements of the hot path (decision 22). */
  orm: Orm;
  /** Those: prepared once a connection. */
  sql: ISql;
  /** Its tables are spread over machines by account (`distribution.ts`). */
  isDistributed: boolean;
};

/** The database, or a transaction. Code that passes it on cannot look into it. */
export type Db = { readonly [HANDLES]: Handles };

/** A transaction under way. */
export type Tx = { readonly [HANDLES]: Handles & { isTransaction: true } };

export type Database = {
  /** `relaxed`: a commit does not wait for the disk. For rows that need not survive a power cut. */
  readonly [HANDLES]: { orm: Orm; sql: Sql; isDistributed: boolean; relaxed: Db; patient: Db };
  /**
   * Opens the connections that calls wait for, and keeps them from then on: they are used before they are idle for too
   * long, and made anew when they are lost. Does not throw: where the database is away, the calls that need it fail.
   */
  keepWarm: () => Promise<void>;
  /** How each of the pools does. */
  pools: () => PoolVitals[];
  close: () => Promise<void>;
};

/** The connection of a transaction: what is prepared on it takes part. */
function clientOf(transaction: Orm): ISql {
  const { session } = transaction._;
  if (!is(session, PostgresJsSession)) {
    throw new Error("a transaction of another driver");
  }
  return session.client;
}

/**
 * What `act` does by its `tx` is done together or not at all; it is not when `act` throws. Within a transaction it is
 * a part of that one which may fail by itself.
 */
export function transaction<T>(db: Db, act: (tx: Tx) => Promise<T>): Promise<T> {
  const { orm, isDistributed } = db[HANDLES];
  return orm.transaction((inside) =>
    act({ [HANDLES]: { orm: inside, sql: clientOf(inside), isDistributed, isTransaction: true } }),
  );
}

/** The same database, by a connection whose statements may take minutes: for what reads very much, one at a time. */
export const patient = (db: Database): Db => db[HANDLES].patient;

/** Statements that take longer are ended by the server. */
const STATEMENT_MS = 15_000;
const PATIENT_STATEMENT_MS = 600_000;

const [MONEYS, RELAXED] = [4, 2];
/** Those that every process has beside the ones for lists and look-ups. */
export const HOT_CONNECTIONS = MONEYS + RELAXED + 1;

/**
 * Money's statements, which are few, the same for years, and find every row by an index. Planned for its parameters, one
 * would be planned anew each time where that looks cheaper, which doubles what it takes; and while a table is small or
 * unknown, as on a new database, its plan would read all of it, and go on doing so when it has grown. What they read is
 * in memory, so a look at a row by its name costs next to nothing.
 */
const SAME_PLAN = { plan_cache_mode: "force_generic_plan", enable_seqscan: "off", random_page_cost: "0" };

/**
 * Lists and look-ups are planned for what is asked: of a table with partitions a plan for anything opens all of them,
 * and does not know how few rows a page has.
 */
const OWN_PLANS = { plan_cache_mode: "force_custom_plan" };

/** What every session begins with; a pooler in between has to let it pass or to leave it out. */
export const SESSION = {
  application_name: "tollgate",
  synchronous_commit: "on",
  // Statements here take less time than compiling them would.
  jit: "off",
  statement_timeout: STATEMENT_MS,
  idle_in_transaction_session_timeout: 15_000,
};

/** A connection that nobody used for so long is closed. */
const IDLE_SECONDS = 15;
const TOUCH_EVERY_MS = 5_000;

/** Of a pool's sessions, beside what each begins with. */
type Settings = { statementMs?: number } & Record<string, string | number>;

/**
 * Opens the pools. Nothing connects before the first query. `onStatement` hears of each with its parameters;
 * `isDistributed`: what `findDistribution` says. `patientConnections`: for statements that take long, at a time.
 */
export function openDatabase(
  url: string,
  options: {
    connections?: number;
    isDistributed?: boolean;
    patientConnections?: number;
    onStatement?: (text: string, parameters: unknown[]) => void;
  } = {},
): Database {
  const { connections = 8, isDistributed = false, patientConnections = 1, onStatement } = options;
  const open = (name: string, max: number, { statementMs = STATEMENT_MS, ...settings }: Settings = {}) => {
    const watch = watchPool(name, max);
    const client = connectTo(url, {
      socket: createSockets(statementMs, watch.opened),
      max,
      connect_timeout: 5,
      idle_timeout: IDLE_SECONDS,
      onnotice: () => {},
      // Under a second between tries, so that a restarted server is found again quickly.
      backoff: (attempt) => Math.min(0.1 * 2 ** attempt, 1),
      ...(onStatement && { debug: (_connection, text, parameters) => onStatement(text, parameters) }),
      connection: { ...SESSION, statement_timeout: statementMs, ...settings },
    });
    return { client, watch };
  };
  const typed = open("lists", connections, OWN_PLANS);
  // Where a statement is done is told by its parameters: a plan for any would not know.
  const plans = isDistributed ? OWN_PLANS : SAME_PLAN;
  // Money's own: no list that takes long is before it in a queue.
  const money = open("money", MONEYS, plans);
  const relaxed = open("relaxed", RELAXED, { ...plans, synchronous_commit: "off" });
  const patient = open("patient", patientConnections, { statementMs: PATIENT_STATEMENT_MS });
  const all = [typed, money, relaxed, patient];
  const kept = [
    // Lists may open more, for as long as they are used.
    { ...typed, count: Math.min(2, connections) },
    { ...money, count: MONEYS },
    { ...relaxed, count: RELAXED },
  ];
  let touching: NodeJS.Timeout | undefined;
  let isClosed = false;
  /** At once: each goes to an open connection that is free, or else to a new one. */
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
