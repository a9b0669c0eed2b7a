import { desc, sql } from "drizzle-orm";
import type { Log } from "@/server/base/log";
import { type Database, type Db, tables } from "@/server/db";
import { ormOf, relaxed } from "@/server/db/handles";

const { missedPaths } = tables;

/** A request for a path that no endpoint has. */
type Miss = { method: string; path: string; program: string };

/** One kind of such requests: how often, and when it came first and last. */
export type MissedPath = typeof missedPaths.$inferSelect;

export type MissedPaths = {
  /** Counts a request. Never fails, never waits. */
  note: (miss: { method: string; path: string; userAgent: string | null }) => void;
  close: () => Promise<void>;
};

const WRITE_EVERY_MS = 5_000;
/** Kinds in memory at a time: a client that requests random paths must not fill the memory. */
const MOST_WAITING = 200;
/** Kinds in the table: those requested most recently. */
const MOST_KEPT = 500;
const MAX_CHARACTERS = 200;

/** Whether a segment names a single thing: an identifier, a number, a key. */
const isName = (segment: string) => /^\d+$/.test(segment) || (segment.length >= 12 && /\d/.test(segment));

/** One kind for all paths that differ only in such names: `/v1/files/{id}`. */
export const kindOfPath = (path: string): string =>
  path
    .slice(0, MAX_CHARACTERS)
    .split("/")
    .map((segment) => (isName(segment) ? "{id}" : segment))
    .join("/");

/** The first product of a user agent, without its version: `codex_cli_rs`. */
export const programOf = (userAgent: string | null): string =>
  /^[\w.@-]{1,60}/.exec(userAgent ?? "")?.[0] ?? "";

/** A client's text as PostgreSQL takes it. */
const plain = (text: string) => text.replace(/[\p{Cc}\p{Cs}]/gu, "");

async function write(db: Db, misses: (Miss & { times: number })[]): Promise<void> {
  const orm = ormOf(db);
  await orm
    .insert(missedPaths)
    .values(misses)
    .onConflictDoUpdate({
      target: [missedPaths.method, missedPaths.path, missedPaths.program],
      set: { times: sql`${missedPaths.times} + excluded.times`, lastAt: sql`now()` },
    });
  const kept = orm
    .select({ lastAt: missedPaths.lastAt })
    .from(missedPaths)
    .orderBy(desc(missedPaths.lastAt))
    .offset(MOST_KEPT)
    .limit(1);
  await orm.delete(missedPaths).where(sql`${missedPaths.lastAt} <= (${kept})`);
}

/** Counts requests for unknown paths, with or without a key, and writes the counts every few seconds. */
export function createMissedPaths({ db, log }: { db: Database; log: Log }): MissedPaths {
  let waiting = new Map<string, Miss & { times: number }>();
  let timer: NodeJS.Timeout | null = null;
  const flush = async () => {
    const misses = [...waiting.values()];
    waiting = new Map();
    timer = null;
    if (misses.length > 0) {
      await write(relaxed(db), misses).catch((error: unknown) =>
        log.warn({ err: error }, "requests to unknown paths could not be recorded"),
      );
    }
  };
  return {
    note: ({ method, path, userAgent }) => {
      const miss = { method, path: plain(kindOfPath(path)), program: programOf(userAgent) };
      const key = JSON.stringify(miss);
      const entry = waiting.get(key);
      if (entry) {
        entry.times++;
      } else if (waiting.size < MOST_WAITING) {
        waiting.set(key, { ...miss, times: 1 });
      }
      timer ??= setTimeout(flush, WRITE_EVERY_MS).unref();
    },
    close: async () => {
      if (timer !== null) {
        clearTimeout(timer);
        await flush();
      }
    },
  };
}

/** The kinds requested most recently. */
export async function listMissedPaths(db: Db, limit: number): Promise<MissedPath[]> {
  return await ormOf(db).select().from(missedPaths).orderBy(desc(missedPaths.lastAt)).limit(limit);
}
