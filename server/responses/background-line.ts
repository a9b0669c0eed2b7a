import { and, eq, gte, inArray, isNull, lt, or, sql } from "drizzle-orm";
import { endDurableHold } from "@/server/billing";
import { type Database, tables, transaction } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { isNextOf, isOver, leaseFor } from "@/server/db/lease";
import {
  type BackgroundDeps,
  type BackgroundQueue,
  type BackgroundRequest,
  type BackgroundRow,
  type BackgroundTask,
  cancelledRun,
  columns,
  isThis,
} from "./background-task";
import { hashOf, openAsked } from "./sealing";

const { backgroundResponses: tasks } = tables;

/** Longer than any pause of a living process. */
const LEASE = leaseFor(20);
const MAX_ATTEMPTS = 3;
const TAKEN_OVER_AT_ONCE = 100;

const isLapsed = isOver(tasks.leaseUntil);

async function read(row: BackgroundRow, secrets: string[]): Promise<BackgroundTask | null> {
  const { payload, ...task } = row;
  const request = await openAsked(payload, { secrets, id: row.hash, accountId: row.accountId });
  return request === null ? null : { ...task, request: request as BackgroundRequest };
}

async function readAll(rows: BackgroundRow[], secrets: string[]): Promise<BackgroundTask[]> {
  return (await Promise.all(rows.map((row) => read(row, secrets)))).filter((task) => task !== null);
}

/** The queue: which response is next, and which run has it. */
export function createLine({
  db,
  secrets,
}: BackgroundDeps): Omit<BackgroundQueue, "enqueue" | "finish" | "cancel" | "takeOver"> {
  return {
    claim: async (runId, limit) => {
      const isWaiting = isNull(tasks.runId);
      const isDue = isNextOf(db, tasks.hash, { where: isWaiting, orderBy: [tasks.createdAt], limit });
      const rows = await ormOf(db)
        .update(tasks)
        .set({ runId, leaseUntil: LEASE, attempts: sql`${tasks.attempts} + 1` })
        .where(and(isDue, isWaiting))
        .returning(columns);
      return await readAll(rows, secrets);
    },
    renew: async (runId, hashes) => {
      const rows = await ormOf(db)
        .update(tasks)
        .set({ leaseUntil: LEASE })
        .where(and(inArray(tasks.hash, hashes), eq(tasks.runId, runId)))
        .returning({ hash: tasks.hash });
      return new Set(rows.map(({ hash }) => hash));
    },
    markBegun: async (task) => {
      const marked = await ormOf(db)
        .update(tasks)
        .set({ hasBegun: true })
        .where(and(isThis(task), eq(tasks.runId, task.runId ?? "")))
        .returning({ hash: tasks.hash });
      return marked.length > 0;
    },
    giveBack: async (task) => {
      await ormOf(db)
        .update(tasks)
        // This was no attempt: no upstream was called.
        .set({ runId: null, leaseUntil: null, attempts: sql`greatest(${tasks.attempts} - 1, 0)` })
        .where(and(isThis(task), eq(tasks.runId, task.runId ?? "")));
    },
    stateOf: async (accountId, id) => {
      const [row] = await ormOf(db)
        .select({ runId: tasks.runId })
        .from(tasks)
        .where(isThis({ accountId, hash: hashOf(id) }));
      const state = row?.runId === null ? "queued" : "in_progress";
      return row ? state : null;
    },
  };
}

/**
 * Discards a row that cannot be read, because its secret is gone: its money is returned, and its client gets no
 * message.
 */
async function discard(db: Database, row: BackgroundRow): Promise<void> {
  await transaction(db, async (tx) => {
    const gone = await ormOf(tx)
      .delete(tasks)
      .where(and(isThis(row), eq(tasks.runId, row.runId ?? "")))
      .returning({ hash: tasks.hash });
    if (gone.length > 0) {
      await endDurableHold(tx, row, { charge: null, note: "unreadable" });
    }
  });
}

/** A cancelled response stays cancelled when another run takes it over. */
const heir = (runId: string) =>
  sql`case when starts_with(${tasks.runId}, ${cancelledRun("")})
    then ${cancelledRun(runId)} else ${runId} end`;

/** Takes over responses from silent processes. */
export const createHeirs = ({ db, secrets }: BackgroundDeps): Pick<BackgroundQueue, "takeOver"> => ({
  takeOver: async (runId) => {
    await ormOf(db)
      .update(tasks)
      .set({ runId: null, leaseUntil: null })
      .where(and(isLapsed, eq(tasks.hasBegun, false), lt(tasks.attempts, MAX_ATTEMPTS)));
    const isLost = isNextOf(db, tasks.hash, {
      where: and(isLapsed, or(eq(tasks.hasBegun, true), gte(tasks.attempts, MAX_ATTEMPTS))),
      limit: TAKEN_OVER_AT_ONCE,
    });
    const rows = await ormOf(db)
      .update(tasks)
      .set({ runId: heir(runId), leaseUntil: LEASE })
      .where(and(isLost, isLapsed))
      .returning(columns);
    const read = await readAll(rows, secrets);
    const hashes = new Set(read.map(({ hash }) => hash));
    for (const row of rows.filter(({ hash }) => !hashes.has(hash))) {
      await discard(db, row);
    }
    return read;
  },
});
