import { setTimeout as sleep } from "node:timers/promises";
import { Pool } from "undici";
import { percentile } from "../measures/percentile";
import { FASTEST_LOOK_MS, type Span, type TaskLooks } from "./video-looks";

const CONNECTIONS = 32;

/** A task as client and vendor know it. */
export type Submitted = { id: string; prompt: string };

/** A status query: begun and answered in unix milliseconds, and how long that was. */
export type Query = { prompt: string; span: Span; ms: number };

type Asking = { urls: string[]; secret: string; tasks: Submitted[]; perSecond: number; durationMs: number };

/**
 * Queries at random moments (Poisson), each for a random task at the next replica, without waiting for the answers to
 * others. Throws when one is not answered with 200.
 */
export async function askStatus({ urls, secret, tasks, perSecond, durationMs }: Asking): Promise<Query[]> {
  const pools = urls.map((url) => new Pool(url, { connections: CONNECTIONS, pipelining: 1 }));
  const ask = async (pool: Pool, { id, prompt }: Submitted): Promise<Query> => {
    const from = Date.now();
    const began = performance.now();
    const { statusCode, body } = await pool.request({
      method: "GET",
      path: `/v1/videos/generations/${id}`,
      headers: { authorization: `Bearer ${secret}` },
    });
    const text = await body.text();
    const ms = performance.now() - began;
    if (statusCode !== 200) {
      throw new Error(`a status query was answered ${statusCode}: ${text}`);
    }
    return { prompt, span: { from, to: Date.now() }, ms };
  };
  const began = performance.now();
  const asked: Promise<Query>[] = [];
  try {
    for (let due = 0; due < durationMs; due += (-Math.log(1 - Math.random()) * 1_000) / perSecond) {
      const early = began + due - performance.now();
      if (early > 0) {
        await sleep(early);
      }
      const pool = pools[asked.length % pools.length];
      const task = tasks[Math.floor(Math.random() * tasks.length)];
      if (pool && task) {
        asked.push(ask(pool, task));
      }
    }
    return await Promise.all(asked);
  } finally {
    await Promise.all(pools.map((pool) => pool.destroy()));
  }
}

/** Percentiles in milliseconds. */
export type Latency = { count: number; p50: number; p95: number; p99: number };

export function latencyOf(queries: Query[]): Latency {
  const sorted = queries.map(({ ms }) => ms).toSorted((left, right) => left - right);
  const [p50 = 0, p95 = 0, p99 = 0] = [0.5, 0.95, 0.99].map((share) => percentile(sorted, share));
  return { count: queries.length, p50, p95, p99 };
}

/**
 * The queries that waited for the vendor: it was asked about their task meanwhile, and they took at least as long as
 * it does. All others were answered with what the database had, slow ones too.
 */
export function splitByLook(queries: Query[], tasks: TaskLooks[]): { inline: Query[]; cached: Query[] } {
  const looks = new Map(tasks.map((task) => [task.prompt, task.looks]));
  const isInline = ({ prompt, span, ms }: Query) =>
    ms >= FASTEST_LOOK_MS && (looks.get(prompt) ?? []).some((at) => at >= span.from && at <= span.to);
  return {
    inline: queries.filter(isInline),
    cached: queries.filter((query) => !isInline(query)),
  };
}
