/** A database whose tables are spread over machines by account: Citus, if the operator has it (decision 30). */
import type { Options, Sql } from "postgres";
import { Refusal } from "@/server/domain/refusal";
import { type Db, HANDLES } from "./client";
import { connectTo } from "./connect";
import { hasServer, SERVED } from "./servers";
import { createSockets } from "./socket";

/** The tables of accounts, each with the account in its key. The others' rows are colocated with those of the first. */
export const OF_ACCOUNTS = [
  "account_months",
  "key_months",
  "holds",
  "ledger_entries",
  "spend_hours",
  "cost_hours",
  "spend_days",
  "cost_days",
  "ledger_checkpoints",
  "calls",
  "call_attempts",
  "video_idempotency",
  "stored_responses",
  "conversations",
  "kept_thinking",
  "idempotent_calls",
];

/**
 * Small tables that every machine has completely, because they are read together with accounts' rows. All other tables
 * stay unchanged on the machine that connections go to.
 */
export const EVERYWHERE = ["ledger_closings"];

const LOOK_MS = 5_000;
/** To copy the rows of one table to their machines. */
const DISTRIBUTE_MS = 24 * 3_600_000;
const IDLE_SECONDS = 15;

/** Opens a connection outside the pools. A server that is silent for longer is considered gone. */
async function once<T>(url: string, statementMs: number, act: (sql: Sql) => Promise<T>): Promise<T> {
  const own: Options<Record<string, never>> & { socket: ReturnType<typeof createSockets> } = {
    socket: createSockets(statementMs, () => {}),
    max: 1,
    onnotice: () => {},
    connect_timeout: 5,
    idle_timeout: IDLE_SECONDS,
  };
  const sql = connectTo(url, own);
  try {
    return await act(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/** The tables that are distributed already. */
async function listDistributed(sql: Sql): Promise<string[]> {
  const [catalog] = await sql<{ isThere: boolean }[]>`
    select to_regclass('pg_catalog.pg_dist_partition') is not null as "isThere"`;
  if (!catalog?.isThere) {
    return [];
  }
  const rows = await sql<{ name: string }[]>`
    select relname as name from pg_dist_partition join pg_class on pg_class.oid = logicalrelid
    where partmethod = 'h' or (partmethod = 'n' and repmodel = 't')`;
  return rows.map(({ name }) => name);
}

/**
 * Whether accounts' rows are spread over machines. Asks once, before the pools are opened. Throws Refusal if only some
 * tables are distributed.
 */
export const findDistribution = (url: string): Promise<boolean> =>
  once(url, LOOK_MS, async (sql) => {
    const distributedTables = await listDistributed(sql);
    const ours = [...OF_ACCOUNTS, ...EVERYWHERE].filter((table) => distributedTables.includes(table));
    if (ours.length > 0 && ours.length < OF_ACCOUNTS.length + EVERYWHERE.length) {
      throw new Refusal("this database is only partly distributed: run `db distribute` again", null);
    }
    return ours.length > 0;
  });

/** The reason why the tables cannot be distributed, in words. */
async function findObstacle(sql: Sql): Promise<string | null> {
  if (await hasServer(sql)) {
    return SERVED;
  }
  const [extension] = await sql`select 1 from pg_extension where extname = 'citus'`;
  if (!extension) {
    return "this database has no Citus: `create extension citus` in it, and in those of its name on the workers";
  }
  const [tables] = await sql<{ isThere: boolean }[]>`
    select to_regclass('ledger_closings') is not null as "isThere"`;
  if (!tables?.isThere) {
    return "this database has no tables yet: start the server once";
  }
  const nodes = await sql<{ group: number; name: string; isHolder: boolean }[]>`
    select groupid as "group", nodename || ':' || nodeport as name, shouldhaveshards as "isHolder"
    from pg_dist_node where noderole = 'primary' and isactive`;
  if (!nodes.some(({ group }) => group === 0)) {
    return "the coordinator does not know its own address: `select citus_set_coordinator_host(...)`";
  }
  if (!nodes.some(({ isHolder }) => isHolder)) {
    return "there is no worker to distribute to: `select citus_add_node(...)`";
  }
  const answers = await sql<{ answer: string }[]>`
    select result as answer from run_command_on_all_nodes('show synchronous_commit')`;
  // A worker has its own setting, whatever a session of the coordinator has.
  return answers.some(({ answer }) => answer === "off")
    ? "a node has synchronous_commit = off: a charge would be confirmed before it is on disk"
    : null;
}

/** The form that a table was given. `before`: it had that form already. */
export type Distributed = { table: string; as: "by account" | "everywhere"; before: boolean };

/**
 * Spreads the tables over the nodes that the database's Citus knows, one table after the other. Running it twice
 * changes nothing, and an interrupted run is continued. For use while no server runs: it waits for every user of a
 * table, and blocks all of them. Throws Refusal if the database cannot be distributed.
 */
export const distributeDatabase = (url: string, { shards }: { shards: number }): Promise<Distributed[]> =>
  once(url, DISTRIBUTE_MS, async (sql) => {
    const obstacle = await findObstacle(sql);
    if (obstacle !== null) {
      throw new Refusal(obstacle, null);
    }
    const distributedTables = await listDistributed(sql);
    const [first] = OF_ACCOUNTS;
    const tables: Distributed[] = [];
    // A machine cannot check another machine's rows for each row. A month is created from its account's row,
    // which is never deleted.
    await sql`alter table account_months drop constraint if exists account_months_account_id_accounts_id_fk`;
    for (const table of EVERYWHERE) {
      const before = distributedTables.includes(table);
      if (!before) {
        await sql`select create_reference_table(${table})`;
      }
      tables.push({ table, as: "everywhere", before });
    }
    for (const table of OF_ACCOUNTS) {
      const before = distributedTables.includes(table);
      if (!before) {
        // Copying takes long enough for a server to be started meanwhile.
        if (await hasServer(sql)) {
          throw new Refusal(SERVED, null);
        }
        await (table === first
          ? sql`select create_distributed_table(${table}, 'account_id', shard_count => ${shards}, colocate_with => 'none')`
          : sql`select create_distributed_table(${table}, 'account_id', colocate_with => ${first ?? ""})`);
      }
      tables.push({ table, as: "by account", before });
    }
    return tables;
  });

/**
 * Runs `act` with as many statements as needed (`inStatements`), each even if others failed. After all of them, throws
 * the first error.
 */
export async function inEachStatement<Row extends { accountId: string }>(
  db: Db,
  rows: Row[],
  act: (together: Row[]) => Promise<void>,
): Promise<void> {
  const failures: unknown[] = [];
  for (const together of inStatements(db, rows)) {
    await act(together).catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) {
    throw failures[0];
  }
}

/**
 * Groups rows into those that one statement may have: all of them, or one account's if accounts are spread over
 * machines, since a lock is taken on one machine at a time.
 */
export function inStatements<Row extends { accountId: string }>(db: Db, rows: Row[]): Row[][] {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const name = db[HANDLES].isDistributed ? row.accountId : "";
    const group = groups.get(name);
    if (group) {
      group.push(row);
    } else {
      groups.set(name, [row]);
    }
  }
  return [...groups.values()];
}
