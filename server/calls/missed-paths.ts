import { desc, sql } from "drizzle-orm";
import type { Log } from "@/server/base/log";
import { type Database, type Db, tables } from "@/server/db";
import { ormOf, relaxed } from "@/server/db/handles";

const { missedPaths } = tables;

/** A request for what no endpoint has. */
type Miss = { method: string; path: string; program: string };

/** One kind of them: how often, and when it was asked for first and last. */
export type MissedPath = typeof missedPaths.$inferSelect;

export type MissedPaths = {
  /** Takes note of one. Never fails, never waits. */
  note: (miss: { method: string; path: string; userAgent: string | null }) => void;
  close: () => Promise<void>;
};

const WRITE_EVERY_MS = 5_000;
/** Kinds that wait at a time: a client that asks for random paths must not fill the memory. */
const MOST_WAITING = 200;
/** Kinds that are kept, those that were asked for last. */
const MOST_KEPT = 500;
const MAX_CHARACTERS = 200;

/** What is one thing's name rather than another's: identifiers, numbers, keys. */
const isName = (segment: string) => /^\d+$/.test(segment) || (segment.length >= 12 && /\d/.test(segment));

/** Of paths that differ in names of things, one: `/v1/files/{id}`. */
export const kindOfPath = (path: string): string =>
  path
    .slice(0, MAX_CHARACTERS)
    .split("/")
    .map((segment) => (isName(segment) ? "{id}" : segment))
    .join("/");

/** The first product of a user agent, without its version: `codex_cli_rs`. */
export const programOf = (userAgent: string | null): string =>
  /^[\w.@-]{1,60}/.exec(userAgent ?? "")?.[0] ?? "";

/** Text of a client's as PostgreSQL takes it. */
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

/** Counts what clients ask for in vain, with a key or without, and writes it down now and then. */
export function createMissedPaths({ db, log }: { db: Database; log: Log }): MissedPaths {
  let waiting = new Map<string, Miss & { times: number }>();
  let timer: NodeJS.Timeout | null = null;
  const flush = async () => {
    const misses = [...waiting.values()];
    waiting = new Map();
    timer = null;
    if (misses.length > 0) {
      await write(relaxed(db), misses).catch((error: unknown) =>
        log.warn({ err: error }, "what clients missed is not written down"),
      );
    }
  };
  return {
    note: ({ method, path, userAgent }) => {
      const miss = { method, path: plain(kindOfPath(path)), program: programOf(userAgent) };
      const key = JSON.stringify(miss);
      const known = waiting.get(key);
      if (known) {
        known.times++;
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

/** Those that were asked for last. */
export async function listMissedPaths(db: Db, limit: number): Promise<MissedPath[]> {
  return await ormOf(db).select().from(missedPaths).orderBy(desc(missedPaths.lastAt)).limit(limit);
}
