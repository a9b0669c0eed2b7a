/** The runs that have claimed reserves of this data directory, and what they have charged. */
import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { DeliveredCharge } from "../holds/settlement";
import { chargeFilesIn, readChargeFile } from "../journal/left-charges";
import { syncDirectory } from "../journal/segment";
import { hasRunEnded, runOf } from "../journal/writers";
import {
  ageOf,
  isInPlace,
  numbersOf,
  reserveFiles,
  reserveFilesAmong,
  unlessMissing,
  wins,
} from "./reserve-files";

/** A reserve that this process alone may sell from. */
export type Claim = { directory: string; holder: string; path: string };

/** The reserves that a start may claim, the newest first. A reserve that was claimed once is no longer among them. */
export async function findClaimable(directory: string): Promise<{ path: string; holder: string }[]> {
  const files = await reserveFiles(directory);
  const claimed = new Set(files.filter(({ state }) => state === "claimed").map(({ holder }) => holder));
  const found: { path: string; holder: string; bornAt: bigint }[] = [];
  for (const file of files) {
    const path = join(directory, file.name);
    if (file.state === "sealed" && !claimed.has(file.holder) && (await isInPlace(directory, file))) {
      const { birthtimeNs } = await unlessMissing<{ birthtimeNs: bigint }>(numbersOf(path), {
        birthtimeNs: 0n,
      });
      found.push({ path, holder: file.holder, bornAt: birthtimeNs });
    }
  }
  return found.toSorted((left, right) => (left.bornAt < right.bornAt ? 1 : -1));
}

/**
 * Claims a reserve for this process, once and for ever. null: another process was first. Throws the disk's error. When it
 * returns, a power cut does not undo it.
 */
export async function claimReserve(
  directory: string,
  { path, holder }: { path: string; holder: string },
): Promise<Claim | null> {
  const claimed = path.replace(/sealed$/, `${runOf(process.pid)}.claimed`);
  if (!(await wins(rename(path, claimed)))) {
    return null;
  }
  await syncDirectory(directory);
  return { directory, holder, path: claimed };
}

/** The charges on disk that a reserve paid. null: some lines cannot be read, so the sum is unknown. */
export async function chargesOfReserve(directory: string, holder: string): Promise<DeliveredCharge[] | null> {
  const charges: DeliveredCharge[] = [];
  for (const name of await chargeFilesIn(directory)) {
    const read = await unlessMissing(readChargeFile(join(directory, name)), { charges: [], damaged: 0 });
    if (read.damaged > 0) {
      return null;
    }
    charges.push(...read.charges.filter(({ part }) => part === holder));
  }
  return charges;
}

/** At this age no process sells from a file, and the database has deleted the record of its reserve. */
const FORGOTTEN_MS = 3 * 86_400_000;

/** Among these files: the claimed reserves whose runs have certainly ended. Deletes those that are long over. */
export async function findEndedClaims(
  directory: string,
  names: string[],
): Promise<{ holder: string; path: string }[]> {
  const ended: { holder: string; path: string }[] = [];
  for (const file of reserveFilesAmong(names).filter(({ state }) => state === "claimed")) {
    const path = join(directory, file.name);
    if ((await ageOf(path)) > FORGOTTEN_MS) {
      await rm(path, { force: true });
    } else if ((await hasRunEnded(file.run)) && (await isInPlace(directory, file))) {
      ended.push({ holder: file.holder, path });
    }
  }
  return ended;
}
