import { sql } from "drizzle-orm";
import { type ChannelId, lowestId } from "@/server/base/ids";
import { type Db, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { isFault } from "./attempts";

const { callAttempts, channels } = tables;

/**
 * How the newest attempts of a channel went that say something of it. `since`: when the first fault after its last
 * success began, or the first at all; null: none failed. `accounts`: whose calls failed. `status`: of the last fault's
 * answer; null: none came.
 */
export type ChannelLately = {
  channelId: ChannelId;
  name: string;
  attempts: number;
  failed: number;
  since: Date | null;
  accounts: number;
  status: number | null;
};

/** Of a channel: a million rows take as long as these. */
const MOST_ATTEMPTS = 2_000;

type Row = {
  id: ChannelId;
  name: string;
  attempts: number;
  failed: number;
  since: string | null;
  accounts: number;
  status: number | null;
};

/** Of every channel that is in use, also those that nothing was sent to. */
export async function channelsLately(db: Db, from: Date): Promise<ChannelLately[]> {
  const rows = await ormOf(db).execute<Row>(sql`
    select ${channels.id}, ${channels.name}, sums.* from ${channels} cross join lateral (
      with newest as (
        select * from ${callAttempts}
        where ${callAttempts.channelId} = ${channels.id} and ${callAttempts.requestId} >= ${lowestId("req", from)}
        order by ${callAttempts.requestId} desc limit ${MOST_ATTEMPTS}
      ), faults as (select * from newest where ${isFault}),
      last_ok as (select max(began_at) as at from newest where outcome = 'ok')
      select (select count(*) from newest where outcome = 'ok')::int + count(*)::int as attempts, count(*)::int as failed,
        coalesce(min(began_at) filter (where began_at > (select at from last_ok)), min(began_at)) as since,
        count(distinct account_id)::int as accounts, (array_agg(status order by began_at desc))[1] as status
      from faults
    ) sums where ${channels.enabled}`);
  return rows.map(({ id, since, ...row }) => ({
    ...{ channelId: id, ...row },
    since: since === null ? null : new Date(since),
  }));
}
