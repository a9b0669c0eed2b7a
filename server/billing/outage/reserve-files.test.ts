import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, link, mkdir, mkdtemp, readdir, readFile, rename, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createLog } from "@/server/base/log";
import { endRun } from "@/tests/support/dead-run";
import { deliveredCharge } from "@/tests/support/delivered-charge";
import { temporaryDirectory } from "@/tests/support/temporary-directory";
import { createJournal } from "../journal/journal";
import { runOf } from "../journal/writers";
import { chargesOfReserve, claimReserve, findClaimable, findEndedClaims } from "./reserve-claims";
import {
  newReserveHolder,
  openDraft,
  placeOf,
  publishDraft,
  type Taking,
  takeBackReserve,
  takeFormer,
  withdrawReserves,
  writeDraft,
} from "./reserve-files";

const home = temporaryDirectory();
const newDirectory = () => mkdtemp(join(home, "r-"));

async function publish(directory: string, { holder = newReserveHolder(), turn = 1 } = {}) {
  const draft = await openDraft(directory, { holder, turn });
  const name = (await writeDraft(directory, draft, Buffer.from("sealed"))) ?? "";
  expect(await publishDraft(directory, draft, name)).toBe(true);
  return { holder, name };
}

/** As a start does it. */
async function claim(directory: string) {
  const [file] = await findClaimable(directory);
  return file ? await claimReserve(directory, file) : null;
}

async function claimed(directory: string) {
  const found = await claim(directory);
  if (found === null) {
    throw new Error("nothing could be claimed");
  }
  return found;
}

const former = async (directory: string, which: Taking) =>
  (await takeFormer(directory, which)).map(({ holder }) => holder);
const ended = async (directory: string) =>
  (await findEndedClaims(directory, await readdir(directory))).map(({ holder }) => holder);
const makeOlder = (path: string, ms: number) => utimes(path, new Date(), new Date(Date.now() - ms));

test("one of many starts claims a reserve, and its server finds that it has", async () => {
  const directory = await newDirectory();
  const { holder, name } = await publish(directory);
  const [file] = await findClaimable(directory);
  const claims = await Promise.all([1, 2, 3].map(() => file && claimReserve(directory, file)));
  const [won, ...others] = claims.filter((each) => each);
  expect([won?.holder, others]).toEqual([holder, []]);
  // Its keys and credentials are in the memory of the start.
  expect(await readFile(won?.path ?? "", "utf8")).toBe("");
  expect(await takeBackReserve(directory, name)).toBe(false);
});

test("one of many processes takes a reserve back", async () => {
  for (let round = 0; round < 20; round++) {
    const directory = await newDirectory();
    const { name } = await publish(directory);
    const won = await Promise.all([1, 2, 3].map(() => takeBackReserve(directory, name)));
    expect(won.filter(Boolean)).toEqual([true]);
  }
});

test("a reserve is claimed once: not again after its run has ended, also after a change", async () => {
  const directory = await newDirectory();
  await publish(directory);
  const first = await claimed(directory);
  expect(await claim(directory)).toBeNull();
  await endRun(first);
  expect(await claim(directory)).toBeNull();
  withdrawReserves(directory);
  expect(await claim(directory)).toBeNull();
});

test("a file of a claimed reserve that comes back is not claimed", async () => {
  const directory = await newDirectory();
  const { holder, name } = await publish(directory);
  const first = await claimed(directory);
  await publish(directory, { holder, turn: 2 });
  expect(await claim(directory)).toBeNull();
  await rm(first.path);
  expect(await claim(directory)).not.toBeNull();
  // A restored copy of the claimed file is not proof for its server either.
  await writeFile(join(directory, name), "sealed");
  expect(await takeBackReserve(directory, name)).toBe(false);
});

