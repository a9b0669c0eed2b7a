import { lt, sql } from "drizzle-orm";
import { createCache } from "@/server/base/cache";
import { type Clock, systemClock } from "@/server/base/clock";
import type { Log } from "@/server/base/log";
import { type Database, type Db, tables } from "@/server/db";
import { ormOf, relaxed } from "@/server/db/handles";
import { bucketOf, FAILED, UNTIMED } from "./latency-buckets";
import { HOUR_MS, type ModelTraffic, readTraffic, WEEK_HOURS } from "./model-traffic";

const { modelHours } = tables;

/**
 * How a call of a model ended. `isOk` false: it failed for no fault of its client. `latencyMs`: until the first event of
 * a stream, or until the whole answer of a model that does not converse; null: neither. `outputTokens` and `outputMs`:
 * of a stream, from its first event to its end.
 */
export type ModelCall = {
  modelId: string;
  isOk: boolean;
  latencyMs: number | null;
  outputTokens: number;
  outputMs: number;
};

export type ModelHours = {
  /** Counts a call. Never fails, never waits. */
  note: (call: ModelCall) => void;
  /** Writes the counts. While the database is away, they stay in memory. */
  flush: () => Promise<void>;
  /** The traffic of all models that had calls in the last week, at most some minutes old. */
  traffic: () => Promise<ReadonlyMap<string, ModelTraffic>>;
  /** Deletes the hours that no figure needs. Running it twice changes nothing. */
  tidy: () => Promise<void>;
  close: () => Promise<void>;
};

type Row = typeof modelHours.$inferSelect;

const WRITE_EVERY_MS = 5_000;
/** Rows of a statement. */
const BATCH = 1_000;
const FIGURES_AGE_MS = 60_000;
const KEPT_MS = (WEEK_HOURS + 24) * HOUR_MS;

const keyOf = ({ hour, bucket, modelId }: Row) => `${hour.getTime()} ${bucket} ${modelId}`;

/** All processes write in the same order, so that no two wait for each other. */
const inOrder = (a: Row, b: Row) => (keyOf(a) < keyOf(b) ? -1 : 1);

async function add(db: Db, rows: Row[]): Promise<void> {
  await ormOf(db)
    .insert(modelHours)
    .values(rows)
    .onConflictDoUpdate({
      target: [modelHours.hour, modelHours.modelId, modelHours.bucket],
      set: {
        calls: sql`${modelHours.calls} + excluded.calls`,
        outputTokens: sql`${modelHours.outputTokens} + excluded.output_tokens`,
        outputMs: sql`${modelHours.outputMs} + excluded.output_ms`,
      },
    });
}

function bucketFor({ isOk, latencyMs }: ModelCall): number {
  if (!isOk) {
    return FAILED;
  }
  return latencyMs === null ? UNTIMED : bucketOf(latencyMs);
}

/**
 * Counts models' calls by the hour in memory, and adds the counts to the table every few seconds. The memory is bounded
 * by the catalog: only calls of its models are counted. Counts in the memory of a killed process are lost, and a batch
 * whose answer was lost is counted twice: they are figures to compare models by, and no money.
 */
export function createModelHours(deps: { db: Database; log: Log; clock?: Clock }): ModelHours {
  const { db, log, clock = systemClock } = deps;
  let waiting = new Map<string, Row>();
  let timer: NodeJS.Timeout | null = null;
  let writing: Promise<void> = Promise.resolve();

  function count(row: Row): void {
    const kept = waiting.get(keyOf(row));
    if (kept) {
      kept.calls += row.calls;
      kept.outputTokens += row.outputTokens;
      kept.outputMs += row.outputMs;
    } else {
      waiting.set(keyOf(row), row);
    }
  }

  async function write(): Promise<void> {
    const rows = [...waiting.values()].toSorted(inOrder);
    waiting = new Map();
    for (let at = 0; at < rows.length; at += BATCH) {
      const batch = rows.slice(at, at + BATCH);
      await add(relaxed(db), batch).catch((error: unknown) => {
        log.warn({ err: error }, "the figures of models are not written yet");
        batch.forEach(count);
      });
    }
  }

  /** One at a time: rows of one process would wait for each other. */
  function flush(): Promise<void> {
    writing = writing.then(write);
    return writing;
  }

  function schedule(): void {
    timer ??= setTimeout(async () => {
      await flush();
      timer = null;
      if (waiting.size > 0) {
        schedule();
      }
    }, WRITE_EVERY_MS).unref();
  }

  const traffic = createCache(() => readTraffic(db, clock()), { maxAgeMs: FIGURES_AGE_MS, maxEntries: 1 });
  return {
    note: (call) => {
      const { modelId, outputTokens, outputMs } = call;
      const hour = new Date(Math.floor(clock().getTime() / HOUR_MS) * HOUR_MS);
      count({ hour, modelId, bucket: bucketFor(call), calls: 1, outputTokens, outputMs });
      schedule();
    },
    flush,
    traffic: async () => await traffic.get("models"),
    tidy: async () => {
      const oldest = new Date(clock().getTime() - KEPT_MS);
      await ormOf(db).delete(modelHours).where(lt(modelHours.hour, oldest));
    },
    close: async () => {
      if (timer !== null) {
        clearTimeout(timer);
      }
      await flush();
    },
  };
}
