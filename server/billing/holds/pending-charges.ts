import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { Log } from "@/server/base/log";
import { describeCharge } from "../journal/charge-lines";
import { createJournal, type Journal } from "../journal/journal";
import { chargeFilesIn, isMissing, readChargeFile } from "../journal/left-charges";
import { writerOf } from "../journal/writers";
import type { DeliveredCharge } from "./settlement";

/** Charges that the database has not accepted yet. */
export type PendingCharges = {
  /** The beginning of the names of this process's files. null: charges are in memory only. */
  writer: string | null;
  /** How many more charges may become pending. */
  room: () => number;
  /**
   * Resolves once the charge is on disk, before the database has it. Throws if the disk does not take it, or too many
   * charges wait: then it is not pending.
   */
  store: (charge: DeliveredCharge) => Promise<void>;
  /** Whether the charge is pending, or just being written: no other end of the call may overtake it. */
  has: (requestId: string) => boolean;
  /** The database does not accept the charge of a delivered call now. Repeating it changes nothing. */
  keep: (charge: DeliveredCharge) => void;
  /** Removes a charge that is in the ledger, or that will never get there. */
  drop: (requestId: string) => void;
  /** The kept charges. */
  waiting: () => DeliveredCharge[];
  /** Keeps the charges that ended processes left on disk, up to the limit. Returns whether that is all of them. */
  load: () => Promise<boolean>;
  /** Waits until the disk holds exactly the charges that are pending. */
  written: () => Promise<void>;
  /** Leaves what is still pending to another process. */
  close: () => Promise<void>;
};

/** Some 100 MB. An outage that fills this counts as permanent. */
const MAX_PENDING = 100_000;

/**
 * The number of charges in a directory that may not be in the ledger, of all processes. `quietMs`: of living
 * processes only files without a new charge for so long, because a busy process always has a few.
 */
export async function countPendingCharges(directory: string, { quietMs = 0 } = {}): Promise<number> {
  let count = 0;
  for (const name of await chargeFilesIn(directory)) {
    const path = join(directory, name);
    try {
      const { mtimeMs } = await stat(path);
      // The file system's clock has parts of milliseconds, and this one none.
      if (Date.now() - Math.floor(mtimeMs) >= quietMs || (await writerOf(name, path)) !== "alive") {
        count += (await readChargeFile(path)).charges.length;
      }
    } catch (error) {
      if (!isMissing(error)) {
        throw error;
      }
    }
  }
  return count;
}

type Pending = { charge: DeliveredCharge; isKept: boolean; written: Promise<void> };

/** Writes to the journal, of which none fails. */
const writingTo = (journal: Journal | null, log: Log) => ({
  write: async (charge: DeliveredCharge): Promise<void> => {
    await journal
      ?.append(charge)
      .catch((error: unknown) =>
        log.error(
          { err: error, charge: describeCharge(charge) },
          "a delivered call's charge is kept in memory only",
        ),
      );
  },
  remove: async (requestId: string, written: Promise<void>): Promise<void> => {
    await written;
    await journal?.remove(requestId).catch((error: unknown) =>
      // The next start posts it once more, which changes nothing.
      log.warn({ err: error, requestId }, "a charge that is in the ledger stays on disk"),
    );
  },
});

/** `directory` null: in memory only. */
export function createPendingCharges(deps: {
  directory: string | null;
  log: Log;
  observe: (kind: "kept" | "lost") => void;
  onCount: (waiting: number) => void;
}): PendingCharges {
  const { directory, log, observe } = deps;
  const onDamaged = () => observe("lost");
  const journal = directory === null ? null : createJournal({ directory, log, onDamaged });
  const pending = new Map<string, Pending>();
  const removals = new Set<Promise<void>>();
  let kept = 0;

  const { write, remove } = writingTo(journal, log);

  function count(change: number): void {
    kept += change;
    deps.onCount(kept);
  }

  function add(charge: DeliveredCharge, { isKept, written }: Omit<Pending, "charge">): void {
    pending.set(charge.requestId, { charge, isKept, written });
    if (isKept) {
      count(1);
    }
  }

  return {
    writer: journal?.writer ?? null,
    room: () => MAX_PENDING - pending.size,
    store: (charge) => {
      if (journal === null || pending.size >= MAX_PENDING) {
        return Promise.reject(new Error("no more charges can wait for the database"));
      }
      const written = journal.append(charge);
      add(charge, { isKept: false, written: written.catch(() => void pending.delete(charge.requestId)) });
      return written;
    },
    has: (requestId) => pending.has(requestId),
    keep: (charge) => {
      const entry = pending.get(charge.requestId);
      if (entry?.isKept) {
        return;
      }
      if (entry === undefined && pending.size >= MAX_PENDING) {
        observe("lost");
        log.error(
          { charge: describeCharge(charge) },
          "a delivered call is not charged: too many wait already",
        );
        return;
      }
      add(charge, { isKept: true, written: entry?.written ?? write(charge) });
      observe("kept");
    },
    drop: (requestId) => {
      const entry = pending.get(requestId);
      if (entry) {
        pending.delete(requestId);
        const removal = remove(requestId, entry.written).finally(() => removals.delete(removal));
        removals.add(removal);
        if (entry.isKept) {
          count(-1);
        }
      }
    },
    waiting: () => [...pending.values()].flatMap(({ charge, isKept }) => (isKept ? charge : [])),
    load: async () => {
      // Do not load a file that is about to be removed.
      await Promise.all(removals);
      const room = MAX_PENDING - pending.size;
      const { charges, isAll } = (await journal?.takeLeft(room)) ?? { charges: [], isAll: true };
      for (const charge of charges) {
        if (!pending.has(charge.requestId)) {
          add(charge, { isKept: true, written: Promise.resolve() });
        }
      }
      return isAll;
    },
    written: async () => {
      await Promise.all([...[...pending.values()].map(({ written }) => written), ...removals]);
    },
    close: async () => {
      await Promise.all(removals);
      await journal?.close();
    },
  };
}
