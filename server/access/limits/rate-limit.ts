import type { Redis } from "ioredis";
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterPostgres,
  RateLimiterRedis,
  RateLimiterRes,
} from "rate-limiter-flexible";
import { lookUp } from "@/server/base/deadline";
import { GatewayError } from "@/server/base/errors";
import type { Absence, Db } from "@/server/db";
import { sqlOf } from "@/server/db/handles";
import { type LimitState, limitHeaders } from "./limit-headers";
import { type AddTokens, tokensInMemory, tokensInPostgres, tokensInRedis } from "./token-windows";

/** Tokens reserved for a call under way. */
export type Reserved = {
  headers: Record<string, string>;
  /** Replaces the reserved count by the used one. To be called once. */
  settle: (used: number) => Promise<void>;
};

export type RateLimiter = {
  /** Takes one call from the `points` of `subject` in the window. Returns the headers to show. Throws rateLimited. */
  take: (
    subject: string,
    points: number,
    /** Additional headers to show. */
    more?: Record<string, string>,
  ) => Promise<Record<string, string>>;
  /**
   * The same with `amount` tokens, an estimate until they are settled. A refused request takes nothing; one above all
   * points takes all of them.
   */
  reserve: (
    subject: string,
    points: number,
    request: { amount: number; more: Record<string, string> },
  ) => Promise<Reserved>;
  /** Reverts one `take`. */
  giveBack: (subject: string, points: number) => Promise<void>;
  /** Whether Redis answers; null: Redis is not configured. Does not throw. */
  askRedis: () => Promise<boolean> | null;
  close: () => void;
};

const PREFIX = "tollgate";

/** The stores that count. `memory`: of this process alone, while the database is away. */
type Stores<Store> = { postgres: Store; redis: Store | null; memory: Store };

/** A Redis on the same network answers in one millisecond. */
const REDIS_TIMEOUT_MS = 500;
/** How long a failed Redis is not asked: otherwise every call would wait for it. */
const REDIS_REST_MS = 5_000;

/** `error`: the reason, for the first call since Redis last answered; otherwise null. */
export type OnFallback = (error: unknown | null) => void;

/** The result of a count. */
type CountResult = { msLeft: number; isRefused: boolean };
type CountedCalls = CountResult & { remaining: number };

/** Counts a call. Throws if the answer is not a count: a program that is not Redis must not let every call pass. */
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

/** Returns the headers of a count. Throws rateLimited if it was refused. */
function shown(
  { msLeft, isRefused }: CountResult,
  standing: Omit<LimitState, "resetSeconds">,
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

/** Loads its library where Redis is configured: that takes 55 ms of processor time and 7 MB of a process. */
async function openRedis(url: string): Promise<Redis> {
  const { Redis } = await import("ioredis");
  const redis = new Redis(url, {
    maxRetriesPerRequest: 1,
    connectTimeout: 2_000,
    commandTimeout: REDIS_TIMEOUT_MS,
    enableOfflineQueue: false,
  });
  // Each command's failure reaches its caller; without a listener, connection errors would be printed repeatedly.
  redis.on("error", () => {});
  return redis;
}

/** The stores of both kinds of limits. */
function openStores(db: Db, { redis, windowSeconds }: { redis: Redis | null; windowSeconds: number }) {
  // The library expects a `pg` client; this is the only method that it calls.
  const storeClient = {
    query: async (query: { text: string; values: (string | number)[] }) => {
      const rows = await sqlOf(db).unsafe(query.text, query.values, { prepare: true });
      return { rows: rows.map((row) => ({ ...row, points: Number(row.points) })), rowCount: rows.count };
    },
  };
  const open = (points: number) => {
    const options = {
      points,
      duration: windowSeconds,
      keyPrefix: PREFIX,
      // A subject over its limit stays over it until the window ends, so the store need not be asked again.
      inMemoryBlockOnConsumed: points + 1,
    };
    const table = { storeClient, storeType: "pool", tableName: "rate_limits", tableCreated: true };
    const postgres = new RateLimiterPostgres({ ...options, ...table });
    return {
      postgres,
      redis: redis && new RateLimiterRedis({ ...options, storeClient: redis }),
      memory: new RateLimiterMemory(options),
    };
  };
  const limiters = new Map<number, Stores<RateLimiterAbstract>>();
  const limiterOf = (points: number) => {
    const limiter = limiters.get(points) ?? open(points);
    limiters.set(points, limiter);
    return limiter;
  };
  const tokens: Stores<AddTokens> = {
    postgres: tokensInPostgres(db, windowSeconds * 1000),
    redis: redis && tokensInRedis(redis, windowSeconds * 1000),
    memory: tokensInMemory(windowSeconds * 1000),
  };
  return { limiterOf, tokens };
}

/**
 * Counts in Redis if it is configured and answers, otherwise in PostgreSQL, so limits are exact over all replicas. While
 * calls are served without the database, each process counts its own.
 */
export function createRateLimiter(source: {
  redisUrl?: string | undefined;
  /** Its commits need not wait for the disk. */
  db: Db;
  /** Default: one minute. */
  windowSeconds?: number;
  onFallback?: OnFallback;
  absence?: Pick<Absence, "mayServe" | "look" | "unlessAway"> | null | undefined;
  /** Called when unused tokens stay counted until their window ends. */
  onUnsettled?: (error: unknown) => void;
}): RateLimiter {
  const { absence } = source;
  const opening = source.redisUrl ? openRedis(source.redisUrl) : null;
  const windowSeconds = source.windowSeconds ?? 60;
  const opened = Promise.resolve(opening).then((redis) => openStores(source.db, { redis, windowSeconds }));
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
    if (absence?.mayServe()) {
      return await question(stores.memory);
    }
    try {
      const counting = lookUp(question(stores.postgres));
      const counted = await (absence?.unlessAway(counting) ?? counting);
      return counted ?? (await question(stores.memory));
    } catch (error) {
      if (!(await absence?.look(error))) {
        throw error;
      }
      return await question(stores.memory);
    }
  }

  return {
    take: async (subject, points, more = {}) => {
      const { limiterOf } = await opened;
      const counted = await ask(limiterOf(points), (limiter) => countCalls(limiter.consume(subject)));
      return shown(counted, { unit: "requests", limit: points, remaining: counted.remaining }, more);
    },
    reserve: async (subject, points, { amount, more }) => {
      const key = `${PREFIX}:${subject}`;
      const reserved = Math.min(amount, points);
      const { tokens } = await opened;
      const askedAt = performance.now();
      const { add, ...counted } = await ask(tokens, async (store) => ({
        add: store,
        ...(await store(key, reserved, points)),
      }));
      const endsAt = askedAt + counted.msLeft;
      const settle = async (used: number) => {
        try {
          // Do not return unused tokens to a later window: it would then admit more than its limit.
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
      const { limiterOf } = await opened;
      await ask(limiterOf(points), (limiter) => limiter.reward(subject));
    },
    askRedis: () =>
      opening === null
        ? null
        : opening
            .then((redis) => redis.ping())
            .then(
              () => true,
              () => false,
            ),
    close: () => void opening?.then((redis) => redis.disconnect()),
  };
}
