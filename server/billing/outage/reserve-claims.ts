/** The runs that have claimed reserves of this data directory, and what they have charged. */
import { rename, rm, truncate } from "node:fs/promises";
import { join } from "node:path";
import type { DeliveredCharge } from "../holds/settlement";
import { chargeFilesIn, isMissing, readChargeFile } from "../journal/left-charges";
import { syncDirectory } from "../journal/segment";
import { hasRunEnded, mayBeOf, runOf } from "../journal/writers";
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
  // The process has read it, and no other one may: keys and credentials need not stay on the disk, although sealed. If
  // this fails, they do until the file is deleted.
  await truncate(claimed).catch(() => {});
  return { directory, holder, path: claimed };
}

/** An unreadable file counts like damaged lines. */
const readIfPossible = (path: string) =>
  readChargeFile(path).catch((error: unknown) => ({ charges: [], damaged: isMissing(error) ? 0 : 1 }));

/**
 * The charges on disk that a reserve paid. null: some cannot be read, so the sum is unknown. `run`: only this process has
 * sold from the reserve, so an unreadable file of another one, or of another program, does not matter.
 */
export async function chargesOfReserve(
  directory: string,
  holder: string,
  run: string | null = null,
): Promise<DeliveredCharge[] | null> {
  const charges: DeliveredCharge[] = [];
  for (const name of await chargeFilesIn(directory)) {
    const read = await readIfPossible(join(directory, name));
    if (read.damaged > 0 && (run === null || mayBeOf(name, run))) {
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
): Promise<{ holder: string; run: string; path: string }[]> {
  const ended: { holder: string; run: string; path: string }[] = [];
  for (const file of reserveFilesAmong(names).filter(({ state }) => state === "claimed")) {
    const path = join(directory, file.name);
    if ((await ageOf(path)) > FORGOTTEN_MS) {
      await rm(path, { force: true });
    } else if ((await hasRunEnded(file.run)) && (await isInPlace(directory, file))) {
      ended.push({ holder: file.holder, run: file.run, path });
    }
  }
  return ended;
}
