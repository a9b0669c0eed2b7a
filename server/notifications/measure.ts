import { sql } from "drizzle-orm";
import { type Db, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { STALE_MS } from "./send-mails";

const { deliveries, users, webhooks } = tables;

const kinds = ["webhook", "mail"] as const;
type OutboxKind = (typeof kinds)[number];

/** The number of events that wait for their first attempt, and the delay of the oldest. */
export type OutboxMeasure = { kind: OutboxKind; waiting: number; lateSeconds: number };

/**
 * Events after a first attempt wait for their receiver and are not counted. Reads the queue only. Throws the database's
 * error.
 */
export async function measureOutbox(db: Db): Promise<OutboxMeasure[]> {
  const rows = await ormOf(db).execute<{ kind: OutboxKind; waiting: number; late: number }>(sql`
    select case when ${deliveries.userId} is null then 'webhook' else 'mail' end as kind, count(*)::float8 as waiting,
      extract(epoch from now() - min(${deliveries.dueAt}))::float8 as late
    from ${deliveries}
    left join ${webhooks} on ${webhooks.id} = ${deliveries.webhookId}
    left join ${users} on ${users.id} = ${deliveries.userId}
    where ${deliveries.dueAt} is not null and ${deliveries.attempts} = 0
      and coalesce(${webhooks.status}, ${users.status}) = 'active'
      and (${deliveries.userId} is null or ${deliveries.createdAt} > now() - ${STALE_MS / 1_000} * interval '1 second')
    group by 1`);
  const byKind = new Map(rows.map((row) => [row.kind, row]));
  return kinds.map((kind) => {
    const { waiting = 0, late = 0 } = byKind.get(kind) ?? {};
    return { kind, waiting, lateSeconds: Math.max(0, late) };
  });
}
