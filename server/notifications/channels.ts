import { eq, inArray, sql } from "drizzle-orm";
import { hasAttempts } from "@/server/calls";
import { type Alarm, type Channels, type ChannelVerdict, nextStep, UNTRIED_MS } from "@/server/channels";
import { type Db, tables, transaction } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import type { ChannelId } from "@/server/domain/ids";
import { announce } from "./announce";

const { channelAlarms, channels } = tables;

const MINUTE_MS = 60_000;

type ChannelObservation = { verdict: ChannelVerdict; now: Date };

const dataOf = ({ verdict, now }: ChannelObservation, since: Date) => ({
  ...{ channel_id: verdict.channelId, channel: verdict.name, failing_since: since.toISOString() },
  // At most ten: fewer if there were no earlier attempts, or too many faults to keep them all.
  minutes: Math.max(1, Math.ceil((now.getTime() - verdict.countedFrom.getTime()) / MINUTE_MS)),
  ...{ attempts: verdict.attempts, failed: verdict.failed, accounts: verdict.accounts },
  last_status: verdict.status,
});

/** Announces an alarm once, even if several replicas see it. */
async function open(db: Db, observation: ChannelObservation): Promise<void> {
  const { verdict, now } = observation;
  const { channelId } = verdict;
  const since = verdict.since ?? now;
  await transaction(db, async (tx) => {
    // A channel that is being removed raises no alarm.
    const fresh = await ormOf(tx).execute(sql`
      insert into ${channelAlarms} (channel_id, since)
      select id, ${since.toISOString()}::timestamptz from ${channels} where id = ${channelId} for key share
      on conflict do nothing returning since`);
    if (fresh.length > 0) {
      await announce(tx, {
        type: "channel.failing",
        accountId: null,
        at: now,
        data: dataOf(observation, since),
      });
    }
  });
}

async function close(db: Db, observation: ChannelObservation): Promise<void> {
  await transaction(db, async (tx) => {
    const [ended] = await ormOf(tx)
      .delete(channelAlarms)
      .where(eq(channelAlarms.channelId, observation.verdict.channelId))
      .returning({ since: channelAlarms.since });
    if (ended) {
      const data = dataOf(observation, ended.since);
      await announce(tx, { type: "channel.recovered", accountId: null, at: observation.now, data });
    }
  });
}

async function act(db: Db, observation: ChannelObservation, alarm: Alarm | null): Promise<void> {
  const { verdict, now } = observation;
  const ofChannel = eq(channelAlarms.channelId, verdict.channelId);
  const setWellSince = (wellSince: Date | null) =>
    ormOf(db).update(channelAlarms).set({ wellSince }).where(ofChannel);
  switch (nextStep(verdict, alarm, now)) {
    case "opened":
      return await open(db, observation);
    case "recovering":
      await setWellSince(now);
      return;
    case "relapsed":
      await setWellSince(null);
      return;
    case "closed":
      return await close(db, observation);
    case "expired":
      // This process may have missed attempts of others.
      if (!(await hasAttempts(db, verdict.channelId, new Date(now.getTime() - UNTRIED_MS)))) {
        await ormOf(db).delete(channelAlarms).where(ofChannel);
      }
      return;
    default:
  }
}

async function alarmsOf(db: Db): Promise<Map<ChannelId, Alarm>> {
  const alarms = await ormOf(db).select().from(channelAlarms);
  return new Map(alarms.map(({ channelId, ...alarm }) => [channelId, alarm]));
}

/** The start of each failing channel's alarm. Read from the table, so that a replica that has just started knows it. */
export async function failingSince(db: Db): Promise<Map<ChannelId, Date>> {
  return new Map([...(await alarmsOf(db))].map(([channelId, { since }]) => [channelId, since]));
}

/** Finds channels that have begun to fail or have recovered, and announces them to operators who subscribed. */
export async function announceChannels(
  { db, channels: room }: { db: Db; channels: Pick<Channels, "verdicts"> },
  now: Date,
): Promise<void> {
  const orm = ormOf(db);
  const unused = orm.select({ id: channels.id }).from(channels).where(eq(channels.enabled, false));
  // A disabled channel raises no alarm. When it is enabled again, its faults are announced as new ones.
  await orm.delete(channelAlarms).where(inArray(channelAlarms.channelId, unused));
  const alarms = await alarmsOf(db);
  for (const verdict of await room.verdicts(now)) {
    await act(db, { verdict, now }, alarms.get(verdict.channelId) ?? null);
  }
}
