import { count, eq } from "drizzle-orm";
import { GatewayError } from "@/server/base/errors";
import { endDurableHold, holdDurably, type Payer, payDurably } from "@/server/billing";
import { reportChange, type Tx, tables, transaction } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { createHeirs, createLine } from "./background-line";
import {
  type BackgroundDeps,
  type BackgroundEnd,
  type BackgroundOrder,
  type BackgroundQueue,
  cancelledRun,
  isCancelledRun,
  isOwn,
  isThis,
} from "./background-task";
import { rewrite, writeEnd } from "./background-write";
import { expiryAt, sealColumns } from "./entry";
import { hashOf, printAny, sealAsked } from "./sealing";

const { backgroundResponses: tasks, storedResponses } = tables;

/** The most responses of an account in the queue or running. */
const MOST_OF_ACCOUNT = 100;

/** Enqueues a response, with everything that must exist once it is queued. */
function createEntrance({
  db,
  clock,
  billing,
  secrets,
  retentionDays,
}: BackgroundDeps): Pick<BackgroundQueue, "enqueue"> {
  /**
   * Seals the contents of both rows before the transaction, which locks the month's row: a long response takes a while.
   */
  async function seal({ owner, request, stored }: BackgroundOrder) {
    const { accountId } = owner;
    const as = { secret: secrets[0] ?? "", id: hashOf(request.id), accountId };
    return {
      columns: await sealColumns({ secrets }, accountId, stored),
      payload: await sealAsked(await printAny(request), as),
    };
  }

  async function store(tx: Tx, payer: Payer, order: BackgroundOrder & Awaited<ReturnType<typeof seal>>) {
    const { requestId, modelId, amount, request, columns, payload } = order;
    const now = clock();
    const { accountId, keyId, period } = payer;
    const hash = hashOf(request.id);
    await holdDurably(tx, { ...payer, requestId, amount });
    // The month's row is locked now, so the account's other requests wait until this one is queued.
    const [waiting] = await ormOf(tx)
      .select({ count: count() })
      .from(tasks)
      .where(eq(tasks.accountId, accountId));
    if ((waiting?.count ?? 0) >= MOST_OF_ACCOUNT) {
      throw new GatewayError("rateLimited", "", { headers: { "retry-after": "10" } });
    }
    const kept = { accountId, hash, keyId, createdAt: now };
    await ormOf(tx)
      .insert(storedResponses)
      .values({ ...kept, ...columns, expiresAt: expiryAt(now, { retentionDays }) });
    await ormOf(tx)
      .insert(tasks)
      .values({ ...kept, requestId, modelId, period, amount, payload });
    await order.within(tx);
  }

  return {
    enqueue: async (order) => {
      const sealed = await seal(order);
      return await payDurably(billing, order.owner, async (payer) => {
        await transaction(db, (tx) => store(tx, payer, { ...order, ...sealed }));
        return { period: payer.period };
      });
    },
  };
}

/** The ways to end a response. */
function createEnds(deps: BackgroundDeps): Pick<BackgroundQueue, "finish" | "cancel"> {
  const { db } = deps;

  /** Ends the hold of an ended response. */
  async function settle(
    tx: Tx,
    row: Parameters<typeof endDurableHold>[1],
    end: Pick<BackgroundEnd, "charge" | "note">,
  ): Promise<void> {
    if (!(await endDurableHold(tx, row, end))) {
      throw new Error(`the money of background call ${row.requestId} is not where its row says`);
    }
  }

  return {
    finish: (task, ended) =>
      transaction(db, async (tx) => {
        const { accountId, keyId } = task;
        const [row] = await ormOf(tx)
          .delete(tasks)
          .where(isOwn(task))
          .returning({ requestId: tasks.requestId, period: tasks.period, runId: tasks.runId });
        if (!row) {
          return false;
        }
        const isCancelled = isCancelledRun(row.runId ?? "");
        const { response, charge } = isCancelled ? ended.ifCancelled : ended;
        const storedResponse = await writeEnd(tx, deps, { ...task, patch: response });
        // A response whose row is gone is not charged, unless its client cancelled it.
        const isPaid = storedResponse !== null || isCancelled;
        const paid = isPaid ? charge : null;
        const end = isCancelled ? "cancelled" : ended.note;
        const note = paid?.note === undefined ? end : `${paid.note}, ${end}`;
        await settle(tx, { ...row, accountId, keyId }, { charge: paid, note });
        return true;
      }),
    cancel: (accountId, id) =>
      transaction(db, async (tx) => {
        const isRow = isThis({ accountId, hash: hashOf(id) });
        const { requestId, keyId, period, runId, hasBegun } = tasks;
        const [row] = await ormOf(tx)
          .select({ requestId, keyId, period, runId, hasBegun })
          .from(tasks)
          .where(isRow)
          .for("update");
        if (!row || isCancelledRun(row.runId ?? "")) {
          return null;
        }
        const patch = { status: "cancelled" };
        if (row.runId !== null && row.hasBegun) {
          await ormOf(tx)
            .update(tasks)
            .set({ runId: cancelledRun(row.runId) })
            .where(isRow);
          await reportChange(tx, "background");
        } else {
          await ormOf(tx).delete(tasks).where(isRow);
          await settle(tx, { ...row, accountId }, { charge: null, note: "cancelled" });
        }
        return (await rewrite(tx, deps, { accountId, id, patch })) ?? patch;
      }),
  };
}

export const createBackgroundQueue = (deps: BackgroundDeps): BackgroundQueue => ({
  ...createEntrance(deps),
  ...createEnds(deps),
  ...createLine(deps),
  ...createHeirs(deps),
});
