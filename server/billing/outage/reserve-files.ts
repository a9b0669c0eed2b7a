/**
 * The reserves of this data directory, each with a snapshot in one file whose name says its state. `draft`: its server
 * has begun to write it. `sealed`: one start without the database may claim it. `withdrawn`: its content is out of date.
 * `claimed`: one run sells from it, and no other ever will. `former`: its server has ended, or keeps none any more, and
 * its reserve is to be returned. Every step is one rename or one deletion, which exactly one
 * process wins, also on different machines and in different containers.
 */
import { createHash, randomBytes } from "node:crypto";
import { readdirSync, renameSync, rmSync } from "node:fs";
import { mkdir, open, readdir, rename, rm, stat, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isMissing } from "../journal/left-charges";
import { syncDirectory } from "../journal/segment";

const FILE =
  /^(?<holder>reserve_[0-9a-f]{20})\.(?<turn>\d+)(?:\.(?<place>[0-9a-f]{20}))?(?:\.(?<run>[\w-]+))?\.(?<state>draft|sealed|withdrawn|claimed|former)$/;

/** `run`: the process that has claimed it. */
export type ReserveFile = {
  name: string;
  holder: string;
  turn: number;
  place: string;
  run: string;
  state: "draft" | "sealed" | "withdrawn" | "claimed" | "former";
};

/** A draft by its server's reserve and its number there. */
export type Draft = { holder: string; turn: number };

/** A name by which the database records a reserve. */
export const newReserveHolder = () => `reserve_${randomBytes(10).toString("hex")}`;

/** The numbers by which a file system tells one file or directory from all others. */
type FileNumbers = { dev: bigint; ino: bigint; birthtimeNs: bigint };

/** A copy has other numbers, and so has the same file by another mount: what its original may sell is not sold again. */
export const placeOf = (directory: FileNumbers, file: FileNumbers): string =>
  createHash("sha256")
    .update([directory, file].map(({ dev, ino, birthtimeNs }) => `${dev} ${ino} ${birthtimeNs}`).join())
    .digest("hex")
    .slice(0, 20);

export const numbersOf = (path: string) => stat(path, { bigint: true });

export const reserveFilesAmong = (names: string[]): ReserveFile[] =>
  names.flatMap((name) => {
    const { holder = "", turn, place = "", run = "", state } = FILE.exec(name)?.groups ?? {};
    return state === undefined
      ? []
      : [{ ...{ name, holder, place, run }, turn: Number(turn), state: state as ReserveFile["state"] }];
  });

/** `missing` in place of an error that says that there is no such file. */
export const unlessMissing = <T>(step: Promise<T>, missing: T): Promise<T> =>
  step.catch((error: unknown) => {
    if (isMissing(error)) {
      return missing;
    }
    throw error;
  });

/** Whether this process did the step. false: another one was first. */
export const wins = (step: Promise<void>): Promise<boolean> =>
  unlessMissing(
    step.then(() => true),
    false,
  );

export const reserveFiles = async (directory: string): Promise<ReserveFile[]> =>
  reserveFilesAmong(await unlessMissing(readdir(directory), []));

export const isInPlace = (directory: string, { name, place }: ReserveFile): Promise<boolean> =>
  unlessMissing(
    Promise.all([numbersOf(directory), numbersOf(join(directory, name))]).then(
      ([folder, file]) => placeOf(folder, file) === place,
    ),
    false,
  );

const asState = (name: string, state: ReserveFile["state"]) => name.replace(/\w+$/, state);

/** Begins a file before its content is read: a change that any process hears from now on withdraws the draft. */
export async function openDraft(directory: string, { holder, turn }: Draft): Promise<string> {
  const path = join(directory, `${holder}.${turn}.draft`);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await writeFile(path, "", { mode: 0o600 });
  return path;
}

