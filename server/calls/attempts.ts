import { and, asc, eq, type SQL, sql } from "drizzle-orm";
import { type Db, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import type { AccountId, ChannelId } from "@/server/domain/ids";
import { lowestId } from "@/server/domain/ids";
import type { AttemptRecord } from "./rows";

const { callAttempts } = tables;

/** A call's attempts at upstreams, in order. */
export async function listAttempts(
  db: Db,
  call: { requestId: string; accountId: AccountId },
): Promise<AttemptRecord[]> {
  const rows = await ormOf(db)
    .select()
    .from(callAttempts)
    .where(and(eq(callAttempts.accountId, call.accountId), eq(callAttempts.requestId, call.requestId)))
    .orderBy(asc(callAttempts.position));
  return rows.map(({ requestId: _, accountId: __, position: ___, ...attempt }) => attempt);
}

/**
 * How a channel performed in a period. `failed`: attempts that count against the channel; an attempt that its client
 * ended or got wrong is neither `ok` nor `failed`. Times in milliseconds of successful attempts; null: none.
 * `failingSince`: the start of the first fault after the last success; null: the last attempt succeeded. `isPartial`:
 * only the newest attempts are included, because there were too many to read.
 */
type ChannelReport = {
  attempts: number;
  ok: number;
  failed: number;
  headMs: { p50: number; p95: number } | null;
  firstMs: { p50: number; p95: number } | null;
  elapsedMs: { p50: number; p95: number } | null;
  lastOkAt: Date | null;
  failingSince: Date | null;
  isPartial: boolean;
  /** One entry for each part of the period, oldest first, empty parts included. */
  parts: { at: Date; ok: number; failed: number }[];
  /** Failed attempts by outcome, status and words, the most frequent first. */
  faults: { outcome: string; status: number | null; words: string | null; count: number; lastAt: Date }[];
  /** Accounts with failed attempts, the most failures first. */
  accounts: { accountId: AccountId; attempts: number; failed: number }[];
};

/** Some 100 ms of reading. */
const MOST_ATTEMPTS = 100_000;
const MOST_FAULTS = 10;
const MOST_ACCOUNTS = 10;

type Span = { channelId: ChannelId; from: Date; until: Date; parts: number };

const isFault = sql`outcome not in ('ok', 'rejected', 'abandoned')`;

/** A query over the newest attempts of a channel in a period, as `newest`. */
const withNewest = ({ channelId, from, until }: Span, select: SQL) => sql`
  with newest as (
    select * from ${callAttempts}
    where ${callAttempts.channelId} = ${channelId} and ${callAttempts.requestId} >= ${lowestId("req", from)}
      and ${callAttempts.requestId} < ${lowestId("req", until)}
    order by ${callAttempts.requestId} desc limit ${MOST_ATTEMPTS}
  ) ${select}`;

const moment = (text: string | null): Date | null => (text === null ? null : new Date(text));

const percentiles = (column: SQL) => sql`
  percentile_disc(array[0.5, 0.95]) within group (order by ${column}) filter (where outcome = 'ok')`;

const spread = (pair: number[] | null) => {
  const [p50, p95] = pair ?? [];
  return p50 === undefined || p95 === undefined ? null : { p50, p95 };
};

type Totals = {
  attempts: number;
  ok: number;
  failed: number;
  head: number[] | null;
  first: number[] | null;
  elapsed: number[] | null;
  last_ok_at: string | null;
  failing_since: string | null;
};

const totals = (span: Span) =>
  withNewest(
    span,
    sql`
    , last_ok as (select max(began_at) as at from newest where outcome = 'ok')
    select count(*)::int as attempts, count(*) filter (where outcome = 'ok')::int as ok,
      count(*) filter (where ${isFault})::int as failed,
      ${percentiles(sql`head_ms`)} as head, ${percentiles(sql`first_ms`)} as first,
      ${percentiles(sql`elapsed_ms`)} as elapsed, max(last_ok.at) as last_ok_at,
      min(began_at) filter (where ${isFault} and (last_ok.at is null or began_at > last_ok.at)) as failing_since
    from newest cross join last_ok`,
  );

/** Reports on a channel between two moments, in that many parts. Reads a bounded number of rows. */
export async function reportChannel(db: Db, span: Span): Promise<ChannelReport> {
  const orm = ormOf(db);
  const partMs = (span.until.getTime() - span.from.getTime()) / span.parts;
  const [[sums], parts, faults, accounts] = await Promise.all([
    orm.execute<Totals>(totals(span)),
    orm.execute<{ part: number; ok: number; failed: number }>(
      withNewest(
        span,
        sql`select floor(extract(epoch from began_at - ${span.from.toISOString()}::timestamptz) * 1000 / ${partMs}::float8)::int as part,
          count(*) filter (where outcome = 'ok')::int as ok, count(*) filter (where ${isFault})::int as failed
        from newest group by 1`,
      ),
    ),
    orm.execute<{
      outcome: string;
      status: number | null;
      words: string | null;
      count: number;
      last_at: string;
    }>(
      withNewest(
        span,
        sql`select outcome, status, words, count(*)::int as count, max(began_at) as last_at
        from newest where ${isFault} group by 1, 2, 3 order by count desc, last_at desc limit ${MOST_FAULTS}`,
      ),
    ),
    orm.execute<{ account_id: AccountId; attempts: number; failed: number }>(
      withNewest(
        span,
        sql`select account_id, count(*)::int as attempts, count(*) filter (where ${isFault})::int as failed
        from newest group by 1 having count(*) filter (where ${isFault}) > 0
        order by failed desc, account_id limit ${MOST_ACCOUNTS}`,
      ),
    ),
  ]);
  const byPart = new Map(parts.map((row) => [row.part, row]));
  return {
    attempts: sums?.attempts ?? 0,
    ok: sums?.ok ?? 0,
    failed: sums?.failed ?? 0,
    headMs: spread(sums?.head ?? null),
    firstMs: spread(sums?.first ?? null),
    elapsedMs: spread(sums?.elapsed ?? null),
    lastOkAt: moment(sums?.last_ok_at ?? null),
    failingSince: moment(sums?.failing_since ?? null),
    isPartial: sums?.attempts === MOST_ATTEMPTS,
    parts: Array.from({ length: span.parts }, (_, part) => ({
      at: new Date(span.from.getTime() + part * partMs),
      ok: byPart.get(part)?.ok ?? 0,
      failed: byPart.get(part)?.failed ?? 0,
    })),
    faults: faults.map(({ last_at, ...fault }) => ({ ...fault, lastAt: new Date(last_at) })),
    accounts: accounts.map(({ account_id, ...counts }) => ({ accountId: account_id, ...counts })),
  };
}
