/** Keeps the snapshot and the reserve on disk, for a start without the database. */
import { rm } from "node:fs/promises";
import { nanos } from "@/server/base/money";
import {
  findReservable,
  isPublished,
  limitReserve,
  newReserveHolder,
  openDraft,
  publishDraft,
  type Reservable,
  type ReservedAmount,
  renewReserve,
  returnFormer,
  takeBackReserve,
  writeDraft,
} from "@/server/billing";
import { markChanges } from "@/server/db";
import { startLoop } from "@/server/worker";
import type { Runtime } from "../runtime/runtime";
import { markOf, sealSnapshot, snapshotMs, takeSnapshot } from "../runtime/snapshot";
import { arrearsDirectory, outageOf } from "../runtime/watches";

/** A withdrawn file is replaced after about so long. Until then no start can use the one from before the change. */
const LOOK_EVERY_MS = 1_000;
/** Without a change all is read again after a tenth of the time that it may be served from, and within a minute. */
const RENEWED_PART = 10;
const RENEW_MS = 60_000;
/** Less than the database keeps a reserve without news. */
const TRUSTED_MS = 12 * 3_600_000;

type Keeping = Pick<Runtime, "config" | "db" | "secrets" | "log" | "timers" | "billing">;

/** The reserve of this server, from one file to the next. */
function keepReserve({ config, db, log, billing, timers: { stopwatch } }: Keeping, everyMs: number) {
  const directory = arrearsDirectory(config);
  const allowance = outageOf(config)?.allowance ?? nanos(0n);
  let holder = newReserveHolder();
  let amounts: ReservedAmount[] = [];
  /** The file that a start may have claimed. */
  let published: string | null = null;
  /** The reserves of former servers are returned. */
  let isAlone = false;
  let turn = 0;
  let renewedAt = Number.NEGATIVE_INFINITY;

  /** Whether the reserve is this server's from here on. false: a start may have claimed it, and another one begins. */
  async function takeBack(): Promise<boolean> {
    if (published === null || (await takeBackReserve(directory, published))) {
      published = null;
      return true;
    }
    holder = newReserveHolder();
    amounts = [];
    published = null;
    renewedAt = Number.NEGATIVE_INFINITY;
    return false;
  }

  /** If an answer is lost, the database has recorded at least what the last file had. */
  async function renew(accounts: Reservable[]): Promise<void> {
    const askedAt = stopwatch();
    try {
      if (!isAlone) {
        await returnFormer(db, directory, "all");
        isAlone = true;
      }
      amounts = await renewReserve(
        db,
        { holder, amounts },
        {
          accountIds: accounts.map(({ accountId }) => accountId),
          ...{ allowance, period: billing.period(), usableMs: snapshotMs(config) },
          nextTurn: () => ++turn,
        },
      );
      renewedAt = askedAt;
    } catch (error) {
      log.warn({ err: error }, "the reserve for a start without the database is not renewed");
    }
  }

  return {
    /** Begins the next file. What is read afterwards has every change that does not withdraw it. */
    draft: async (): Promise<string> => {
      const draft = { holder, turn: ++turn };
      const path = await openDraft(directory, draft);
      await markChanges(db, markOf(draft));
      return path;
    },
    isPublished: async () => published !== null && (await isPublished(directory, published)),
    /** The accounts that may have a reserve, with their present allowances. */
    accounts: () => findReservable(db, holder),
    /** Takes the last file back, and returns the reserve for the next one. null: a start has claimed it. */
    next: async (accounts: Reservable[]) => {
      if (!(await takeBack())) {
        return null;
      }
      if (stopwatch() - renewedAt >= everyMs) {
        await renew(accounts);
      }
      const trusted = stopwatch() - renewedAt < TRUSTED_MS ? amounts : [];
      const parts = limitReserve(trusted, accounts, allowance);
      amounts = parts;
      return { holder, parts };
    },
    publish: async (draft: string, sealed: Uint8Array): Promise<boolean> => {
      // Before the step: if its end is unknown, the file must be taken back.
      published = await writeDraft(directory, draft, sealed);
      if (published !== null && !(await publishDraft(directory, draft, published))) {
        published = null;
      }
      return published !== null;
    },
  };
}

/** Writes the file. false: a change has withdrawn it meanwhile, or a start has claimed the last one. */
async function writeOne(
  { config, db, secrets }: Keeping,
  reserve: ReturnType<typeof keepReserve>,
): Promise<boolean> {
  const draft = await reserve.draft();
  try {
    // All that needs the database comes first: if it goes away now, the last file stays.
    const snapshot = await takeSnapshot(db, config);
    const own = await reserve.next(await reserve.accounts());
    return (
      own !== null &&
      (await reserve.publish(draft, await sealSnapshot(config, secrets, { ...snapshot, reserve: own })))
    );
  } finally {
    await rm(draft, { force: true });
  }
}

/**
 * Writes a snapshot with the reserve soon after the last one is withdrawn, taken or too old. Returns a function that stops
 * it, and leaves the file to the next start.
 */
export function keepSnapshot(runtime: Keeping): () => Promise<void> {
  const { config, log, timers } = runtime;
  const { stopwatch } = timers;
  const mostMs = snapshotMs(config);
  if (mostMs === 0) {
    return async () => {};
  }
  const everyMs = Math.min(mostMs / RENEWED_PART, RENEW_MS);
  const reserve = keepReserve(runtime, everyMs);
  let writtenAt = Number.NEGATIVE_INFINITY;
  let failures = 0;
  let notBefore = 0;

  async function pass(): Promise<void> {
    const now = stopwatch();
    if (now < notBefore || (now - writtenAt < everyMs && (await reserve.isPublished()))) {
      return;
    }
    try {
      writtenAt = (await writeOne(runtime, reserve)) ? now : Number.NEGATIVE_INFINITY;
      failures = 0;
    } catch (error) {
      failures += 1;
      notBefore = now + Math.min(LOOK_EVERY_MS * 2 ** failures, RENEW_MS);
      throw error;
    }
  }
  return startLoop(log, { name: "the snapshot", everyMs: LOOK_EVERY_MS, pass }, timers);
}
