import type { AccountId } from "@/server/base/ids";
import type { Db } from "@/server/db";
import { sqlOf } from "@/server/db/handles";
import { type LedgerEntry, selectEntries } from "./entries";
import { LATE, OTHER_MODEL } from "./settlements";

type Noted = Pick<LedgerEntry, "kind" | "note">;

const hasNote = ({ kind, note }: Noted, wanted: string): boolean =>
  kind === "capture" && (note ?? "").split(", ").includes(wanted);

/** Whether a charge came after what was frozen for it had been returned. */
export const isLateCharge = (entry: Noted): boolean => hasNote(entry, LATE);

/** Whether a part of what was charged, at the price of the model that was called, was another model's work. */
export const hasOtherModel = (entry: Noted): boolean => hasNote(entry, OTHER_MODEL);

/**
 * How the money of these requests ended, by request id (a video's is its task's id): a capture is what it cost, after
 * a release it cost nothing; where a late capture came after the release of a lost hold, it is the capture. What is
 * not in the answer froze no money, or has not ended. `accountId`: whose.
 */
export async function findCharges(
  db: Db,
  requestIds: string[],
  accountId?: AccountId,
): Promise<Map<string, LedgerEntry>> {
  const sql = sqlOf(db);
  if (requestIds.length === 0) {
    return new Map();
  }
  const entries = await selectEntries(
    sql,
    sql`where request_id = any(${requestIds}) and ${accountId === undefined ? sql`true` : sql`account_id = ${accountId}`}
      -- Of two, the capture comes last and stays.
      order by kind desc`,
  );
  return new Map(entries.map((entry) => [entry.requestId ?? "", entry]));
}
