/**
 * Which processes of this data directory have parts of outage allowances: a file for each, next to its files of charges.
 * The file may have the parts themselves, sealed, for a process that starts without the database (`kept-parts.ts`). A
 * process of another machine cannot see whether a process has ended, or read what it has left.
 *
 * The name says whose parts they are, and one rename decides who may do what with them: `HOLDER.parts` and
 * `HOLDER~ADOPTER.parts` are sold by the last of these processes, and may be adopted once it has ended.
 * `HOLDER.left.parts`: the holder uses them no more. `HOLDER.spent.parts`: a process has begun to settle their charges,
 * so they only wait to be returned.
 */
import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { chargeFilesIn, isMissing } from "../journal/left-charges";
import { hasEnded, isOfThisHost, writerOf } from "../journal/writers";

const PARTS = ".parts";
const LEFT = ".left.parts";
const SPENT = ".spent.parts";
const ADOPTED = "~";

/** `owner`: the process that sells them, or was the last to do so. */
export type PartFile = { name: string; holder: string; owner: string; state: "own" | "left" | "spent" };

const OWN = { ending: PARTS, state: "own" } as const;
const ENDINGS = [{ ending: LEFT, state: "left" } as const, { ending: SPENT, state: "spent" } as const];

export const partPath = (directory: string, processId: string) => join(directory, processId + PARTS);

function readPartName(name: string): PartFile | null {
  if (!name.endsWith(PARTS)) {
    return null;
  }
  const { ending, state } = ENDINGS.find((each) => name.endsWith(each.ending)) ?? OWN;
  const [holder = "", owner = holder] = name.slice(0, -ending.length).split(ADOPTED);
  return { name, holder, owner, state };
}

export async function listPartFiles(directory: string): Promise<PartFile[]> {
  const names = await readdir(directory).catch((error: unknown) => {
    if (isMissing(error)) {
      return [];
    }
    throw error;
  });
  return names.flatMap((name) => readPartName(name) ?? []);
}

/** Whether no process sells these parts any more, for certain. */
export const isOver = async ({ state, owner }: PartFile): Promise<boolean> =>
  state !== "own" || (await hasEnded(owner));

/** Throws the error of the disk. */
export async function notePartHolder(directory: string, processId: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await writeFile(partPath(directory, processId), "", { mode: 0o600 });
}

/** Leaves the parts of this process to another one, which returns them once it has settled the charges. */
export const leaveParts = (directory: string, processId: string): Promise<void> =>
  rename(partPath(directory, processId), join(directory, processId + LEFT));

export async function forgetPartHolder(directory: string, processId: string): Promise<void> {
  for (const ending of [PARTS, LEFT, SPENT]) {
    await rm(join(directory, processId + ending), { force: true });
  }
}

/** Gives a file another name. Returns whether it was this process: of several, one has it. */
async function claim(directory: string, file: PartFile, name: string): Promise<boolean> {
  try {
    await rename(join(directory, file.name), join(directory, name));
    return true;
  } catch (error) {
    // A host's name may be so long that two do not fit into the name of a file: then nothing is adopted.
    if (isMissing(error) || (error as NodeJS.ErrnoException).code === "ENAMETOOLONG") {
      return false;
    }
    throw error;
  }
}

/** From now on `adopter` sells the parts. Returns their path. null: another process has them. */
export async function claimParts(directory: string, file: PartFile, adopter: string): Promise<string | null> {
  const name = file.holder + ADOPTED + adopter + PARTS;
  return (await claim(directory, file, name)) ? join(directory, name) : null;
}

/**
 * Called before charges are settled that a part of another process paid: from then on no process adopts this part,
 * because its file does not know of these charges. A living adopter has read them before. Returns whether this is so for
 * good.
 */
export async function spendParts(directory: string, holder: string): Promise<boolean> {
  let isForGood = true;
  for (const file of (await listPartFiles(directory)).filter((each) => each.holder === holder)) {
    if (await isOver(file)) {
      await claim(directory, file, holder + SPENT);
    } else if (isOfThisHost(file.owner)) {
      isForGood = false;
    } else {
      // Whether it lives cannot be seen from here, so its parts are not returned either before they expire.
      await rm(join(directory, file.name), { force: true });
    }
  }
  return isForGood;
}

/** Whether charges of processes that do not live here any more may still be on disk. */
async function hasLeftCharges(directory: string): Promise<boolean> {
  for (const name of await chargeFilesIn(directory)) {
    const state = await writerOf(name, join(directory, name)).catch((error: unknown) => {
      if (isMissing(error)) {
        return "alive";
      }
      throw error;
    });
    if (state !== "alive") {
      return true;
    }
  }
  return false;
}

/** The holders whose parts no process sells any more, and all of whose charges are in the ledger. */
export async function findEndedHolders(directory: string): Promise<string[]> {
  const over: PartFile[] = [];
  for (const file of await listPartFiles(directory)) {
    if (await isOver(file)) {
      over.push(file);
    }
  }
  // Looked for after their ends: a process leaves no file later. Charges may be in the files of an adopter.
  if (over.length === 0 || (await hasLeftCharges(directory))) {
    return [];
  }
  const ended: string[] = [];
  for (const file of over) {
    // A process that starts without the database may want it at the same moment.
    if (file.state === "spent" || (await claim(directory, file, file.holder + SPENT))) {
      ended.push(file.holder);
    }
  }
  return ended;
}
