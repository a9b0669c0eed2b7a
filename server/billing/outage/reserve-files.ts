/**
 * The reserves of this data directory, each in one file whose name says its state. `sealed`: any start without the
 * database may claim it. `withdrawn`: it may no longer be claimed, because its content is out of date. `claimed`: one run
 * sells from it. `closed`: no further run may, because the ledger may have some of its charges. Every step is one rename
 * or one deletion, which exactly one process wins, also on different machines and in different containers.
 */
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, readdirSync, renameSync, statSync } from "node:fs";
import { open, readdir, rename, rm, stat } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import type { DeliveredCharge } from "../holds/settlement";
import { chargeFilesIn, isMissing, readChargeFile } from "../journal/left-charges";
import { syncDirectory } from "../journal/segment";
import { ownBoot } from "../journal/writers";

const PREFIX = "reserve_";
const FILE =
  /^(?<holder>reserve_[0-9a-f]{20})\.(?:(?<series>[0-9a-f]{20})\.)?(?<state>sealed|withdrawn|claimed|closed)$/;

type State = "sealed" | "withdrawn" | "claimed" | "closed";
/** `series`: the run that has claimed it. */
type ReserveFile = { name: string; holder: string; series: string; state: State };

/** A reserve that this process alone may sell from. `isFresh`: no other process ever did. */
export type Claim = { directory: string; holder: string; path: string; isFresh: boolean };

const hashOf = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, 8);
const token = () => randomBytes(6).toString("hex");

/** A copy of a directory has another number, and must not sell what the original may sell. */
function placeOf(directory: string): string {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  return hashOf(String(statSync(directory, { bigint: true }).ino));
}

/** Only on the same run of the same kernel does a dead socket prove that its process has ended. */
const kernel = () => hashOf(ownBoot() ?? randomBytes(8).toString("hex"));

export const isReserve = (part: string | undefined): part is string => part?.startsWith(PREFIX) ?? false;

/** The beginning of the names of this directory's reserves. */
export const reservePrefix = (directory: string) => PREFIX + placeOf(directory);

/** A name for a reserve of this directory, by which the database records it. */
export const newReserveHolder = (directory: string) => reservePrefix(directory) + token();

const isOfPlace = (directory: string, holder: string) => holder.startsWith(reservePrefix(directory));

const socketOf = (directory: string, series: string) => join(directory, `${series}.sock`);

const reserveFilesAmong = (names: string[]): ReserveFile[] =>
  names.flatMap((name) => {
    const { holder = "", series = "", state } = FILE.exec(name)?.groups ?? {};
    return state === undefined ? [] : [{ name, holder, series, state: state as State }];
  });

const reserveFiles = async (directory: string): Promise<ReserveFile[]> =>
  reserveFilesAmong(
    await readdir(directory).catch((error: unknown) => {
      if (isMissing(error)) {
        return [];
      }
      throw error;
    }),
  );

/** Returns whether this process did it; not if another one was first. */
const wins = (step: Promise<void>): Promise<boolean> =>
  step.then(
    () => true,
    (error: unknown) => {
      if (isMissing(error)) {
        return false;
      }
      throw error;
    },
  );

/** Lets no start claim what is on disk: its content is out of date. Synchronous: a kill right after it changes nothing. */
export function withdrawReserves(directory: string): void {
  try {
    for (const { name, state, holder } of reserveFilesAmong(readdirSync(directory))) {
      if (state === "sealed") {
        renameSync(join(directory, name), join(directory, `${holder}.withdrawn`));
      }
    }
  } catch (error) {
    if (!isMissing(error)) {
      throw error;
    }
  }
}

/** Removes a reserve's file. false: there is none, so a start may have claimed the reserve. Survives a power cut. */
export async function takeBackReserve(directory: string, holder: string): Promise<boolean> {
  let isOurs = false;
  for (const state of ["sealed", "withdrawn"]) {
    isOurs = (await wins(rm(join(directory, `${holder}.${state}`)))) || isOurs;
  }
  if (isOurs) {
    await syncDirectory(directory);
  }
  return isOurs;
}

/** Removes the files of former servers of this directory, and returns their holders. Nobody can sell from them any more. */
export async function takeBackFormer(directory: string): Promise<string[]> {
  const holders: string[] = [];
  for (const { holder, state } of await reserveFiles(directory)) {
    const isOpen = state === "sealed" || state === "withdrawn";
    if (isOpen && (await takeBackReserve(directory, holder)) && isOfPlace(directory, holder)) {
      holders.push(holder);
    }
  }
  return holders;
}

/** Writes a reserve whole or not at all, and not if it is no longer current. Throws the disk's error: then it is not written. */
export async function publishReserve(
  directory: string,
  holder: string,
  { sealed, isCurrent }: { sealed: Buffer; isCurrent: () => boolean },
): Promise<boolean> {
  const draft = join(directory, `${holder}.new`);
  const file = await open(draft, "w", 0o600);
  try {
    await file.writeFile(sealed);
    await file.sync();
  } finally {
    await file.close();
  }
  if (!isCurrent()) {
    await rm(draft);
    return false;
  }
  // In the same turn of the event loop: a change that is heard later finds the file, and withdraws it.
  renameSync(draft, join(directory, `${holder}.sealed`));
  // If a power cut undoes the new name, a start finds no file, and sells nothing.
  await syncDirectory(directory).catch(() => {});
  return true;
}

