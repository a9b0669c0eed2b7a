import { eq } from "drizzle-orm";
import type { ChannelId } from "@/server/base/ids";
import { type ChannelLately, channelsLately } from "@/server/calls";
import { type Db, tables, transaction } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { announce } from "./announce";
import { isFailing } from "./failing";

const { channelAlarms } = tables;

/** Enough to tell an outage from a moment, and short enough that what is over is over. */
const MINUTES = 10;

const dataOf = ({ channelId, name, attempts, failed, accounts, status }: ChannelLately, since: Date) => ({
  ...{ channel_id: channelId, channel: name, failing_since: since.toISOString() },
  ...{ minutes: MINUTES, attempts, failed, accounts, last_status: status },
});

/** Told once, whichever replica sees it first. */
async function begin(db: Db, now: Date, channel: ChannelLately): Promise<void> {
  const since = channel.since ?? now;
  await transaction(db, async (tx) => {
    const fresh = await ormOf(tx)
      .insert(channelAlarms)
      .values({ channelId: channel.channelId, since })
      .onConflictDoNothing()
      .returning({ since: channelAlarms.since });
    if (fresh.length > 0) {
      await announce(tx, { type: "channel.failing", accountId: null, at: now, data: dataOf(channel, since) });
    }
  });
}

async function end(db: Db, now: Date, channel: ChannelLately): Promise<void> {
  await transaction(db, async (tx) => {
    const [ended] = await ormOf(tx)
      .delete(channelAlarms)
      .where(eq(channelAlarms.channelId, channel.channelId))
      .returning({ since: channelAlarms.since });
    if (ended) {
      const data = dataOf(channel, ended.since);
      await announce(tx, { type: "channel.recovered", accountId: null, at: now, data });
    }
  });
}

/** Since when each channel fails that does, whichever replica saw it: one that has started since knows it, too. */
export async function failingSince(db: Db): Promise<Map<ChannelId, Date>> {
  const alarms = await ormOf(db).select().from(channelAlarms);
  return new Map(alarms.map(({ channelId, since }) => [channelId, since]));
}

/**
 * Finds channels that have begun to fail, and those that are well again, and tells operators who want to hear of it;
 * reads a bounded number of rows.
 */
export async function tellChannels(db: Db, now: Date): Promise<void> {
  const failing = await failingSince(db);
  for (const channel of await channelsLately(db, new Date(now.getTime() - MINUTES * 60_000))) {
    const was = failing.has(channel.channelId);
    const is = isFailing(channel, was);
    if (is !== was) {
      await (is ? begin : end)(db, now, channel);
    }
  }
}
