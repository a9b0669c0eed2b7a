import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { createLog } from "@/server/base/log";
import { nanos } from "@/server/base/money";
import { deliveredCharge } from "@/tests/support/delivered-charge";
import { temporaryDirectory } from "@/tests/support/temporary-directory";
import { printLine, readLines } from "./charge-lines";
import { createJournal } from "./journal";
import { readChargeFile } from "./left-charges";

const log = createLog("silent");
const home = temporaryDirectory();
let serial = 0;

/** A directory for charges, and the journals of processes that use it one after the other, or together. */
function journalHome() {
  const directory = join(home, String(serial++));
  const paths = async () => (await readdir(directory)).toSorted().map((name) => join(directory, name));
  const takeLeft = async () => (await createJournal({ directory, log }).takeLeft(1_000)).charges;
  return { directory, paths, takeLeft, open: () => createJournal({ directory, log }) };
}

const first = deliveredCharge("req_1", {
  note: "cut: server_stopped",
  draw: { escrowId: "esc_1", held: nanos(50n) },
});
const second = deliveredCharge("req_2");
const third = deliveredCharge("req_3");

describe("a process that has ended leaves to the next one", () => {
  test("each charge as it was, also if some of its file are settled", async () => {
    const { open, takeLeft, paths } = journalHome();
    const journal = open();
    await Promise.all([first, second, third].map(journal.append));
    await journal.remove("req_1");
    await journal.close();
    expect(await takeLeft()).toEqual([first, second, third]);
    expect(await paths()).toHaveLength(1);
  });

  test("nothing if all was settled", async () => {
    const { open, takeLeft, paths } = journalHome();
    const journal = open();
    await Promise.all([first, second].map(journal.append));
    await Promise.all([second, first].map(({ requestId }) => journal.remove(requestId)));
    const [path = ""] = await paths();
    expect(await readChargeFile(path)).toEqual({ charges: [], damaged: 0 });
    await journal.append(third);
    expect((await readChargeFile(path)).charges).toEqual([third]);
    await journal.remove("req_3");
    await journal.close();
    expect(await paths()).toEqual([]);
    expect(await takeLeft()).toEqual([]);
  });

  test("the whole lines before the byte at which it was killed, and no file that it cannot read", async () => {
    const { open, takeLeft, paths, directory } = journalHome();
    const journal = open();
    await journal.append(first);
    await journal.append(second);
    await journal.close();
    const [path = ""] = await paths();
    const whole = await readFile(path);
    const ends = [...whole.entries()].flatMap(([index, byte]) => (byte === 10 ? index + 1 : []));
    const [, firstEnd = 0, secondEnd = 0] = ends;
    for (let length = 0; length <= whole.length; length++) {
      await writeFile(path, whole.subarray(0, length));
      const { charges, damaged } = await readChargeFile(path);
      expect(damaged).toBe(0);
      expect(charges).toHaveLength(Number(length >= firstEnd) + Number(length >= secondEnd));
    }
    await writeFile(path, whole.subarray(0, 3));
    expect(await takeLeft()).toEqual([]);
    expect(await readdir(directory)).toEqual([]);
  });

  test("the charges around a damaged one, whose file stays", async () => {
    const { open, directory, paths } = journalHome();
    const journal = open();
    await Promise.all([first, second, third].map(journal.append));
    await journal.close();
    const [path = ""] = await paths();
    const bytes = await readFile(path);
    bytes.writeUInt8(bytes.readUInt8(bytes.indexOf("req_2")) ^ 1, bytes.indexOf("req_2"));
    await writeFile(path, bytes);
    const next = open();
    expect((await next.takeLeft(1_000)).charges).toEqual([first, third]);
    await next.remove("req_1");
    await next.remove("req_3");
    expect(await paths()).toEqual([`${path}.damaged`]);
    expect((await readdir(directory)).length).toBe(1);
  });
});

test("a file that cannot be read delays no charge in others", async () => {
  const { open, takeLeft, directory } = journalHome();
  const journal = open();
  await journal.append(first);
  await journal.close();
  await mkdir(join(directory, "0.log"));
  expect(await takeLeft()).toEqual([first]);
});

test("many lines are read a few at a time, so that calls need not wait", async () => {
  let turns = 0;
  let next = setImmediate(function count() {
    turns++;
    next = setImmediate(count);
  });
  const lines = Array.from({ length: 2_000 }, (_, index) => printLine(deliveredCharge(`req_${index}`)));
  const { charges } = await readLines(lines.join(""));
  clearImmediate(next);
  expect(charges).toHaveLength(2_000);
  expect(turns).toBeGreaterThan(5);
});

test("the charges of a living process are its own", async () => {
  const { open, takeLeft } = journalHome();
  const journal = open();
  await journal.append(first);
  expect(await takeLeft()).toEqual([]);
  await journal.close();
  expect(await takeLeft()).toEqual([first]);
});

test("a file that another program deletes is written again with the charges that are not settled", async () => {
  const { open, takeLeft, paths } = journalHome();
  const journal = open();
  await Promise.all([first, second].map(journal.append));
  await journal.remove("req_1");
  for (const path of await paths()) {
    await rm(path);
  }
  await journal.append(third);
  await journal.close();
  expect(await takeLeft()).toEqual([second, third]);
});

test("a file that another program deletes before the process ends is left to the next one all the same", async () => {
  const { open, takeLeft, paths } = journalHome();
  const journal = open();
  await journal.append(deliveredCharge("req_0", { note: "n".repeat(5 * 1024 * 1024) }));
  await journal.append(first);
  for (const path of await paths()) {
    await rm(path);
  }
  await journal.close();
  expect((await takeLeft()).map(({ requestId }) => requestId).toSorted()).toEqual(["req_0", "req_1"]);
});

test("a disk that takes no byte is left without a file, and the process without an open one", async () => {
  const command = 'ulimit -f 0; exec node tests/support/full-disk-process.mjs "$0" 20';
  const directory = await mkdtemp(join(home, "full-"));
  const { stdout } = await promisify(execFile)("sh", ["-c", command, directory]);
  expect(JSON.parse(stdout)).toEqual({ written: 0, files: 0, descriptors: 0 });
});

test("a charge that the disk does not take is not in the journal, and a later one may be", async () => {
  const { open, takeLeft, directory } = journalHome();
  await writeFile(directory, "a file in place of the directory");
  const journal = open();
  await expect(journal.append(first)).rejects.toThrow();
  await rm(directory);
  await journal.append(second);
  await journal.close();
  expect(await takeLeft()).toEqual([second]);
});

test("a full file is followed by another one, and deleted once its charges are settled", async () => {
  const { open, paths } = journalHome();
  const journal = open();
  const long = (id: string) => deliveredCharge(id, { note: "n".repeat(3 * 1024 * 1024) });
  await journal.append(long("req_1"));
  await journal.append(long("req_2"));
  await journal.append(third);
  expect(await paths()).toHaveLength(2);
  await journal.remove("req_2");
  expect(await paths()).toHaveLength(2);
  await journal.remove("req_1");
  expect(await paths()).toHaveLength(1);
  await Promise.all(["req_4", "req_5"].map((id) => journal.append(long(id))));
  await Promise.all(["req_3", "req_4", "req_5"].map(journal.remove));
  await journal.append(first);
  expect(await paths(), "it was settled before it was followed").toHaveLength(1);
  await journal.close();
});