/** Whether the run has certainly ended. Its socket lives as long as it, whatever process numbers it has here. */
async function hasRunEnded(directory: string, series: string): Promise<boolean> {
  if (ownBoot() === null || !series.startsWith(kernel())) {
    return false;
  }
  const socket = connect(socketOf(directory, series));
  try {
    await once(socket, "connect");
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ECONNREFUSED";
  } finally {
    socket.destroy();
  }
}

/** The longest path of a socket that Linux accepts. */
const MAX_SOCKET_BYTES = 107;

/** Shows to others that the run lives, until this process ends. */
async function showAlive(directory: string, series: string): Promise<void> {
  const path = socketOf(directory, series);
  if (Buffer.byteLength(path) > MAX_SOCKET_BYTES) {
    throw new Error(`the path ${path} is too long for a socket: choose a shorter TOLLGATE_DATA_DIR`);
  }
  const server = createServer((socket) => void socket.destroy());
  server.listen(path);
  await once(server, "listening");
  server.unref();
}

async function claimable(directory: string): Promise<ReserveFile[]> {
  const files = (await reserveFiles(directory)).filter(({ holder }) => isOfPlace(directory, holder));
  const ages = new Map<string, number>();
  for (const { name, state } of files) {
    if (state === "sealed") {
      ages.set(name, (await stat(join(directory, name)).catch(() => null))?.mtimeMs ?? 0);
    }
  }
  const newest = files
    .filter(({ state }) => state === "sealed")
    .toSorted((left, right) => (ages.get(right.name) ?? 0) - (ages.get(left.name) ?? 0));
  const ended: ReserveFile[] = [];
  for (const file of files.filter(({ state }) => state === "claimed")) {
    if (await hasRunEnded(directory, file.series)) {
      ended.push(file);
    }
  }
  return [...newest, ...ended];
}

/**
 * Claims a reserve for this process: the newest one, or the one of a run that has ended. null: there is none. Throws the
 * disk's error. When it returns, a power cut does not undo it.
 */
export async function claimReserve(directory: string): Promise<Claim | null> {
  const files = await claimable(directory);
  if (files.length === 0) {
    return null;
  }
  const series = kernel() + token();
  await showAlive(directory, series);
  for (const { name, holder, state, series: former } of files) {
    const path = join(directory, `${holder}.${series}.claimed`);
    if (await wins(rename(join(directory, name), path))) {
      await syncDirectory(directory);
      if (state === "claimed") {
        await rm(socketOf(directory, former), { force: true });
      }
      return { directory, holder, path, isFresh: state === "sealed" };
    }
  }
  return null;
}

/** Whether no process has begun to bring charges of this reserve into the ledger. */
export const isStillOpen = ({ path }: Claim): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/** Lets no further run sell from a reserve, before the first of its charges leaves the disk for the ledger. */
export async function closeClaims(directory: string, holder: string): Promise<void> {
  for (;;) {
    const open = (await reserveFiles(directory)).filter(
      (file) => file.holder === holder && file.state === "claimed",
    );
    if (open.length === 0) {
      return;
    }
    for (const { name, series } of open) {
      await wins(rename(join(directory, name), join(directory, `${holder}.${series}.closed`)));
    }
    await syncDirectory(directory);
  }
}

/** The charges on disk that a reserve paid. null: some lines cannot be read, so nobody can say. */
export async function chargesOfReserve(directory: string, holder: string): Promise<DeliveredCharge[] | null> {
  const charges: DeliveredCharge[] = [];
  for (const name of await chargeFilesIn(directory)) {
    try {
      const read = await readChargeFile(join(directory, name));
      if (read.damaged > 0) {
        return null;
      }
      charges.push(...read.charges.filter(({ part }) => part === holder));
    } catch (error) {
      if (!isMissing(error)) {
        throw error;
      }
    }
  }
  return charges;
}

/** The claimed reserves among a directory's files whose runs have ended. */
export async function findEndedClaims(
  directory: string,
  names: string[],
): Promise<{ holder: string; series: string }[]> {
  const ended: { holder: string; series: string }[] = [];
  for (const { holder, series, state } of reserveFilesAmong(names)) {
    if ((state === "claimed" || state === "closed") && isOfPlace(directory, holder)) {
      if (await hasRunEnded(directory, series)) {
        ended.push({ holder, series });
      }
    }
  }
  return ended;
}

/** Removes what is left of a run whose charges are all in the ledger. */
export async function forgetClaim(directory: string, holder: string, series: string): Promise<void> {
  await rm(join(directory, `${holder}.${series}.closed`), { force: true });
  await rm(socketOf(directory, series), { force: true });
}
