import { Redis } from "ioredis";
import {
  type RateLimiterAbstract,
  RateLimiterPostgres,
  RateLimiterRedis,
  RateLimiterRes,
} from "rate-limiter-flexible";
import { lookUp } from "@/server/base/deadline";
import { GatewayError } from "@/server/base/errors";
import type { Db } from "@/server/db";
import { sqlOf } from "@/server/db/handles";
import { limitHeaders, type Standing } from "./limit-headers";
import { type AddTokens, tokensInPostgres, tokensInRedis } from "./token-windows";

/** Tokens that are counted for a call under way. */
export type Reserved = {
  headers: Record<string, string>;
  /** Counts what was used in place of what was reserved. To be called once. */
  settle: (used: number) => Promise<void>;
};

export type RateLimiter = {
  /**
   * Takes one call out of the `points` that `subject` has a window. Returns the headers to show; throws rateLimited.
   */
  take: (
    subject: string,
    points: number,
    /** Shown beside them. */
    more?: Record<string, string>,
  ) => Promise<Record<string, string>>;
  /**
   * The same with `amount` tokens, which are an estimate until they are settled. What is refused takes nothing; what
   * is larger than all points takes all of them.
   */
  reserve: (
    subject: string,
    points: number,
    wanted: { amount: number; more: Record<string, string> },
  ) => Promise<Reserved>;
  /** Undoes one `take`. */
  giveBack: (subject: string, points: number) => Promise<void>;
  /** Whether Redis answers; null: there is none. Does not throw. */
  askRedis: () => Promise<boolean> | null;
  close: () => void;
};

const PREFIX = "tollgate";

/** Where something is counted. */
type Stores<Store> = { postgres: Store; redis: Store | null };

/** A Redis on the same network answers in one millisecond. */
const REDIS_TIMEOUT_MS = 500;
/** How long one that failed is left alone: who waited for it each time would make every call wait. */
const REDIS_REST_MS = 5_000;

/** `error`: why, of the first call since Redis answered last. */
export type OnFallback = (error: unknown | null) => void;

/** What has been counted. */
type Counted = { msLeft: number; isRefused: boolean };
type CountedCalls = Counted & { remaining: number };

/**
 * Asks about calls. Throws for an answer that is no count: what stands in for a Redis then must not let everything
 * pass.
 */
async function countCalls(ask: Promise<RateLimiterRes>): Promise<CountedCalls> {
  let isRefused = false;
  const state = await ask.catch((refusal: unknown) => {
    if (!(refusal instanceof RateLimiterRes)) {
      throw refusal;
    }
    isRefused = true;
    return refusal;
  });
  const { consumedPoints, remainingPoints, msBeforeNext: msLeft } = state;
  if (!Number.isSafeInteger(consumedPoints) || !(msLeft >= 0)) {
    throw new Error("the store answered with what is no count");
  }
  return { msLeft, isRefused, remaining: isRefused ? 0 : remainingPoints };
}

/** What to show of a count. Throws rateLimited where there was no room for it. */
function shown(
  { msLeft, isRefused }: Counted,
  standing: Omit<Standing, "resetSeconds">,
  more: Record<string, string>,
): Record<string, string> {
  const resetSeconds = Math.max(1, Math.ceil(msLeft / 1000));
  const headers = { ...limitHeaders({ ...standing, resetSeconds }), ...more };
  if (isRefused) {
    throw new GatewayError("rateLimited", "", {
      headers: { ...headers, "retry-after": String(resetSeconds) },
    });
  }
  return headers;
}

function openRedis(url: string): Redis {
  const redis = new Redis(url, {
    maxRetriesPerRequest: 1,
    connectTimeout: 2_000,
    commandTimeout: REDIS_TIMEOUT_MS,
    enableOfflineQueue: false,
  });
  // Each command's failure reaches its caller; unheard, the connection's would be printed again and again.
  redis.on("error", () => {});
  return redis;
}

