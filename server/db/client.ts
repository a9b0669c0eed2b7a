import { drizzle, type PostgresJsDatabase } from "drizzle-orm/postgres-js";
import postgres, { type Options, type Sql } from "postgres";
import { createSockets } from "./socket";

type Orm = PostgresJsDatabase;
type Transaction = Parameters<Parameters<Orm["transaction"]>[0]>[0];
/** What a query needs: the pool, or the transaction that it takes part in. */
export type Queryable = Orm | Transaction;

export type Database = {
  /** Typed queries: everything but the few statements of the hot path. */
  /** Or a transaction, in which what is done by it is one. */
  orm: Queryable;
  /** Prepared statements. */
  sql: Sql;
  /** As `sql`, but a commit does not wait for the disk: for rows that need not survive a power cut. */
  relaxed: Sql;
  close: () => Promise<void>;
};

/** Opens the pools. Nothing connects before the first query. */
export function openDatabase(url: string, options: { connections?: number } = {}): Database {
  const open = (max: number, synchronousCommit: "on" | "off") => {
    // The driver knows `socket`, its types do not.
    const own: Options<Record<string, never>> & { socket: ReturnType<typeof createSockets> } = {
      socket: createSockets(),
      max,
      connect_timeout: 5,
      idle_timeout: 15,
      onnotice: () => {},
      // Under a second between tries, so that a restarted server is found again quickly.
      backoff: (attempt) => Math.min(0.1 * 2 ** attempt, 1),
      connection: {
        application_name: "tollgate",
        synchronous_commit: synchronousCommit,
        // Statements here take less time than compiling them would.
        jit: "off",
        statement_timeout: 15_000,
        idle_in_transaction_session_timeout: 15_000,
      },
    };
    return postgres(url, own);
  };
  // Drizzle changes the date parsers of the client that it is given, so it has one of its own.
  const typed = open(options.connections ?? 8, "on");
  const sql = open(4, "on");
  const relaxed = open(2, "off");
  return {
    orm: drizzle(typed, { casing: "snake_case" }),
    sql,
    relaxed,
    close: async () => {
      await Promise.all([typed, sql, relaxed].map((client) => client.end({ timeout: 5 })));
    },
  };
}
