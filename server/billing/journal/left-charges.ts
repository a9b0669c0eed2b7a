/** Files of charges whose processes have ended, also those that the previous release wrote. */
import { readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Log } from "@/server/base/log";
import type { DeliveredCharge } from "../holds/settlement";
import { parseCharge, readLines } from "./charge-lines";
import { unsettledText } from "./segment";
import { type WriterState, writerOf } from "./writers";

const SEGMENT = ".log";
/** The previous release kept a file for each charge. */
const ONE_CHARGE = ".json";
/** A file with lines that are no charges. It stays, because a person must look at it. */
const DAMAGED = ".damaged";

/** Another process may have settled a file meanwhile, and deleted it. */
export const isMissing = (error: unknown) => (error as NodeJS.ErrnoException).code === "ENOENT";

/** `onDamaged`: a file has lines that are no charges, so calls may never be charged. */
export type JournalDeps = { directory: string; log: Log; onDamaged: () => void };

type LeftFile = { path: string; open: Set<string>; isDamaged: boolean; writer: WriterState };

/** The names of the files in a directory that hold charges. */
export async function chargeFilesIn(directory: string): Promise<string[]> {
  try {
    const names = await readdir(directory);
    return names.filter((name) => name.endsWith(SEGMENT) || name.endsWith(ONE_CHARGE)).toSorted();
  } catch (error) {
    if (isMissing(error)) {
      return [];
    }
    throw error;
  }
}

/** The charges in a file that may not be in the ledger. */
export async function readChargeFile(path: string): ReturnType<typeof readLines> {
  const file = await readFile(path);
  if (path.endsWith(SEGMENT)) {
    return await readLines(unsettledText(file));
  }
  try {
    return { charges: [parseCharge(file.toString("utf8"))], damaged: 0 };
  } catch {
    return { charges: [], damaged: 1 };
  }
}

export function createLeftCharges({ directory, log, onDamaged }: JournalDeps) {
  /** The file of each charge that was taken and is not settled, and the paths of these files. */
  const fileOf = new Map<string, LeftFile>();
  const openPaths = new Set<string>();
  /** The files of other hosts that were read, and when they had changed last. */
  const read = new Map<string, number>();
  const unreadable = new Set<string>();

  async function discard({ path, isDamaged, writer }: LeftFile): Promise<void> {
    openPaths.delete(path);
    if (writer === "ended") {
      await (isDamaged ? rename(path, `${path}${DAMAGED}`) : rm(path, { force: true }));
    }
  }

  async function takeFile(name: string): Promise<DeliveredCharge[]> {
    const path = join(directory, name);
    const writer = await writerOf(name, path);
    const { mtimeMs } = await stat(path);
    if (writer === "alive" || (writer === "unknown" && read.get(path) === mtimeMs)) {
      return [];
    }
    const { charges, damaged } = await readChargeFile(path);
    // A file that another host is writing may look damaged for a moment.
    const isDamaged = damaged > 0 && writer === "ended";
    if (isDamaged) {
      onDamaged();
      log.error({ path, damaged }, "a file of charges has lines that are no charges");
    }
    if (writer === "unknown") {
      read.set(path, mtimeMs);
    }
    const open = new Set(charges.map(({ requestId }) => requestId));
    const file = { path, open, isDamaged, writer };
    for (const requestId of open) {
      fileOf.set(requestId, file);
    }
    openPaths.add(path);
    if (open.size === 0) {
      await discard(file);
    }
    return charges;
  }

  /** A file that cannot be read must not delay the charges in others. */
  async function tryToTake(name: string): Promise<DeliveredCharge[]> {
    try {
      return await takeFile(name);
    } catch (error) {
      if (!isMissing(error) && !unreadable.has(name)) {
        unreadable.add(name);
        log.error({ err: error, name }, "a file of charges cannot be read");
      }
      return [];
    }
  }

  return {
    /** Reads files until it has `limit` charges. `isAll`: no file remains. */
    take: async (limit: number): Promise<{ charges: DeliveredCharge[]; isAll: boolean }> => {
      const charges: DeliveredCharge[] = [];
      for (const name of await chargeFilesIn(directory)) {
        if (charges.length >= limit) {
          return { charges, isAll: false };
        }
        if (!openPaths.has(join(directory, name))) {
          charges.push(...(await tryToTake(name)));
        }
      }
      return { charges, isAll: true };
    },
    remove: async (requestId: string): Promise<void> => {
      const file = fileOf.get(requestId);
      fileOf.delete(requestId);
      if (file?.open.delete(requestId) && file.open.size === 0) {
        await discard(file);
      }
    },
  };
}
