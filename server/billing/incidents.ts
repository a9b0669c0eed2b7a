import type { Db } from "@/server/db";
import { sqlOf } from "@/server/db/handles";
import { ABOVE_HOLD, EXPIRED, LATE } from "./settlements";

/** What the ledger has of calls that did not end as they should, since a moment. */
export type IncidentCounts = {
  /** Charged after their money had been returned. */
  late: number;
  /** Charged above their hold although the client had named a limit. */
  aboveHold: number;
  /** Their process died, or their hold was lost, and nothing was ever charged. */
  uncharged: number;
};

/** Reads all of the entries since then: for a command, not for a page. */
export async function countIncidents(db: Db, since: Date): Promise<IncidentCounts> {
  const sql = sqlOf(db);
  const [row] = await sql<IncidentCounts[]>`
    select
      (count(*) filter (where kind = 'capture' and note like ${`${LATE}%`}))::int as late,
      (count(*) filter (where kind = 'capture' and note like ${`%${ABOVE_HOLD}`}))::int as "aboveHold",
      (count(*) filter (where kind = 'release' and note = ${EXPIRED} and not exists (
        select 1 from ledger_entries as later
        where later.request_id = entry.request_id and later.kind = 'capture'
      )))::int as uncharged
    from ledger_entries as entry
    where created_at >= ${since} and kind in ('capture', 'release') and note is not null`;
  return row ?? { late: 0, aboveHold: 0, uncharged: 0 };
}
