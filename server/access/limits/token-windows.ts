import type { Redis } from "ioredis";
import { z } from "zod";
import { createRecent } from "@/server/base/recent";
import type { Db } from "@/server/db";
import { sqlOf } from "@/server/db/handles";

/** A window before the requested change. `isRefused`: it was full, and nothing changed. */
type TokenWindow = { count: number; msLeft: number; isRefused: boolean };

/**
 * Adds tokens to a key's window, or returns some, in one step. Refuses a sum above `limit` (null: no maximum). A count
 * is never negative.
 */
export type AddTokens = (key: string, delta: number, limit: number | null) => Promise<TokenWindow>;

const SCRIPT = `
local count = tonumber(redis.call('get', KEYS[1]) or '0')
local left = redis.call('pttl', KEYS[1])
if left <= 0 then
  count = 0
  left = tonumber(ARGV[2])
end
local after = math.max(0, count + tonumber(ARGV[1]))
if ARGV[3] ~= '' and after > tonumber(ARGV[3]) then
  return {count, left, 1}
end
redis.call('set', KEYS[1], string.format('%.0f', after), 'PX', left)
return {count, left, 0}`;

const Answer = z.tuple([z.int().nonnegative(), z.int().positive(), z.literal([0, 1])]);

/** Throws if the answer is not a count: a program that is not Redis must not let every call pass. */
export const tokensInRedis =
  (redis: Redis, windowMs: number): AddTokens =>
  async (key, delta, limit) => {
    const answer: unknown = await redis.eval(SCRIPT, 1, key, delta, windowMs, limit ?? "");
    const read = Answer.safeParse(answer);
    if (!read.success) {
      throw new Error("Redis answered with what is no count");
    }
    const [count, msLeft, refused] = read.data;
    return { count, msLeft, isRefused: refused === 1 };
  };

/** Uses the table of rate-limiter-flexible, which deletes expired rows. */
export const tokensInPostgres =
  (db: Db, windowMs: number): AddTokens =>
  async (key, delta, limit) => {
    const [row] = await sqlOf(db)<{ count: string; ms_left: string; is_refused: boolean }[]>`
      with now as (select (extract(epoch from clock_timestamp()) * 1000)::bigint as ms),
      written as (
        insert into rate_limits as kept (key, points, expire)
        select ${key}, greatest(0, ${delta}::bigint), ms + ${windowMs}::bigint from now
        on conflict (key) do update set
          points = greatest(0, case when kept.expire > (select ms from now) then kept.points else 0 end + ${delta}::bigint),
          expire = case when kept.expire > (select ms from now) then kept.expire else excluded.expire end
        where ${limit}::bigint is null
          or case when kept.expire > (select ms from now) then kept.points else 0 end + ${delta}::bigint <= ${limit}::bigint
        returning points, expire
      ),
      refused as (
        select points, expire from rate_limits where key = ${key} and not exists (select from written)
      )
      select
        greatest(0, coalesce(written.points - ${delta}::bigint, refused.points, 0))::text as count,
        (coalesce(written.expire, refused.expire, now.ms) - now.ms)::text as ms_left,
        written.expire is null as is_refused
      from now left join written on true left join refused on true`;
    return {
      count: Number(row?.count ?? 0),
      msLeft: Math.max(1, Number(row?.ms_left ?? windowMs)),
      isRefused: row?.is_refused ?? false,
    };
  };

/** The windows of accounts that called last. */
const MAX_WINDOWS = 10_000;

/** Counts the tokens of this process alone. */
export function tokensInMemory(windowMs: number): AddTokens {
  const windows = createRecent<string, { count: number; endsAt: number }>(MAX_WINDOWS);
  return async (key, delta, limit) => {
    const now = performance.now();
    const kept = windows.get(key);
    const { count, endsAt } = kept && kept.endsAt > now ? kept : { count: 0, endsAt: now + windowMs };
    const after = Math.max(0, count + delta);
    const isRefused = limit !== null && after > limit;
    if (!isRefused) {
      windows.set(key, { count: after, endsAt });
    }
    return { count, msLeft: Math.max(1, Math.ceil(endsAt - now)), isRefused };
  };
}
