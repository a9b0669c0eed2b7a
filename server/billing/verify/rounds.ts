import { randomUUID } from "node:crypto";
import { and, eq, lte, sql } from "drizzle-orm";
import { periodBefore } from "@/server/base/period";
import { type Database, patient, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { type Slice, verifySlices } from "./slices";

const { ledgerChecks } = tables;

const OPEN_MONTHS = "open months";

/** Between two steps of a round, of all replicas together: some percent of one of the database's processors. */
const STEP_SECONDS = 10;
/** From the end of a round to the begin of the next one. */
const ROUND_SECONDS = 600;
/** Longer than a step can last (`patient`): after it the process that took the step is dead. */
const CLAIM_SECONDS = 660;

/** What the last whole round has read, and how many figures differed in it, or in the one under way if that is more. */
type Verified = { at: Date | null; entries: number; drifts: number };

const isRow = eq(ledgerChecks.name, OPEN_MONTHS);
const later = (seconds: number) => sql`now() + make_interval(secs => ${seconds})`;

/** The next step, if its time has come and nobody else has taken it. */
async function claimStep(db: Database) {
  const orm = ormOf(db);
  await orm.insert(ledgerChecks).values({ name: OPEN_MONTHS }).onConflictDoNothing();
  const [row] = await orm
    .update(ledgerChecks)
    .set({ nextAt: later(CLAIM_SECONDS), claim: randomUUID() })
    .where(and(isRow, lte(ledgerChecks.nextAt, sql`now()`)))
    .returning();
  return row;
}

type Step = NonNullable<Awaited<ReturnType<typeof claimStep>>>;

/** Changes nothing where the process stood still for longer than its claim. */
async function recordStep(db: Database, { claim, ...step }: Step, { entries, drift, next }: Slice) {
  const [allEntries, allDrifts] = [step.entries + entries, step.drifts + drift.length];
  await ormOf(db)
    .update(ledgerChecks)
    .set(
      next
        ? { nextAt: later(STEP_SECONDS), ...next, entries: allEntries, drifts: allDrifts }
        : {
            ...{ nextAt: later(ROUND_SECONDS), period: null, after: null, entries: 0, drifts: 0 },
            ...{ verifiedAt: sql`now()`, verifiedEntries: allEntries, verifiedDrifts: allDrifts },
          },
    )
    .where(and(isRow, eq(ledgerChecks.claim, claim ?? "")));
}

/**
 * Takes the next step of the round that all replicas verify together: of the open month, and of the one before, whose
 * last calls may still be charged. Answers what it found; null: it is not time yet, or another replica's turn.
 */
export async function verifyOpenMonths(db: Database, openMonth: string): Promise<Slice | null> {
  const step = await claimStep(db);
  if (!step) {
    return null;
  }
  const periods = [openMonth, periodBefore(openMonth)];
  const { period, after } = step;
  // A round that was interrupted for months begins anew.
  const from = period !== null && periods.includes(period) ? { period, after: after ?? "" } : undefined;
  for await (const slice of verifySlices(patient(db), { periods, from })) {
    await recordStep(db, step, slice);
    return slice;
  }
  return null;
}

export async function findVerified(db: Database): Promise<Verified> {
  const [row] = await ormOf(db)
    .select({
      at: ledgerChecks.verifiedAt,
      entries: ledgerChecks.verifiedEntries,
      drifts: sql`greatest(${ledgerChecks.verifiedDrifts}, ${ledgerChecks.drifts})`.mapWith(Number),
    })
    .from(ledgerChecks)
    .where(isRow);
  return row ?? { at: null, entries: 0, drifts: 0 };
}
