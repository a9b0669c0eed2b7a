/** The versions of the schema that this release can serve, and the version of a database. */
import type { ISql } from "postgres";
import { ConfigError } from "@/server/base/config";
import type { Db } from "./client";
import { connectTo } from "./connect";
import { sqlOf } from "./handles";
import { type Migration, readMigrations } from "./migrations";

/**
 * The oldest version of the schema on which this release's code works: later ones are for speed, or for the releases
 * that follow. The newest is that of the newest migration, and any later one that does not exclude this release
 * (`serves`).
 */
export const SERVES_FROM = 57;

/**
 * `current`: the database has all migrations of this release, and perhaps later ones. `behind`: migrations are missing,
 * but it can be served. `old`: it cannot. `contracted`: a later release removed what this one uses.
 */
export type SchemaState = {
  kind: "current" | "behind" | "old" | "contracted";
  /** The versions that this release serves. */
  from: number;
  to: number;
  /** The migrations of this release that the database lacks. */
  pending: Migration[];
  /** The oldest version that a release must know; 0: any. */
  serves: number;
};

export type Applied = { when: number; serves: number | null };

/** The migrations of a database; none if it was never migrated. */
async function listApplied(sql: ISql): Promise<Applied[]> {
  const [table] = await sql<{ isThere: boolean }[]>`
    select exists (select from pg_tables where schemaname = 'drizzle' and tablename = '__drizzle_migrations') as "isThere"`;
  if (!table?.isThere) {
    return [];
  }
  // Read as JSON, because the column does not exist before version 18.
  const rows = await sql<{ when: string; serves: number | null }[]>`
    select created_at::text as "when", (to_jsonb(migrations) ->> 'serves')::int as serves
    from drizzle.__drizzle_migrations as migrations`;
  return rows.map(({ when, serves }) => ({ when: Number(when), serves }));
}

/** Judges a database by a release's migrations. Pure. */
export function judge(migrations: Migration[], applied: Applied[], from = SERVES_FROM): SchemaState {
  const times = new Set(applied.map(({ when }) => when));
  const pending = migrations.filter(({ when }) => !times.has(when));
  const to = Math.max(0, ...migrations.map(({ version }) => version));
  const serves = Math.max(0, ...applied.map((entry) => entry.serves ?? 0));
  const ends: Pick<SchemaState, "from" | "to" | "pending" | "serves"> = { from, to, pending, serves };
  if (serves > to) {
    return { kind: "contracted", ...ends };
  }
  if (pending.length === 0) {
    return { kind: "current", ...ends };
  }
  return { kind: pending.some(({ version }) => version <= from) ? "old" : "behind", ...ends };
}

export const findStateBy = async (sql: ISql, folder: string): Promise<SchemaState> =>
  judge(readMigrations(folder), await listApplied(sql));

/** The state of the database's schema for this release, whose migrations are in `folder`. */
export const findSchemaState = (db: Db, folder: string): Promise<SchemaState> =>
  findStateBy(sqlOf(db), folder);

const four = (version: number) => String(version).padStart(4, "0");

/** Why this release does not serve a database in this state; null: it does. */
export function explainState({ kind, from, to, pending, serves }: SchemaState): string | null {
  if (kind === "contracted") {
    return (
      `The database belongs to a later release: it has dropped what releases before version ${four(serves)} of the ` +
      `schema use, and this one knows ${four(from)} to ${four(to)}. Start the release that migrated it, or a later one.`
    );
  }
  if (kind === "old") {
    return (
      `The database is too old for this release, which serves versions ${four(from)} to ${four(to)} of the schema: it ` +
      `lacks ${pending.map(({ tag }) => tag).join(", ")}. Run \`tollgate migrate\` as a role that owns the tables, or ` +
      "start with MIGRATE=start as one (docs/upgrading.md)."
    );
  }
  return null;
}

/** insufficient_privilege */
export const isForbidden = (error: unknown): boolean => (error as { code?: unknown })?.code === "42501";

/**
 * Returns the names of missing migrations without which this release still works; changes nothing. Throws ConfigError
 * in words if it cannot serve the database as it is.
 */
export async function verifySchema(url: string, folder: string): Promise<string[]> {
  const client = connectTo(url, { max: 1, onnotice: () => {}, connect_timeout: 10 });
  try {
    const state = await findStateBy(client, folder);
    const trouble = explainState(state);
    if (trouble !== null) {
      throw new ConfigError(trouble);
    }
    return state.pending.map(({ tag }) => tag);
  } catch (error) {
    throw isForbidden(error)
      ? new ConfigError(
          `This role may not read which migrations the database has (${(error as Error).message}): docs/upgrading.md has what to grant it.`,
          { cause: error },
        )
      : error;
  } finally {
    await client.end({ timeout: 5 });
  }
}
