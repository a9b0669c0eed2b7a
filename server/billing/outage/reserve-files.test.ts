import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createLog } from "@/server/base/log";
import { endRun, socketOfRun } from "@/tests/support/dead-run";
import { deliveredCharge } from "@/tests/support/delivered-charge";
import { temporaryDirectory } from "@/tests/support/temporary-directory";
import { createJournal } from "../journal/journal";
import {
  type Claim,
  chargesOfReserve,
  claimReserve,
  closeClaims,
  findEndedClaims,
  forgetClaim,
  isStillOpen,
  newReserveHolder,
  publishReserve,
  takeBackFormer,
  takeBackReserve,
  withdrawReserves,
} from "./reserve-files";

const home = temporaryDirectory();
const newDirectory = () => mkdtemp(join(home, "r-"));

async function publish(directory: string, text = "sealed", isCurrent = () => true) {
  const holder = newReserveHolder(directory);
  expect(await publishReserve(directory, holder, { sealed: Buffer.from(text), isCurrent })).toBe(isCurrent());
  return holder;
}

const claimed = async (directory: string): Promise<Claim> => {
  const claim = await claimReserve(directory);
  if (claim === null) {
    throw new Error("nothing could be claimed");
  }
  return claim;
};

test("one start claims a reserve, and none the same one again while it lives", async () => {
  const directory = await newDirectory();
  const holder = await publish(directory);
  const claims = await Promise.all([1, 2, 3].map(() => claimReserve(directory)));
  const [won, ...others] = claims.filter((claim) => claim !== null);
  expect([won?.holder, won?.isFresh, others]).toEqual([holder, true, []]);
  expect(await readFile(won?.path ?? "", "utf8")).toBe("sealed");
  // The server that published it finds that it has been claimed.
  expect(await takeBackReserve(directory, holder)).toBe(false);
  expect(await claimReserve(directory)).toBeNull();
});

test("a later run goes on after the former one has ended, and not once its charges are on their way to the ledger", async () => {
  const directory = await newDirectory();
  const holder = await publish(directory);
  const first = await claimed(directory);
  await endRun(first);
  const second = await claimed(directory);
  expect([second.holder, second.isFresh, await isStillOpen(second)]).toEqual([holder, false, true]);
  expect(await isStillOpen(first)).toBe(false);
  await closeClaims(directory, holder);
  expect(await isStillOpen(second)).toBe(false);
  await endRun(second);
  expect(await claimReserve(directory)).toBeNull();
  const ended = await findEndedClaims(directory, await readdir(directory));
  expect(ended.map((claim) => claim.holder)).toEqual([holder]);
  await forgetClaim(directory, holder, ended[0]?.series ?? "");
  expect(await readdir(directory)).toEqual([]);
});

test("a reserve is not among the ended ones while its run lives, or if its socket is gone", async () => {
  const directory = await newDirectory();
  await publish(directory);
  const claim = await claimed(directory);
  expect(await findEndedClaims(directory, await readdir(directory))).toEqual([]);
  await rm(socketOfRun(claim));
  expect(await findEndedClaims(directory, await readdir(directory))).toEqual([]);
  expect(await claimReserve(directory)).toBeNull();
});

test("a run of another machine is never taken for ended", async () => {
  const directory = await newDirectory();
  const holder = await publish(directory);
  const claim = await claimed(directory);
  await endRun(claim);
  const series = `${"0".repeat(8)}${claim.path.split(".").at(-2)?.slice(8)}`;
  await cp(claim.path, join(directory, `${holder}.${series}.claimed`));
  await rm(claim.path);
  expect(await claimReserve(directory)).toBeNull();
});

test("a reserve that is withdrawn cannot be claimed, and its server still has it", async () => {
  const directory = await newDirectory();
  const holder = await publish(directory);
  withdrawReserves(directory);
  expect(await claimReserve(directory)).toBeNull();
  expect(await takeBackReserve(directory, holder)).toBe(true);
  expect(await takeBackReserve(directory, holder)).toBe(false);
});

test("a snapshot from before a change is not published after it", async () => {
  const directory = await newDirectory();
  await publish(directory, "old", () => false);
  expect(await readdir(directory)).toEqual([]);
});

test("a copy of a directory claims and returns nothing of the original", async () => {
  const directory = await newDirectory();
  const holder = await publish(directory);
  const copy = join(home, "copy");
  await mkdir(copy);
  await cp(directory, copy, { recursive: true });
  expect(await claimReserve(copy)).toBeNull();
  expect(await takeBackFormer(copy)).toEqual([]);
  expect(await takeBackFormer(directory)).toEqual([holder]);
});

test("a path that no socket may have is refused in words", async () => {
  const directory = join(await newDirectory(), "d".repeat(90));
  await mkdir(directory);
  await publish(directory);
  await expect(claimReserve(directory)).rejects.toThrow("choose a shorter TOLLGATE_DATA_DIR");
});

test("the charges of a reserve are those on disk, and unknown if a line is damaged", async () => {
  const directory = await newDirectory();
  const holder = await publish(directory);
  const journal = createJournal({ directory, log: createLog("silent") });
  const charges = ["req_1", "req_2"].map((id) => deliveredCharge(id, { part: holder }));
  await Promise.all([...charges, deliveredCharge("req_3", { part: "other" })].map(journal.append));
  expect(await chargesOfReserve(directory, holder)).toEqual(charges);
  expect(await chargesOfReserve(directory, newReserveHolder(directory))).toEqual([]);
  await journal.close();
  const path = join(directory, (await readdir(directory)).find((name) => name.endsWith(".log")) ?? "");
  const whole = await readFile(path, "utf8");
  // The disk never confirmed a torn last line, so no call was charged by it.
  await writeFile(path, `${whole}0000`);
  expect(await chargesOfReserve(directory, holder)).toEqual(charges);
  await writeFile(path, whole.replace("req_1", "req_9"));
  expect(await chargesOfReserve(directory, holder)).toBeNull();
});
