/** Keeps the snapshot and the reserve on disk, for a start without the database. */
import { stopwatch } from "@/server/base/clock";
import { nanos } from "@/server/base/money";
import {
  findReservable,
  limitReserve,
  newReserveHolder,
  publishReserve,
  type Reservable,
  type ReservedAmount,
  renewReserve,
  returnReserves,
  takeBackFormer,
  takeBackReserve,
} from "@/server/billing";
import { startLoop } from "@/server/worker";
import type { Runtime } from "../runtime/runtime";
import { sealSnapshot, snapshotMs, takeSnapshot } from "../runtime/snapshot";
import { arrearsDirectory, outageOf } from "../runtime/watches";

/** A change is on disk after about so long. Until then no start can use the file from before it. */
const LOOK_EVERY_MS = 1_000;
/** Without a change all is read again after a tenth of the time that it may be served from, and within a minute. */
const RENEWED_PART = 10;
const RENEW_MS = 60_000;

type Keeping = Pick<Runtime, "config" | "db" | "secrets" | "log" | "timers" | "onChange" | "billing">;

/** The reserve of this server, from one file to the next. */
function keepReserve({ config, db, log, billing }: Keeping, everyMs: number) {
  const directory = arrearsDirectory(config);
  const allowance = outageOf(config)?.allowance ?? nanos(0n);
  let holder = "";
  let amounts: ReservedAmount[] = [];
  let isPublished = false;
  let turn = 0;
  let renewedAt = Number.NEGATIVE_INFINITY;

  /** From here on no start can claim it. If one has, this server goes on with another reserve. */
  async function takeBack(): Promise<void> {
    const isOurs = holder !== "" && (!isPublished || (await takeBackReserve(directory, holder)));
    isPublished = false;
    if (!isOurs) {
      holder = newReserveHolder(directory);
      amounts = [];
      renewedAt = Number.NEGATIVE_INFINITY;
    }
  }

  /** If an answer is lost, the database has recorded at least what the last file had. */
  async function renew(accounts: Reservable[]): Promise<void> {
    try {
      await returnReserves(db, await takeBackFormer(directory));
      amounts = await renewReserve(
        db,
        { holder, amounts },
        {
          accountIds: accounts.map(({ accountId }) => accountId),
          ...{ allowance, period: billing.period(), usableMs: snapshotMs(config) },
          nextTurn: () => ++turn,
        },
      );
      renewedAt = stopwatch();
    } catch (error) {
      log.warn({ err: error }, "the reserve for a start without the database is not renewed");
    }
  }

  return {
    /** The accounts that may have a reserve, with their present allowances. */
    accounts: () => findReservable(db, directory),
    /** Takes the file back, and returns the reserve for the next one. */
    next: async (accounts: Reservable[]) => {
      await takeBack();
      if (stopwatch() - renewedAt >= everyMs) {
        await renew(accounts);
      }
      const parts = limitReserve(amounts, accounts, allowance);
      amounts = parts;
      return { holder, parts };
    },
    publish: async (sealed: Buffer, isCurrent: () => boolean): Promise<void> => {
      isPublished = await publishReserve(directory, holder, { sealed, isCurrent });
    },
  };
}

/**
 * Writes a snapshot with the reserve soon after each change. Returns a function that stops it, and leaves the file to the
 * next start.
 */
export function keepSnapshot(runtime: Keeping): () => Promise<void> {
  const { config, db, secrets, log, timers } = runtime;
  const mostMs = snapshotMs(config);
  if (mostMs === 0) {
    return async () => {};
  }
  const everyMs = Math.min(mostMs / RENEWED_PART, RENEW_MS);
  const reserve = keepReserve(runtime, everyMs);
  let changes = 0;
  let written = { changes: -1, at: 0 };
  runtime.onChange(() => {
    changes += 1;
  });

  async function pass(): Promise<void> {
    if (written.changes === changes && stopwatch() - written.at < everyMs) {
      return;
    }
    const begun = { changes, at: stopwatch() };
    const isCurrent = () => changes === begun.changes;
    // All that needs the database comes first: if it goes away now, the last file stays.
    const snapshot = await takeSnapshot(db, config);
    const accounts = await reserve.accounts();
    if (!isCurrent()) {
      return;
    }
    const own = await reserve.next(accounts);
    await reserve.publish(await sealSnapshot(config, secrets, { ...snapshot, reserve: own }), isCurrent);
    if (isCurrent()) {
      written = begun;
    }
  }
  return startLoop(log, { name: "the snapshot", everyMs: LOOK_EVERY_MS, pass }, timers);
}