/** Counted in Redis where there is one and while it answers, else in PostgreSQL, and so exact over all replicas. */
export function createRateLimiter(source: {
  redisUrl?: string | undefined;
  /** Its commits need not wait for the disk. */
  db: Db;
  /** One minute when absent. */
  windowSeconds?: number;
  onFallback?: OnFallback;
  /** Hears of tokens that stay counted until their window ends, though they were not used. */
  onUnsettled?: (error: unknown) => void;
}): RateLimiter {
  const redis = source.redisUrl ? openRedis(source.redisUrl) : null;
  // The library speaks to a `pg` client; this is the one call that it makes of it.
  const storeClient = {
    query: async (query: { text: string; values: (string | number)[] }) => {
      const rows = await sqlOf(source.db).unsafe(query.text, query.values, { prepare: true });
      return { rows: rows.map((row) => ({ ...row, points: Number(row.points) })), rowCount: rows.count };
    },
  };
  const windowSeconds = source.windowSeconds ?? 60;
  const open = (points: number) => {
    const options = {
      points,
      duration: windowSeconds,
      keyPrefix: PREFIX,
      // What is over the limit stays over it until the window ends: no need to ask the store again.
      inMemoryBlockOnConsumed: points + 1,
    };
    const table = { storeClient, storeType: "pool", tableName: "rate_limits", tableCreated: true };
    const postgres = new RateLimiterPostgres({ ...options, ...table });
    return { postgres, redis: redis && new RateLimiterRedis({ ...options, storeClient: redis }) };
  };
  const limiters = new Map<number, Stores<RateLimiterAbstract>>();
  const limiterOf = (points: number) => {
    const limiter = limiters.get(points) ?? open(points);
    limiters.set(points, limiter);
    return limiter;
  };
  const tokens: Stores<AddTokens> = {
    postgres: tokensInPostgres(source.db, windowSeconds * 1000),
    redis: redis && tokensInRedis(redis, windowSeconds * 1000),
  };
  let redisRestsUntil = 0;
  let isRedisAway = false;

  /** A Redis that is away or silent must not stop calls, nor let them pass uncounted. */
  async function ask<Store, Answer>(
    stores: Stores<Store>,
    question: (store: Store) => Promise<Answer>,
  ): Promise<Answer> {
    if (stores.redis && performance.now() >= redisRestsUntil) {
      try {
        const answer = await question(stores.redis);
        isRedisAway = false;
        return answer;
      } catch (error) {
        redisRestsUntil = performance.now() + REDIS_REST_MS;
        source.onFallback?.(isRedisAway ? null : error);
        isRedisAway = true;
      }
    } else if (stores.redis) {
      source.onFallback?.(null);
    }
    return await lookUp(question(stores.postgres));
  }

  return {
    take: async (subject, points, more = {}) => {
      const counted = await ask(limiterOf(points), (limiter) => countCalls(limiter.consume(subject)));
      return shown(counted, { unit: "requests", limit: points, remaining: counted.remaining }, more);
    },
    reserve: async (subject, points, { amount, more }) => {
      const key = `${PREFIX}:${subject}`;
      const reserved = Math.min(amount, points);
      const askedAt = performance.now();
      const { add, ...counted } = await ask(tokens, async (store) => ({
        add: store,
        ...(await store(key, reserved, points)),
      }));
      const endsAt = askedAt + counted.msLeft;
      const settle = async (used: number) => {
        try {
          // To a later window it owes nothing: that would let more through than it has.
          if (used > reserved || (used < reserved && performance.now() < endsAt)) {
            await add(key, used - reserved, null);
          }
        } catch (error) {
          source.onUnsettled?.(error);
        }
      };
      const remaining = Math.max(0, points - counted.count - (counted.isRefused ? 0 : reserved));
      return { headers: shown(counted, { unit: "tokens", limit: points, remaining }, more), settle };
    },
    giveBack: async (subject, points) => {
      await ask(limiterOf(points), (limiter) => limiter.reward(subject));
    },
    askRedis: () =>
      redis === null
        ? null
        : redis.ping().then(
            () => true,
            () => false,
          ),
    close: () => redis?.disconnect(),
  };
}
