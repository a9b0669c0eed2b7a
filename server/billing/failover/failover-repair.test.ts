import { expect, test } from "vitest";
import { createLog } from "@/server/base/log";
import { deliveredCharge } from "@/tests/support/delivered-charge";
import { createFailoverRepair } from "./failover-repair";
import { createRecentCharges, KEEP_MS } from "./recent-charges";

/** A process with a database whose history and ledger a test changes. */
function repairing({ max = 1_000 } = {}) {
  const database = { timeline: "00000001", entered: new Set<string>(), isAway: false, mayLose: true };
  let now = 0;
  const charged: string[] = [];
  let atOnce = 0;
  let failovers = 0;
  const answer = <T>(value: () => T) =>
    database.isAway ? Promise.reject(new Error("away")) : Promise.resolve(value());
  const repair = createFailoverRepair({
    recent: createRecentCharges({ now: () => now, max }),
    readTimeline: () => answer(() => database.timeline),
    mayLose: () => database.mayLose,
    findEntered: (charges) =>
      answer(() => new Set(charges.filter(({ requestId }) => database.entered.has(requestId)))),
    onFailover: () => {
      failovers++;
    },
    chargeAgain: async (charges) => {
      charged.push(...charges.map(({ requestId }) => requestId));
      atOnce = Math.max(atOnce, charges.length);
    },
    log: createLog("silent"),
  });
  return {
    ...{ repair, database, charged },
    failovers: () => failovers,
    mostAtOnce: () => atOnce,
    wait: (ms: number) => {
      now += ms;
    },
    charge: (requestId: string) => {
      database.entered.add(requestId);
      repair.note(deliveredCharge(requestId));
    },
    failOver: (...lost: string[]) => {
      database.timeline = `0000000${Number(database.timeline) + 1}`;
      for (const requestId of lost) {
        database.entered.delete(requestId);
      }
    },
  };
}

test("after a failover, the charges that the new primary lacks are made again, once", async () => {
  const { repair, charge, failOver, charged, failovers } = repairing();
  await repair.check();
  ["req_1", "req_2", "req_3"].forEach(charge);
  await repair.check();
  expect(failovers()).toBe(0);
  failOver("req_2", "req_3");
  await repair.check();
  await repair.check();
  expect([charged, failovers()]).toEqual([["req_2", "req_3"], 1]);
});

test("a failover that is noticed while the database is away again is repaired when it is back", async () => {
  const { repair, charge, failOver, charged, database, wait } = repairing();
  await repair.check();
  charge("req_1");
  database.isAway = true;
  await repair.check();
  wait(2 * KEEP_MS);
  failOver("req_1");
  await repair.check();
  database.isAway = false;
  await repair.check();
  expect(charged).toEqual(["req_1"]);
});

test("a charge is kept for two minutes after which the database was the same", async () => {
  const { repair, charge, failOver, charged, wait } = repairing();
  await repair.check();
  charge("req_1");
  wait(KEEP_MS + 1);
  charge("req_2");
  await repair.check();
  failOver("req_1", "req_2");
  await repair.check();
  expect(charged).toEqual(["req_2"]);
});

test("no more charges are kept than there is room for: the last ones", async () => {
  const { repair, charge, failOver, charged } = repairing({ max: 3 });
  await repair.check();
  const ids = Array.from({ length: 10 }, (_, index) => `req_${index}`);
  ids.forEach(charge);
  failOver(...ids);
  await repair.check();
  expect(charged).toEqual(["req_7", "req_8", "req_9"]);
});

test("many missing charges are made again some hundreds at a time, because no more than 10,000 can wait for the database", async () => {
  const { repair, charge, failOver, charged, mostAtOnce } = repairing({ max: 20_000 });
  await repair.check();
  const ids = Array.from({ length: 20_000 }, (_, index) => `req_${index}`);
  ids.forEach(charge);
  failOver(...ids);
  await repair.check();
  expect(charged).toEqual(ids);
  expect(mostAtOnce()).toBeLessThan(1_000);
});

test("a database whose failover loses nothing is asked for no history, and no charge is kept", async () => {
  const { repair, charge, failOver, charged, database } = repairing();
  database.mayLose = false;
  database.isAway = true;
  await repair.check();
  charge("req_1");
  failOver("req_1");
  database.isAway = false;
  await repair.check();
  expect(charged).toEqual([]);
});
