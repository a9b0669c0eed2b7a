import { mkdtemp, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createLog } from "@/server/base/log";
import { nanos } from "@/server/base/money";
import { createVault } from "@/server/base/vault";
import type { AccountId } from "@/server/domain/ids";
import { branded } from "@/tests/support/branded";
import { deliveredCharge } from "@/tests/support/delivered-charge";
import { temporaryDirectory } from "@/tests/support/temporary-directory";
import { createJournal } from "../journal/journal";
import { newWriter } from "../journal/writers";
import { adoptParts } from "./adopted-parts";
import { createKeptParts } from "./kept-parts";
import {
  claimParts,
  findEndedHolders,
  leaveParts,
  listPartFiles,
  notePartHolder,
  spendParts,
} from "./part-files";

const home = temporaryDirectory();
const vault = createVault("the secret of this installation");
const log = createLog("silent");
const accountId: AccountId = branded("acc_1");
const other: AccountId = branded("acc_2");

/** A name of a process that has ended: one with this number and another start. */
function endedWriter(): string {
  const [host, pid, start = "", token] = newWriter().split(".");
  return `${host}.${pid}.${start.replace(/^./, (digit) => (digit === "1" ? "2" : "1"))}.${token}`;
}

/** A directory in which a process has kept a part of 100 for each of two accounts, and has left it. */
async function left({
  usableForMs = 60_000,
  holder = newWriter(),
  amounts = [100n, 100n],
  isLeft = true,
} = {}) {
  const directory = await mkdtemp(join(home, "parts-"));
  const parts = [accountId, other].map((id, index) => ({
    ...{ accountId: id, amount: amounts[index] ?? 0n, isQuiet: true, usableForMs },
  }));
  const kept = createKeptParts({ directory, processId: holder, vault, parts: () => parts });
  await notePartHolder(directory, holder);
  await kept.refresh();
  if (isLeft) {
    await leaveParts(directory, holder);
  }
  return { directory, holder, kept, parts };
}

const adopt = async (directory: string, opened = vault) =>
  await adoptParts({ directory, vault: opened, log });
const amountsOf = ({ parts }: Awaited<ReturnType<typeof adopt>>) =>
  parts.map((part) => [part.accountId, part.amount]);

/** Writes charges that a holder's part paid, and leaves them. */
async function charge(
  directory: string,
  { writer, part }: { writer: string; part: string },
  requestId = "req_1",
) {
  const journal = createJournal({ directory, log, writer });
  await journal.append(deliveredCharge(requestId, { accountId, part }));
  await journal.close();
}

test("a part is adopted once, without what its holder has charged already", async () => {
  const { directory, holder } = await left();
  await charge(directory, { writer: holder, part: holder });
  const [first, second] = await Promise.all([adopt(directory), adopt(directory)]);
  expect([...amountsOf(first), ...amountsOf(second)].toSorted()).toEqual([
    [accountId, 60n],
    [other, 100n],
  ]);
  expect(await findEndedHolders(directory)).toEqual([]);
});

test("the part of an adopter that has ended is adopted again, without the charges of both", async () => {
  const { directory, holder } = await left();
  await charge(directory, { writer: holder, part: holder });
  const { writer } = await adopt(directory);
  // The file that a killed adopter leaves names a process that has ended.
  const dead = endedWriter();
  const [file] = await listPartFiles(directory);
  const text = vault.open(await readFile(join(directory, file?.name ?? ""), "utf8"));
  await writeFile(join(directory, file?.name ?? ""), vault.seal(text.replaceAll(writer, dead)));
  await rename(join(directory, file?.name ?? ""), join(directory, `${holder}~${dead}.parts`));
  await charge(directory, { writer: dead, part: holder }, "req_2");
  expect(amountsOf(await adopt(directory))).toEqual([
    [accountId, 20n],
    [other, 100n],
  ]);
});

test("the part of a living process is not adopted, and that of a killed one is", async () => {
  const alive = await left({ isLeft: false });
  expect(amountsOf(await adopt(alive.directory))).toEqual([]);
  const killed = await left({ isLeft: false, holder: endedWriter() });
  expect(amountsOf(await adopt(killed.directory))).toHaveLength(2);
});

test("nothing is adopted after its charges have begun to be settled, and it is returned once they are", async () => {
  const { directory, holder } = await left();
  await charge(directory, { writer: holder, part: holder });
  expect(await spendParts(directory, holder)).toBe(true);
  expect(amountsOf(await adopt(directory))).toEqual([]);
  expect(await findEndedHolders(directory)).toEqual([]);
  const journal = createJournal({ directory, log });
  await journal.takeLeft(10);
  await journal.remove("req_1");
  expect(await findEndedHolders(directory)).toEqual([holder]);
});

test("a part that another process returns is not adopted", async () => {
  const { directory, holder } = await left();
  expect(await findEndedHolders(directory)).toEqual([holder]);
  expect(amountsOf(await adopt(directory))).toEqual([]);
});

test("an adopter that died before it knew what was left leaves nothing to adopt", async () => {
  const { directory } = await left();
  const [file] = await listPartFiles(directory);
  if (file) {
    await claimParts(directory, file, endedWriter());
  }
  expect(amountsOf(await adopt(directory))).toEqual([]);
});

test("nothing is adopted after its time, with another secret, from a torn file, or with unreadable charges", async () => {
  expect(amountsOf(await adopt((await left({ usableForMs: 0 })).directory))).toEqual([]);
  expect(amountsOf(await adopt((await left()).directory, createVault("another secret")))).toEqual([]);
  const torn = await left();
  const path = join(torn.directory, `${torn.holder}.left.parts`);
  await writeFile(path, (await readFile(path, "utf8")).slice(0, -5));
  expect(amountsOf(await adopt(torn.directory))).toEqual([]);
  const damaged = await left();
  await writeFile(join(damaged.directory, `${damaged.holder}.0.left.log`), `${"0".repeat(15)}\nno charge\n`);
  expect(amountsOf(await adopt(damaged.directory))).toEqual([]);
});

test("a file has no part whose charge may be in the database, and never more than the process has now", async () => {
  const { directory, kept, parts, holder } = await left({ isLeft: false });
  const [first, second] = parts;
  await kept.drop(accountId);
  Object.assign(first ?? {}, { isQuiet: false });
  Object.assign(second ?? {}, { amount: nanos(30n) });
  await kept.lower();
  await leaveParts(directory, holder);
  expect(amountsOf(await adopt(directory))).toEqual([[other, 30n]]);
  const again = await left({ isLeft: false, amounts: [100n, 50n] });
  Object.assign(again.parts[0] ?? {}, { isQuiet: false, amount: 500n });
  await again.kept.refresh();
  await leaveParts(again.directory, again.holder);
  expect(amountsOf(await adopt(again.directory))).toEqual([
    [accountId, 100n],
    [other, 50n],
  ]);
  expect((await readdir(again.directory)).filter((name) => name.includes(".new"))).toEqual([]);
});