/** Writes a draft, and returns the name for its file. null: it was withdrawn. Throws the disk's error. */
export async function writeDraft(
  directory: string,
  draft: string,
  sealed: Uint8Array,
): Promise<string | null> {
  const file = await unlessMissing(open(draft, "r+"), null);
  if (file === null) {
    return null;
  }
  try {
    await file.writeFile(sealed);
    await file.sync();
    const numbers = await file.stat({ bigint: true });
    if (numbers.birthtimeNs === 0n) {
      throw new Error("the file system does not say when a file was created, so a copy would look like it");
    }
    const place = placeOf(await numbersOf(directory), numbers);
    return draft.replace(/.*\//s, "").replace(/draft$/, `${place}.sealed`);
  } finally {
    await file.close();
  }
}

/** Lets a start claim what a draft has. false: the draft was withdrawn. Throws the disk's error: it may be published. */
export async function publishDraft(directory: string, draft: string, name: string): Promise<boolean> {
  const isOurs = await wins(rename(draft, join(directory, name)));
  // If a power cut undoes the new name, a start finds no file, and sells nothing.
  await syncDirectory(directory).catch(() => {});
  return isOurs;
}

/** Whether a start could still claim the file. */
export const isPublished = (directory: string, name: string): Promise<boolean> =>
  unlessMissing(
    stat(join(directory, name)).then(() => true),
    false,
  );

/**
 * Removes a reserve's file. false: there was none, or a copy, so a start may have claimed the reserve. Survives a power
 * cut.
 */
export async function takeBackReserve(directory: string, name: string): Promise<boolean> {
  let isOurs = false;
  for (const file of reserveFilesAmong([asState(name, "sealed"), asState(name, "withdrawn")])) {
    const isInItsPlace = await isInPlace(directory, file);
    // `unlink`: of two processes that call `rm` at the same time, Node.js may tell both that they removed the file.
    isOurs = ((await wins(unlink(join(directory, file.name)))) && isInItsPlace) || isOurs;
  }
  if (isOurs) {
    await syncDirectory(directory);
  }
  return isOurs;
}

/** For how long a file was not written, in milliseconds. NaN: it is gone. */
export const ageOf = (path: string): Promise<number> =>
  unlessMissing(
    stat(path).then(({ mtimeMs }) => Date.now() - mtimeMs),
    Number.NaN,
  );

/** A server that lives renews its file within a minute. */
const STALE_MS = 180_000;

/** Which files are taken from their servers: of those that have ended, of all other servers, or none. */
export type Taking = "stale" | "all" | "none";

/**
 * Takes the files of other servers. No start can claim them any more, and a living server whose file was taken begins
 * another reserve. Returns them, with those that were taken before: each stays until its reserve is returned, whatever
 * happens to this process meanwhile.
 */
export async function takeFormer(
  directory: string,
  which: Taking,
): Promise<{ holder: string; path: string }[]> {
  const taken: { holder: string; path: string }[] = [];
  for (const file of await reserveFiles(directory)) {
    const path = join(directory, file.name);
    const former = { ...file, name: asState(file.name, "former") };
    const isTaken = file.state === "former";
    const isOpen = file.state === "sealed" || file.state === "withdrawn";
    const isStale = which !== "none" && (await ageOf(path)) > STALE_MS;
    const isDue = which === "all" || isStale;
    if (file.state === "draft" && isStale) {
      await rm(path, { force: true });
    } else if (isTaken || (isOpen && isDue && (await wins(rename(path, join(directory, former.name)))))) {
      // Nothing is returned for a copy.
      if (await isInPlace(directory, former)) {
        taken.push({ holder: file.holder, path: join(directory, former.name) });
      } else {
        await rm(join(directory, former.name), { force: true });
      }
    }
  }
  if (taken.length > 0) {
    await syncDirectory(directory);
  }
  return taken;
}

/** Lets no start claim a file, whatever happens to the others. Returns the errors of the disk. */
function withdrawAll(directory: string, files: ReserveFile[]): unknown[] {
  return files.flatMap(({ name, state }) => {
    try {
      if (state === "draft") {
        rmSync(join(directory, name));
      } else {
        renameSync(join(directory, name), join(directory, asState(name, "withdrawn")));
      }
      return [];
    } catch (error) {
      // Another process was first, or it has just been published under its next name.
      return isMissing(error) ? [] : [error];
    }
  });
}

/**
 * Lets no start claim what is on disk: its content is out of date. `heard`: the last turn of a reserve that this process
 * has heard of. Later ones were begun after the change, and have it. Synchronous: a kill right after it changes nothing.
 * Throws the disk's error.
 */
export function withdrawReserves(directory: string, heard: ReadonlyMap<string, number> = new Map()): void {
  // A rename while the folder is read may hide a file once.
  for (let quiet = 0; quiet < 2; ) {
    let names: string[] = [];
    try {
      names = readdirSync(directory);
    } catch (error) {
      if (!isMissing(error)) {
        throw error;
      }
    }
    const open = reserveFilesAmong(names).filter(
      ({ state, holder, turn }) =>
        (state === "draft" || state === "sealed") && turn <= (heard.get(holder) ?? turn),
    );
    const [error] = withdrawAll(directory, open);
    if (error) {
      throw error;
    }
    quiet = open.length === 0 ? quiet + 1 : 0;
  }
}
