import { sql } from "drizzle-orm";
import { type AccountId, type ChannelId, lowestId } from "@/server/base/ids";
import { type Db, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";

const { callAttempts, channels } = tables;

/**
 * A client that leaves after this long without the start of an answer did not simply end its call: the attempt counts
 * as unanswered.
 */
const PATIENCE_MS = 20_000;

/**
 * Attempts at a channel for one account that ended alike; `outcome`: as recorded, or "unanswered" (`PATIENCE_MS`).
 * `recent`: how many began within the span. `since`: the start of the first recent one after the channel's last
 * success, or of the first recent one at all; null: none is recent.
 */
export type AlikeAttempts = {
  accountId: AccountId;
  outcome: string;
  status: number | null;
  recent: number;
  since: Date | null;
  lastAt: Date;
};

/** `readFrom`: the start of the oldest recent attempt that was read; null: none was. */
export type ChannelOutcomes = {
  channelId: ChannelId;
  name: string;
  readFrom: Date | null;
  attempts: AlikeAttempts[];
};

/** Attempts read for each channel: a million rows take as long as these. */
const MOST_ATTEMPTS = 2_000;
/** The longest that a call may take: a call is recorded when it ends, with its attempts, but found by its start. */
const LONGEST_CALL_MS = 70 * 60_000;

type ChannelLatelyRow = {
  id: ChannelId;
  name: string;
  read_from: string | null;
  account_id: AccountId | null;
  outcome: string;
  status: number | null;
  recent: number;
  since: string | null;
  last_at: string;
};

const moment = (text: string | null) => (text === null ? null : new Date(text));

/** How the newest attempts of every enabled channel ended, also of channels that had no attempts. */
export async function channelOutcomes(db: Db, from: Date): Promise<ChannelOutcomes[]> {
  const isRecent = sql`began_at >= ${from.toISOString()}::timestamptz`;
  const begun = lowestId("req", new Date(from.getTime() - LONGEST_CALL_MS));
  const rows = await ormOf(db).execute<ChannelLatelyRow>(sql`
    select ${channels.id}, ${channels.name}, alike.* from ${channels} left join lateral (
      with newest as (
        select account_id, began_at, status, case
            when outcome = 'abandoned' and head_ms is null and elapsed_ms >= ${PATIENCE_MS} then 'unanswered'
            else outcome end as outcome
        from ${callAttempts}
        where ${callAttempts.channelId} = ${channels.id} and ${callAttempts.requestId} >= ${begun}
        order by ${callAttempts.requestId} desc limit ${MOST_ATTEMPTS}
      ), ok as (select max(began_at) as last from newest where outcome = 'ok')
      select account_id, outcome, status, count(*) filter (where ${isRecent})::int as recent,
        coalesce(
          min(began_at) filter (where ${isRecent} and began_at > (select last from ok)),
          min(began_at) filter (where ${isRecent})
        ) as since,
        max(began_at) as last_at, (select min(began_at) from newest where ${isRecent}) as read_from
      from newest group by account_id, outcome, status
    ) alike on true where ${channels.enabled} order by ${channels.id}`);
  const byChannel = new Map<ChannelId, ChannelOutcomes>();
  for (const { id, name, read_from, account_id, since, last_at, ...counts } of rows) {
    const channel = byChannel.get(id) ?? { channelId: id, name, readFrom: moment(read_from), attempts: [] };
    byChannel.set(id, channel);
    if (account_id !== null) {
      const { outcome, status, recent } = counts;
      channel.attempts.push({
        ...{ accountId: account_id, outcome, status, recent },
        ...{ since: moment(since), lastAt: new Date(last_at) },
      });
    }
  }
  return [...byChannel.values()];
}

/**
 * A recorded attempt. `version`: of the channel's row; empty if the channel does not have the credential any more.
 * `credential`: its index; -1: none.
 */
export type NewestAttempt = {
  channelId: ChannelId;
  name: string;
  version: string;
  operation: string;
  credential: number;
  accountId: AccountId;
  outcome: string;
  status: number | null;
  words: string | null;
  headMs: number | null;
  isStream: boolean;
  endedAt: Date;
  elapsedMs: number;
};

/** For each channel; a process keeps only a few words for each. */
const MOST_NEWEST = 200;

/** The newest attempts since `from` of each enabled channel, also from before its last change, oldest first. */
export async function newestAttempts(db: Db, from: Date): Promise<NewestAttempt[]> {
  const begun = lowestId("req", from);
  const rows = await ormOf(db).execute<Omit<NewestAttempt, "endedAt"> & { endedAt: string }>(sql`
    select ${channels.id} as "channelId", ${channels.name}, newest.operation,
      coalesce(case when newest.credential = any(${channels.credentialHints}) then newest.channel_version end, '')
        as version,
      coalesce(array_position(${channels.credentialHints}, newest.credential), 0) - 1 as credential,
      newest.account_id as "accountId", newest.outcome, newest.status, newest.words, newest.head_ms as "headMs",
      newest.first_ms is not null as "isStream", newest.elapsed_ms as "elapsedMs",
      newest.began_at + newest.elapsed_ms * interval '1 millisecond' as "endedAt"
    from ${channels} cross join lateral (
      select * from ${callAttempts}
      where ${callAttempts.channelId} = ${channels.id} and ${callAttempts.requestId} >= ${begun}
      order by ${callAttempts.requestId} desc limit ${MOST_NEWEST}
    ) newest
    where ${channels.enabled} order by "endedAt"`);
  return rows.map((row) => ({ ...row, endedAt: new Date(row.endedAt) }));
}
