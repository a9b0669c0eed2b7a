import { Redis } from "ioredis";
import type { Sql } from "postgres";
import {
  type RateLimiterAbstract,
  RateLimiterPostgres,
  RateLimiterRedis,
  RateLimiterRes,
} from "rate-limiter-flexible";
import { GatewayError, lookUp } from "@/server/errors";

export type RateLimiter = {
  /** Takes one call out of the `points` that `subject` has a window. Returns the headers to show; throws rateLimited. */
  take: (
    subject: string,
    points: number,
    /** Shown beside them. */
    more?: Record<string, string>,
  ) => Promise<Record<string, string>>;
  /** Undoes one `take`. */
  giveBack: (subject: string, points: number) => Promise<void>;
  close: () => void;
};

/** A Redis on the same network answers in one millisecond. */
const REDIS_TIMEOUT_MS = 500;
/** How long one that failed is left alone: who waited for it each time would make every call wait. */
const REDIS_REST_MS = 5_000;

/** `error`: why, of the first call since Redis answered last. */
export type OnFallback = (error: unknown | null) => void;

/** Counted in Redis where there is one and while it answers, else in PostgreSQL, and so exact over all replicas. */
export function createRateLimiter(source: {
  redisUrl?: string | undefined;
  sql: Sql;
  /** One minute when absent. */
  windowSeconds?: number;
  onFallback?: OnFallback;
}): RateLimiter {
  const redis = source.redisUrl
    ? new Redis(source.redisUrl, {
        maxRetriesPerRequest: 1,
        connectTimeout: 2_000,
        commandTimeout: REDIS_TIMEOUT_MS,
        enableOfflineQueue: false,
      })
    : null;
  // Each command's failure reaches its caller; unheard, the connection's would be printed again and again.
  redis?.on("error", () => {});
  // The library speaks to a `pg` client; this is the one call that it makes of it.
  const storeClient = {
    query: async (query: { text: string; values: (string | number)[] }) => {
      const rows = await source.sql.unsafe(query.text, query.values, { prepare: true });
      return { rows: [...rows], rowCount: rows.count };
    },
  };
  const open = (points: number) => {
    const options = {
      points,
      duration: source.windowSeconds ?? 60,
      keyPrefix: "tollgate",
      // What is over the limit stays over it until the window ends: no need to ask the store again.
      inMemoryBlockOnConsumed: points + 1,
    };
    const table = { storeClient, storeType: "pool", tableName: "rate_limits", tableCreated: true };
    const postgres = new RateLimiterPostgres({ ...options, ...table });
    return { postgres, redis: redis && new RateLimiterRedis({ ...options, storeClient: redis }) };
  };
  const limiters = new Map<number, ReturnType<typeof open>>();
  let redisRestsUntil = 0;
  let isRedisAway = false;

  /** A Redis that is away or silent must not stop calls, nor let them pass uncounted. */
  async function count(points: number, ask: (limiter: RateLimiterAbstract) => Promise<RateLimiterRes>) {
    const limiter = limiters.get(points) ?? open(points);
    limiters.set(points, limiter);
    if (limiter.redis && performance.now() >= redisRestsUntil) {
      try {
        const counted = await ask(limiter.redis);
        isRedisAway = false;
        return counted;
      } catch (error) {
        if (error instanceof RateLimiterRes) {
          isRedisAway = false;
          throw error;
        }
        redisRestsUntil = performance.now() + REDIS_REST_MS;
        source.onFallback?.(isRedisAway ? null : error);
        isRedisAway = true;
      }
    } else if (limiter.redis) {
      source.onFallback?.(null);
    }
    return await lookUp(ask(limiter.postgres));
  }

  return {
    take: async (subject, points, more = {}) => {
      const taken = await count(points, (limiter) => limiter.consume(subject)).then(
        (state) => ({ state, refused: false }),
        (refusal: unknown) => {
          if (refusal instanceof RateLimiterRes) {
            return { state: refusal, refused: true };
          }
          throw refusal;
        },
      );
      const seconds = String(Math.max(1, Math.ceil(taken.state.msBeforeNext / 1000)));
      const headers = {
        "x-ratelimit-limit-requests": String(points),
        "x-ratelimit-remaining-requests": String(taken.refused ? 0 : taken.state.remainingPoints),
        "x-ratelimit-reset-requests": `${seconds}s`,
        ...more,
      };
      if (taken.refused) {
        throw new GatewayError("rateLimited", "", { headers: { ...headers, "retry-after": seconds } });
      }
      return headers;
    },
    giveBack: async (subject, points) => {
      await count(points, (limiter) => limiter.reward(subject));
    },
    close: () => redis?.disconnect(),
  };
}
