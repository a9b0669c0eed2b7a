/**
 * The charges of this machine that are not in the ledger yet, on disk: each process appends to its own files, and
 * any process settles the files of those that have ended.
 */
import type { DeliveredCharge } from "../holds/settlement";
import { printLine } from "./charge-lines";
import { createLeftCharges, type JournalDeps } from "./left-charges";
import { createOwnFiles } from "./own-files";
import { newWriter } from "./writers";

export type Journal = {
  /** The beginning of the names of this process's files. */
  writer: string;
  /** Resolves once the charge is on disk. Throws the disk's error: then the charge is not in the journal. */
  append: (charge: DeliveredCharge) => Promise<void>;
  /** Removes a charge that is in the ledger, or that will never get there. */
  remove: (requestId: string) => Promise<void>;
  /** Reads the charges that ended processes have left, about `limit` of them. `isAll`: no file remains. */
  takeLeft: (limit: number) => Promise<{ charges: DeliveredCharge[]; isAll: boolean }>;
  /** Ends the writing, and leaves the charges that remain to another process. */
  close: () => Promise<void>;
};

type Options = Omit<JournalDeps, "onDamaged"> & Partial<JournalDeps>;

type QueuedLine = {
  requestId: string;
  text: string;
  resolve: () => void;
  reject: (error: unknown) => void;
};

export function createJournal({ onDamaged = () => {}, ...deps }: Options): Journal {
  const { directory, log } = deps;
  const writer = newWriter();
  const own = createOwnFiles(directory, writer);
  const left = createLeftCharges({ ...deps, onDamaged });
  let queue: QueuedLine[] = [];
  let writing: Promise<void> | null = null;
  let isClosed = false;

  async function writeAll(): Promise<void> {
    // Charges of one turn of the event loop share a write.
    await new Promise(setImmediate);
    while (queue.length > 0) {
      const batch = queue;
      queue = [];
      try {
        await own.write(batch);
        for (const { resolve } of batch) {
          resolve();
        }
      } catch (error) {
        for (const { reject } of batch) {
          reject(error);
        }
      }
    }
    writing = null;
  }

  return {
    writer,
    append: (charge) =>
      new Promise<void>((resolve, reject) => {
        if (isClosed) {
          reject(new Error("the journal of charges is closed"));
          return;
        }
        queue.push({ requestId: charge.requestId, text: printLine(charge), resolve, reject });
        writing ??= writeAll();
      }),
    remove: async (requestId) => {
      if (!(await own.settled(requestId))) {
        await left.remove(requestId);
      }
    },
    takeLeft: left.take,
    close: async () => {
      isClosed = true;
      await writing;
      await own.leave().catch((error: unknown) =>
        // Once this process has ended, others settle its files also by their present names.
        log.error({ err: error }, "a file of charges keeps its name"),
      );
    },
  };
}