test("a reserve is not among the ended ones while its run lives, or stands still, or may run elsewhere", async () => {
  const directory = await newDirectory();
  const { holder } = await publish(directory);
  const { path } = await claimed(directory);
  expect(await ended(directory)).toEqual([]);
  const other = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000); console.log('up')"]);
  await once(other.stdout, "data");
  const run = runOf(other.pid ?? 0);
  const own = runOf(process.pid);
  const others = path.replace(own, run);
  await rename(path, others);
  other.kill("SIGSTOP");
  expect(await ended(directory)).toEqual([]);
  other.kill("SIGKILL");
  await once(other, "exit");
  expect(await ended(directory)).toEqual([holder]);
  const [namespace = "", pid = "", start = ""] = run.split("-");
  for (const elsewhere of [
    `1${namespace}-${pid}-${start}`,
    `${namespace}-${pid}-${start.replace(/b.*/, `b${"0".repeat(32)}`)}`,
  ]) {
    const moved = path.replace(own, elsewhere);
    await rename(others, moved);
    expect(await ended(directory)).toEqual([]);
    await rename(moved, others);
  }
  expect(await ended(directory)).toEqual([holder]);
});

test("a claim whose run cannot be proven to have ended is deleted in the end, on any machine", async () => {
  const directory = await newDirectory();
  await publish(directory);
  const { path } = await claimed(directory);
  const elsewhere = path.replace(/b[0-9a-f]{32}\./, `b${"0".repeat(32)}.`);
  await rename(path, elsewhere);
  await makeOlder(elsewhere, 2 * 86_400_000);
  expect([await ended(directory), await readdir(directory)]).toMatchObject([[], { length: 1 }]);
  await makeOlder(elsewhere, 4 * 86_400_000);
  expect([await ended(directory), await readdir(directory)]).toEqual([[], []]);
});

test("a reserve that is withdrawn cannot be claimed, and its server still has it", async () => {
  const directory = await newDirectory();
  const { name } = await publish(directory);
  withdrawReserves(directory);
  expect(await claim(directory)).toBeNull();
  expect(await takeBackReserve(directory, name)).toBe(true);
  expect(await takeBackReserve(directory, name)).toBe(false);
});

test("a change withdraws what is being read, before and after it is written", async () => {
  const directory = await newDirectory();
  const draft = await openDraft(directory, { holder: newReserveHolder(), turn: 1 });
  withdrawReserves(directory);
  expect(await writeDraft(directory, draft, Buffer.from("old"))).toBeNull();
  await openDraft(directory, { holder: newReserveHolder(), turn: 1 });
  const second = await openDraft(directory, { holder: newReserveHolder(), turn: 1 });
  const name = await writeDraft(directory, second, Buffer.from("old"));
  withdrawReserves(directory);
  expect(await publishDraft(directory, second, name ?? "")).toBe(false);
  expect(await readdir(directory)).toEqual([]);
});

test("a change that is heard late leaves the files and drafts that were begun after it", async () => {
  const directory = await newDirectory();
  const { holder } = await publish(directory, { turn: 6 });
  const draft = await openDraft(directory, { holder, turn: 7 });
  withdrawReserves(directory, new Map([[holder, 5]]));
  expect(await findClaimable(directory)).toHaveLength(1);
  expect(await writeDraft(directory, draft, Buffer.from(""))).not.toBeNull();
  // This process has heard no mark of the reserve, so the files may be older than the change.
  withdrawReserves(directory, new Map([[newReserveHolder(), 5]]));
  expect(await findClaimable(directory)).toEqual([]);
  expect((await readdir(directory)).filter((name) => name.endsWith("draft"))).toEqual([]);
  await publish(directory, { holder, turn: 8 });
  withdrawReserves(directory, new Map([[holder, 8]]));
  expect(await findClaimable(directory)).toEqual([]);
});

test("one file that the disk does not let go of keeps no other from being withdrawn", async () => {
  const directory = await newDirectory();
  await Promise.all(Array.from({ length: 8 }, () => publish(directory)));
  const [bad] = (await readdir(directory)).filter((name) => name.endsWith("sealed"));
  await mkdir(join(directory, (bad ?? "").replace(/sealed$/, "withdrawn"), "full"), { recursive: true });
  expect(() => withdrawReserves(directory)).toThrow();
  expect((await findClaimable(directory)).map(({ path }) => path)).toEqual([join(directory, bad ?? "")]);
});

