/**
 * The processes of this data directory that have parts of outage allowances. Each has an empty file next to its files
 * of charges. A process of another machine cannot see whether a process has ended, or read what it has left.
 */
import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { chargeFilesIn, isMissing } from "../journal/left-charges";
import { hasEnded } from "../journal/writers";

const PARTS = ".parts";
/** The process uses its parts no more. */
const LEFT = ".left.parts";

/** Throws the error of the disk. */
export async function notePartHolder(directory: string, processId: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await writeFile(join(directory, processId + PARTS), "", { mode: 0o600 });
}

/** Leaves the parts of this process to another one, which returns them once it has settled the charges. */
export const leaveParts = (directory: string, processId: string): Promise<void> =>
  rename(join(directory, processId + PARTS), join(directory, processId + LEFT));

export async function forgetPartHolder(directory: string, processId: string): Promise<void> {
  for (const ending of [PARTS, LEFT]) {
    await rm(join(directory, processId + ending), { force: true });
  }
}

/** The names of the files of charges and parts. */
export async function listCharges(directory: string): Promise<string[]> {
  return await readdir(directory).catch((error: unknown) => {
    if (isMissing(error)) {
      return [];
    }
    throw error;
  });
}

/** Among these files: the processes that have ended, and all of whose charges are in the ledger. */
export async function findEndedHolders(directory: string, names: string[]): Promise<string[]> {
  const ended = names.filter((name) => name.endsWith(LEFT)).map((name) => name.slice(0, -LEFT.length));
  for (const name of names.filter((each) => each.endsWith(PARTS) && !each.endsWith(LEFT))) {
    const holder = name.slice(0, -PARTS.length);
    if (await hasEnded(holder)) {
      ended.push(holder);
    }
  }
  // Looked for after their ends: a process leaves no file later.
  const files = ended.length === 0 ? [] : await chargeFilesIn(directory);
  return ended.filter((holder) => !files.some((name) => name.startsWith(`${holder}.`)));
}
