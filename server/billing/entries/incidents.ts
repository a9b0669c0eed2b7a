import { and, eq, gte, inArray, isNotNull, like, not, notExists, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { type Db, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { ABOVE_HOLD, LATE } from "../holds/charge-notes";

const { ledgerEntries } = tables;

/** Counts of calls since a moment that did not end normally, from the ledger. */
export type IncidentCounts = {
  /** Charged after their money had been returned. */
  late: number;
  /** Charged above their hold although the client had set a limit. */
  aboveHold: number;
  /** Their process died, or their hold was lost, and they were never charged. */
  uncharged: number;
  /** Escrows whose process died; the number of their calls under way is unknown. */
  escrows: number;
};

/** Reads all entries since then: for a command, not for a page. */
export async function countIncidents(db: Db, since: Date): Promise<IncidentCounts> {
  const { accountId, period, id, kind, note, createdAt, isLost } = ledgerEntries;
  const later = alias(ledgerEntries, "later");
  const charge = ormOf(db)
    .select({ id: later.id })
    .from(later)
    .where(
      and(
        ...[eq(later.accountId, accountId), eq(later.period, period), eq(later.id, id)],
        eq(later.kind, "capture"),
      ),
    );
  const isCapture = sql`${kind} = 'capture'`;
  const isEscrow = like(id, "esc\\_%");
  const [row] = await ormOf(db)
    .select({
      late: sql`count(*) filter (where ${isCapture} and ${note} like ${`${LATE}%`})`.mapWith(Number),
      aboveHold: sql`count(*) filter (where ${isCapture} and ${note} like ${`%${ABOVE_HOLD}`})`.mapWith(
        Number,
      ),
      uncharged: sql`count(*) filter (where ${and(isLost, not(isEscrow), notExists(charge))})`.mapWith(
        Number,
      ),
      escrows: sql`count(*) filter (where ${and(isLost, isEscrow)})`.mapWith(Number),
    })
    .from(ledgerEntries)
    .where(and(gte(createdAt, since), inArray(kind, ["capture", "release"]), isNotNull(note)));
  return row ?? { late: 0, aboveHold: 0, uncharged: 0, escrows: 0 };
}