test("a directory that does not exist has nothing to withdraw or to claim", async () => {
  const directory = join(home, "none");
  withdrawReserves(directory);
  expect([await claim(directory), await former(directory, "all")]).toEqual([null, []]);
});

test("a copy of a directory claims and returns nothing of the original, however it was made", async () => {
  const directory = await newDirectory();
  const { holder, name } = await publish(directory);
  const copy = join(home, "copy");
  await cp(directory, copy, { recursive: true, preserveTimestamps: true });
  const linked = await newDirectory();
  await link(join(directory, name), join(linked, name));
  for (const other of [copy, linked]) {
    expect([await claim(other), await former(other, "all")]).toEqual([null, []]);
  }
  expect(await former(directory, "all")).toEqual([holder]);
});

test("the claim of a copy is not ended by the copy", async () => {
  const directory = await newDirectory();
  const { holder } = await publish(directory);
  await endRun(await claimed(directory));
  const copy = join(home, "copy-of-claim");
  await cp(directory, copy, { recursive: true });
  expect([await ended(copy), await ended(directory)]).toEqual([[], [holder]]);
});

test("a place is a device, a number and a birth, of the directory and of the file", () => {
  const one = { dev: 1n, ino: 2n, birthtimeNs: 3n };
  const others = [
    { ...one, dev: 9n },
    { ...one, ino: 9n },
    { ...one, birthtimeNs: 9n },
  ];
  const places = [
    placeOf(one, one),
    ...others.flatMap((other) => [placeOf(other, one), placeOf(one, other), placeOf(other, other)]),
  ];
  expect(new Set(places).size).toBe(10);
  expect(placeOf({ ...one }, { ...one })).toBe(placeOf(one, one));
});

test("only a server's first look takes files that a server renewed in the last minutes", async () => {
  const directory = await newDirectory();
  const { holder, name } = await publish(directory);
  const draft = await openDraft(directory, { holder: newReserveHolder(), turn: 1 });
  expect(await former(directory, "stale")).toEqual([]);
  await makeOlder(join(directory, name), 200_000);
  await makeOlder(draft, 200_000);
  expect(await former(directory, "stale")).toEqual([holder]);
  // It stays until the reserve is returned, also if this process ends now. Its server does not get it back.
  expect(await former(directory, "stale")).toEqual([holder]);
  expect([await claim(directory), await takeBackReserve(directory, name)]).toEqual([null, false]);
  const copy = join(home, "copy-of-former");
  await cp(directory, copy, { recursive: true });
  expect([await former(copy, "all"), await readdir(copy)]).toEqual([[], []]);
});

test("the charges of a reserve are those on disk, and unknown if a line is damaged", async () => {
  const directory = await newDirectory();
  const { holder } = await publish(directory);
  const journal = createJournal({ directory, log: createLog("silent") });
  const charges = ["req_1", "req_2"].map((id) => deliveredCharge(id, { part: holder }));
  await Promise.all([...charges, deliveredCharge("req_3", { part: "other" })].map(journal.append));
  expect(await chargesOfReserve(directory, holder)).toEqual(charges);
  expect(await chargesOfReserve(directory, newReserveHolder())).toEqual([]);
  await journal.close();
  const path = join(directory, (await readdir(directory)).find((name) => name.endsWith(".log")) ?? "");
  const whole = await readFile(path, "utf8");
  // The disk never confirmed a torn last line, so no call was charged by it.
  await writeFile(path, `${whole}0000`);
  expect(await chargesOfReserve(directory, holder)).toEqual(charges);
  await writeFile(path, whole.replace("req_1", "req_9"));
  expect(await chargesOfReserve(directory, holder)).toBeNull();
});
