import { Redis } from "ioredis";
import type { Sql } from "postgres";
import {
  type RateLimiterAbstract,
  RateLimiterPostgres,
  RateLimiterRedis,
  RateLimiterRes,
} from "rate-limiter-flexible";
import { GatewayError, lookUp } from "@/server/errors";
import { limitHeaders, type Standing } from "./limit-headers";

/** Tokens that are counted for a call under way. */
export type Reserved = {
  headers: Record<string, string>;
  /** Counts what was used in place of what was reserved. To be called once. */
  settle: (used: number) => Promise<void>;
};

export type RateLimiter = {
  /** Takes one call out of the `points` that `subject` has a window. Returns the headers to show; throws rateLimited. */
  take: (
    subject: string,
    points: number,
    /** Shown beside them. */
    more?: Record<string, string>,
  ) => Promise<Record<string, string>>;
  /**
   * The same with `amount` tokens, which are an estimate until they are settled. What is refused takes nothing; what is
   * larger than all points takes all of them.
   */
  reserve: (
    subject: string,
    points: number,
    wanted: { amount: number; more: Record<string, string> },
  ) => Promise<Reserved>;
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

type Ask = (limiter: RateLimiterAbstract) => Promise<RateLimiterRes>;
/** `limiter`: whose store has counted. */
type Counted = { limiter: RateLimiterAbstract; state: RateLimiterRes; isRefused: boolean };

async function askOne(limiter: RateLimiterAbstract, ask: Ask): Promise<Counted> {
  try {
    return { limiter, state: await ask(limiter), isRefused: false };
  } catch (refusal) {
    if (refusal instanceof RateLimiterRes) {
      return { limiter, state: refusal, isRefused: true };
    }
    throw refusal;
  }
}

/** What to show of a count. Throws rateLimited where there was no room for it. */
function shown(
  { state, isRefused }: Counted,
  standing: Omit<Standing, "resetSeconds">,
  more: Record<string, string>,
): Record<string, string> {
  const resetSeconds = Math.max(1, Math.ceil(state.msBeforeNext / 1000));
  const headers = { ...limitHeaders({ ...standing, resetSeconds }), ...more };
  if (isRefused) {
    throw new GatewayError("rateLimited", "", {
      headers: { ...headers, "retry-after": String(resetSeconds) },
    });
  }
  return headers;
}

/** Counted in Redis where there is one and while it answers, else in PostgreSQL, and so exact over all replicas. */
export function createRateLimiter(source: {
  redisUrl?: string | undefined;
  sql: Sql;
  /** One minute when absent. */
  windowSeconds?: number;
  onFallback?: OnFallback;
  /** Hears of tokens that stay counted until their window ends, though they were not used. */
  onUnsettled?: (error: unknown) => void;
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
      return { rows: rows.map((row) => ({ ...row, points: Number(row.points) })), rowCount: rows.count };
    },
  };
  const open = (points: number, mayReturn: boolean) => {
    const options = {
      points,
      duration: source.windowSeconds ?? 60,
      keyPrefix: "tollgate",
      // What is over the limit stays over it until the window ends, unless some comes back: no need to ask the store again.
      ...(!mayReturn && { inMemoryBlockOnConsumed: points + 1 }),
    };
    const table = { storeClient, storeType: "pool", tableName: "rate_limits", tableCreated: true };
    const postgres = new RateLimiterPostgres({ ...options, ...table });
    return { postgres, redis: redis && new RateLimiterRedis({ ...options, storeClient: redis }) };
  };
  const opened = () => new Map<number, ReturnType<typeof open>>();
  const limiters = { calls: opened(), tokens: opened() };
  let redisRestsUntil = 0;
  let isRedisAway = false;

  /** A Redis that is away or silent must not stop calls, nor let them pass uncounted. */
  async function count(what: keyof typeof limiters, points: number, ask: Ask): Promise<Counted> {
    const limiter = limiters[what].get(points) ?? open(points, what === "tokens");
    limiters[what].set(points, limiter);
    if (limiter.redis && performance.now() >= redisRestsUntil) {
      try {
        const counted = await askOne(limiter.redis, ask);
        isRedisAway = false;
        return counted;
      } catch (error) {
        redisRestsUntil = performance.now() + REDIS_REST_MS;
        source.onFallback?.(isRedisAway ? null : error);
        isRedisAway = true;
      }
    } else if (limiter.redis) {
      source.onFallback?.(null);
    }
    return await lookUp(askOne(limiter.postgres, ask));
  }

  return {
    take: async (subject, points, more = {}) => {
      const counted = await count("calls", points, (limiter) => limiter.consume(subject));
      const remaining = counted.isRefused ? 0 : counted.state.remainingPoints;
      return shown(counted, { unit: "requests", limit: points, remaining }, more);
    },
    reserve: async (subject, points, { amount, more }) => {
      const reserved = Math.min(amount, points);
      const counted = await count("tokens", points, (limiter) => limiter.consume(subject, reserved));
      const { limiter, state, isRefused } = counted;
      const endsAt = performance.now() + state.msBeforeNext;
      const settle = async (used: number) => {
        try {
          if (used > reserved) {
            await limiter.penalty(subject, used - reserved);
          } else if (used < reserved && performance.now() < endsAt) {
            // To a later window it owes nothing: that would let more through than it has.
            await limiter.reward(subject, reserved - used);
          }
        } catch (error) {
          source.onUnsettled?.(error);
        }
      };
      if (isRefused) {
        await settle(0);
      }
      const others = state.consumedPoints - (isRefused ? reserved : 0);
      const remaining = Math.max(0, points - others);
      return { headers: shown(counted, { unit: "tokens", limit: points, remaining }, more), settle };
    },
    giveBack: async (subject, points) => {
      await count("calls", points, (limiter) => limiter.reward(subject));
    },
    close: () => redis?.disconnect(),
  };
}
