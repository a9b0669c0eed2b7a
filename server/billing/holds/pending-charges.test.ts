import { mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createLog } from "@/server/base/log";
import { deliveredCharge } from "@/tests/support/delivered-charge";
import { temporaryDirectory } from "@/tests/support/temporary-directory";
import { until } from "@/tests/support/until";
import { describeCharge } from "../journal/charge-lines";
import { createJournal } from "../journal/journal";
import { createCollector } from "./collector";
import { countPendingCharges, createPendingCharges } from "./pending-charges";

const log = createLog("silent");
const home = temporaryDirectory();

/** The pending charges of a process, and the calls that its collector has charged. */
function collecting(directory: string) {
  const counts: number[] = [];
  const incidents: string[] = [];
  const arrears = createPendingCharges({
    directory,
    log,
    observe: (kind) => incidents.push(kind),
    onCount: (count) => counts.push(count),
  });
  const charged: string[] = [];
  const collector = createCollector({
    tryEnd: async ({ requestId }) => {
      charged.push(requestId);
      return true;
    },
    ...{ arrears, log, observe: () => {}, isAway: () => false, onSettled: () => {} },
  });
  return { ...collector, arrears, charged, counts, incidents };
}

const idsFrom = (first: number, count: number) =>
  Array.from({ length: count }, (_, index) => `req_${first + index}`);

test("a process charges all that ended processes have left in one round, however much it is", async () => {
  const directory = join(home, "many");
  const ids = [idsFrom(0, 6_000), idsFrom(6_000, 6_000), idsFrom(12_000, 6_000)];
  for (const each of ids) {
    const journal = createJournal({ directory, log });
    await Promise.all(each.map((requestId) => journal.append(deliveredCharge(requestId))));
    await journal.close();
  }
  expect(await countPendingCharges(directory)).toBe(18_000);
  const { collect, arrears, charged, counts } = collecting(directory);
  await Promise.all([collect(), collect()]);
  await arrears.written();
  expect(charged.toSorted()).toEqual(ids.flat().toSorted());
  expect(await readdir(directory)).toEqual([]);
  expect(counts.at(-1)).toBe(0);
});

test("a charge that the database does not answer delays no later one", async () => {
  const arrears = createPendingCharges({
    directory: join(home, "silent"),
    log,
    observe: () => {},
    onCount: () => {},
  });
  const charged: string[] = [];
  const { settleSoon, settleNow } = createCollector({
    tryEnd: ({ requestId }) =>
      requestId === "req_1" ? new Promise(() => {}) : Promise.resolve(charged.push(requestId) > 0),
    ...{ arrears, log, observe: () => {}, isAway: () => false, onSettled: () => {} },
  });
  await settleSoon(deliveredCharge("req_1"));
  void settleNow();
  await settleSoon(deliveredCharge("req_2"));
  void settleNow();
  await until(() => charged.length > 0);
  expect(charged).toEqual(["req_2"]);
  await arrears.close();
});

test("a process charges what the previous release has kept", async () => {
  const directory = join(home, "previous");
  await mkdir(directory);
  await writeFile(join(directory, "req_1.json"), describeCharge(deliveredCharge("req_1")));
  await writeFile(join(directory, "req_2.json"), '{"requestId"');
  const { collect, arrears, charged, incidents } = collecting(directory);
  await collect();
  await arrears.written();
  expect(charged).toEqual(["req_1"]);
  expect(incidents, "a file without a charge may be a lost one").toEqual(["lost"]);
  expect(await readdir(directory)).toEqual(["req_2.json.damaged"]);
});

test("a file that is settled while charges are counted counts as none", async () => {
  const directory = join(home, "gone");
  await mkdir(directory);
  await symlink(join(directory, "settled"), join(directory, "req_1.json"));
  expect(await countPendingCharges(directory)).toBe(0);
});
