import { and, eq, gte, sql } from "drizzle-orm";
import { type Db, tables } from "@/server/db";
import { isDistributed, ormOf } from "@/server/db/handles";
import { type AccountId, type ChannelId, lowestId } from "@/server/domain/ids";

const { callAttempts, channels } = tables;

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

/** `channelId`: only this channel. */
async function newestOf(db: Db, from: Date, channelId: ChannelId | null): Promise<NewestAttempt[]> {
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
      where ${callAttempts.channelId} = ${channelId ?? channels.id} and ${callAttempts.requestId} >= ${begun}
      order by ${callAttempts.requestId} desc limit ${MOST_NEWEST}
    ) newest
    where ${channels.enabled} and ${channelId === null ? sql`true` : eq(channels.id, channelId)}
    order by "endedAt"`);
  return rows.map((row) => ({ ...row, endedAt: new Date(row.endedAt) }));
}

/**
 * The newest attempts since `from` of each enabled channel, also from before its last change, oldest first. On several
 * machines each channel has a statement, because no machine can join another's rows.
 */
export async function newestAttempts(db: Db, from: Date): Promise<NewestAttempt[]> {
  if (!isDistributed(db)) {
    return await newestOf(db, from, null);
  }
  const enabled = await ormOf(db)
    .select({ id: channels.id })
    .from(channels)
    .where(eq(channels.enabled, true));
  const found = await Promise.all(enabled.map(({ id }) => newestOf(db, from, id)));
  return found.flat().sort((one, other) => one.endedAt.getTime() - other.endedAt.getTime());
}

/** The longest that a call may take: a call is recorded when it ends, with its attempts, but found by its start. */
const LONGEST_CALL_MS = 70 * 60_000;

/** Whether an attempt at the channel that began since `from` was recorded. */
export async function hasAttempts(db: Db, channelId: ChannelId, from: Date): Promise<boolean> {
  const begun = lowestId("req", new Date(from.getTime() - LONGEST_CALL_MS));
  const rows = await ormOf(db)
    .select({ requestId: callAttempts.requestId })
    .from(callAttempts)
    .where(
      and(
        eq(callAttempts.channelId, channelId),
        gte(callAttempts.requestId, begun),
        gte(callAttempts.beganAt, from),
      ),
    )
    .limit(1);
  return rows.length > 0;
}
