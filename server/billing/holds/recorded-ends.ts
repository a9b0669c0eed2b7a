/** How calls ended, according to the ledger. */
import type { Db } from "@/server/db";
import { sqlOf } from "@/server/db/handles";
import type { Settlement } from "./settlement";
import { type HoldKey, namedRows, onlyAccount } from "./statements";

/** `isLost`: the call ended only because its hold was lost. */
export type RecordedEnd = { kind: "capture" | "release"; isLost: boolean };

/** The ledger's entries of calls: of each at most one end, and before it a loss. */
async function findEntries(db: Db, calls: HoldKey[]): Promise<({ id: string } & RecordedEnd)[]> {
  const sql = sqlOf(db);
  const only = onlyAccount(calls);
  return await sql<({ id: string } & RecordedEnd)[]>`
    select entry.* from ${namedRows(sql, calls)}, lateral (
      select id, kind, is_lost as "isLost" from ledger_entries
      where account_id = wanted.account_id and id = wanted.request_id and period = wanted.period
        and (account_id = ${only} or ${only}::text is null)
      limit 2
    ) as entry
    order by "isLost" desc`;
}

/** The ends of calls, by request id. */
export async function findEnds(db: Db, calls: HoldKey[]): Promise<Map<string, RecordedEnd>> {
  // Of two entries, the one that is not the loss comes last and stays.
  return new Map((await findEntries(db, calls)).map(({ id, ...end }) => [id, end]));
}

/** Whether the settlement's entry is that of a lost hold. */
export const isLoss = ({ charge, wasLost = false }: Pick<Settlement, "charge" | "wasLost">): boolean =>
  charge === null && wasLost;

/** Those of the settlements whose entry the ledger has. */
export async function findEntered<Of extends Settlement>(db: Db, settlements: Of[]): Promise<Set<Of>> {
  const entries = await findEntries(db, settlements);
  const names = new Set(entries.map(({ id, isLost }) => `${id} ${isLost}`));
  return new Set(settlements.filter((each) => names.has(`${each.requestId} ${isLoss(each)}`)));
}
