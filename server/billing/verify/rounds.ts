import { randomUUID } from "node:crypto";
import { and, eq, lte, sql } from "drizzle-orm";
import { type Database, patient, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { periodBefore } from "@/server/domain/period";
import { type Slice, verifySlices } from "./slices";

const { ledgerChecks } = tables;

const OPEN_MONTHS = "open months";

/** Time between two steps of a round, for all replicas together: some percent of one of the database's processors. */
const STEP_SECONDS = 10;
/** Time from the end of a round to the start of the next one. */
const ROUND_SECONDS = 600;
/** Longer than a step can take, two statements of `patient`: after it, the process that took the step counts as dead. */
const CLAIM_SECONDS = 1_260;

/**
 * The entries that the last complete round read, and the number of figures that differed in it, or in the round under
 * way if that is more.
 */
type Verified = { at: Date | null; entries: number; drifts: number };

const isRow = eq(ledgerChecks.name, OPEN_MONTHS);
const later = (seconds: number) => sql`now() + make_interval(secs => ${seconds})`;

/** Claims the next step, if it is due and no other process has taken it. */
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

type VerifyStep = NonNullable<Awaited<ReturnType<typeof claimStep>>>;

/** Changes nothing if the process stood still for longer than its claim. */
async function recordStep(db: Database, { claim, ...step }: VerifyStep, { entries, drift, next }: Slice) {
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
 * Takes the next step of the round that all replicas verify together, over the open month and the one before, whose
 * last calls may still be charged. Returns the result; null: no step is due, or another replica has taken it.
 */
export async function verifyOpenMonths(db: Database, openMonth: string): Promise<Slice | null> {
  const step = await claimStep(db);
  if (!step) {
    return null;
  }
  const periods = [openMonth, periodBefore(openMonth)];
  const { period, after } = step;
  // A round that was interrupted for months starts over.
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
