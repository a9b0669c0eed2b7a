import { eq, inArray, sql } from "drizzle-orm";
import type { ChannelId } from "@/server/base/ids";
import { type ChannelLately, channelsLately } from "@/server/calls";
import { type Db, tables, transaction } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { announce } from "./announce";
import { type Alarm, judge, type Lately, nextOf } from "./failing";

const { channelAlarms, channels } = tables;

/** Long enough to tell an outage from a short disturbance, and short enough that a past outage no longer counts. */
const MINUTES = 10;
const MINUTE_MS = 60_000;

type ChannelObservation = ChannelLately & { lately: Lately; now: Date };

const dataOf = ({ channelId, name, lately, readFrom, now }: ChannelObservation, since: Date) => ({
  ...{ channel_id: channelId, channel: name, failing_since: since.toISOString() },
  // Fewer than requested if there were too many attempts to read them all.
  minutes: readFrom ? Math.max(1, Math.ceil((now.getTime() - readFrom.getTime()) / MINUTE_MS)) : MINUTES,
  ...{ attempts: lately.attempts, failed: lately.failed, accounts: lately.accounts },
  last_status: lately.status,
});

/** Announces an alarm once, even if several replicas see it. */
async function begin(db: Db, observation: ChannelObservation): Promise<void> {
  const { channelId, lately, now } = observation;
  const since = lately.since ?? now;
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

async function recover(db: Db, observation: ChannelObservation): Promise<void> {
  await transaction(db, async (tx) => {
    const [ended] = await ormOf(tx)
      .delete(channelAlarms)
      .where(eq(channelAlarms.channelId, observation.channelId))
      .returning({ since: channelAlarms.since });
    if (ended) {
      const data = dataOf(observation, ended.since);
      await announce(tx, { type: "channel.recovered", accountId: null, at: observation.now, data });
    }
  });
}

async function act(db: Db, observation: ChannelObservation, alarm: Alarm | null): Promise<void> {
  const ofChannel = eq(channelAlarms.channelId, observation.channelId);
  const setWellSince = (wellSince: Date | null) =>
    ormOf(db).update(channelAlarms).set({ wellSince }).where(ofChannel);
  switch (nextOf(observation.lately, alarm, observation.now)) {
    case "begins":
      return await begin(db, observation);
    case "calms":
      await setWellSince(observation.now);
      return;
    case "flares":
      await setWellSince(null);
      return;
    case "recovers":
      return await recover(db, observation);
    case "forgotten":
      await ormOf(db).delete(channelAlarms).where(ofChannel);
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

/**
 * Finds channels that have begun to fail or have recovered, and announces them to operators who subscribed; reads a
 * bounded number of rows.
 */
export async function tellChannels(db: Db, now: Date): Promise<void> {
  const orm = ormOf(db);
  const unused = orm.select({ id: channels.id }).from(channels).where(eq(channels.enabled, false));
  // A disabled channel raises no alarm. When it is enabled again, its faults are announced as new ones.
  await orm.delete(channelAlarms).where(inArray(channelAlarms.channelId, unused));
  const alarms = await alarmsOf(db);
  for (const channel of await channelsLately(db, new Date(now.getTime() - MINUTES * MINUTE_MS))) {
    const observation = { ...channel, lately: judge(channel.attempts), now };
    await act(db, observation, alarms.get(channel.channelId) ?? null);
  }
}
