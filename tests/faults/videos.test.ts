import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { AccountId } from "@/server/domain/ids";
import { patientVendor, ROUNDS } from "@/tests/support/faults";
import { until } from "@/tests/support/until";
import { ageTheDead, type ChaosOrder, clientOf, draw, frozenAndOpen } from "@/tests/support/video-chaos";
import { POLL_MS, startVideoFleet, TIMEOUT_MS, type VideoFleet } from "@/tests/support/video-fleet";
import {
  compareBills,
  type EndedTask,
  keysOfNothing,
  offencesAtVendors,
  tasksOf,
} from "@/tests/support/video-laws";
import { startVideoSimulator, type VideoSimulator } from "@/tests/support/video-simulator";

const ORDERS = 60;
const PACE_MS = 50;
/**
 * Time after the deadline: for claims of dead processes, a last poll at its interval, the worker's pause, a slow
 * machine.
 */
const SLACK_MS = 20_000;

let simulator: VideoSimulator;
let fleet: VideoFleet;
const totals = { orders: 0, accepted: 0, completed: 0, billed: 0, charged: 0 };

beforeAll(async () => {
  simulator = await startVideoSimulator(patientVendor);
  fleet = await startVideoFleet(simulator, 2);
});
afterAll(async () => {
  const gap = (totals.billed - totals.charged).toFixed(2);
  console.log(`video faults: ${JSON.stringify(totals)}, late-success gap ${gap}`);
  await fleet.close();
  await simulator.close();
});

type VideoClient = ReturnType<typeof clientOf>;

/** Waits until no task is open; at every moment exactly the open tasks' money is frozen. */
async function drain(accountId: AccountId): Promise<void> {
  await until(fleet.isReady, 60_000);
  await until(async () => {
    await ageTheDead(fleet.ledger);
    const { frozen, price, tasks } = await frozenAndOpen(fleet, accountId);
    expect(frozen, "the open tasks' money is frozen, and nothing else").toBe(price);
    return tasks === 0;
  }, TIMEOUT_MS + SLACK_MS);
}

function expectOneTaskAnOrder(orders: ChaosOrder[], tasks: EndedTask[], { answers }: VideoClient): void {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const creates = simulator.ledger.creates();
  for (const order of orders) {
    const made = creates.filter(({ prompt }) => prompt === order.prompt);
    const accepted = answers.filter((answer) => answer.order === order && answer.taskId !== null);
    const ids = new Set(accepted.map(({ taskId }) => taskId ?? ""));
    expect(made.length, `${order.prompt}: upstream tasks`).toBeLessThanOrEqual(1);
    for (const taskId of ids) {
      expect(byId.get(taskId)?.prompt, "the client's task is the one that it ordered").toBe(order.prompt);
    }
    const refused = order.prompt.includes("content-at-submit");
    if (order.key === null) {
      const minimum = refused ? 0 : ids.size;
      expect(made.length, `${order.prompt}: upstream tasks`).toBeGreaterThanOrEqual(minimum);
    } else if (!refused) {
      expect(ids.size, `${order.prompt}: tasks of one Idempotency-Key`).toBe(1);
    }
    const delivered = tasks.filter(({ prompt, state }) => prompt === order.prompt && state === "completed");
    const refs = made.map(({ taskId }) => taskId);
    expect(refs, `${order.prompt}: what is charged is what was made`).toEqual(
      expect.arrayContaining(delivered.map(({ ref }) => ref)),
    );
  }
}

async function expectSettled(accountId: AccountId, tasks: EndedTask[]): Promise<void> {
  const entries = await fleet.ledger.entriesOfAll(tasks.map(({ id }) => id));
  const settled = entries.map(({ requestId, kind, amount }) => [requestId, kind, amount].join(" "));
  const due = tasks.map(({ id, state, price }) =>
    [id, state === "completed" ? "capture" : "release", price].join(" "),
  );
  expect(settled.toSorted(), "one entry for each task").toEqual(due.toSorted());
  expect(await fleet.ledger.openHolds(tasks.map(({ id }) => id))).toBe(0);
  const { total } = compareBills(tasks, simulator.ledger, "");
  const months = await fleet.ledger.months([accountId]);
  expect(months.map(({ used, frozen }) => [used, frozen])).toEqual([[total, 0n]]);
  expect(await fleet.ledger.verify()).toEqual([]);
  expect(await keysOfNothing(fleet, accountId), "keys that give back what came to nothing").toEqual([]);
}

/** Final states stay and progress never falls, whichever replica answers. */
function expectSteady(tasks: EndedTask[], { sights }: VideoClient): void {
  const ends = new Map(tasks.map(({ id, state }) => [id, state]));
  expect(sights.length).toBeGreaterThan(0);
  for (const { taskId, status, progress, askedAt } of sights) {
    expect(["processing", ends.get(taskId)]).toContain(status);
    const earlier = sights.filter((sight) => sight.taskId === taskId && sight.answeredAt < askedAt);
    for (const before of earlier) {
      expect([before.status, status]).not.toEqual([ends.get(taskId), "processing"]);
      expect(progress).toBeGreaterThanOrEqual(before.progress);
    }
  }
}

async function runRound(round: string, after: number, strike: () => Promise<void>): Promise<void> {
  const { accountId, secret } = await fleet.customer(round);
  const client = clientOf(fleet, secret);
  const orders = draw(round, ORDERS);
  const watching = client.watch();
  await client.burst(orders, { paceMs: PACE_MS, after, strike });
  await drain(accountId);
  await watching.stop();

  const tasks = await tasksOf(fleet, accountId);
  const { billed, charged, unexplained } = compareBills(tasks, simulator.ledger, `${round} `);
  totals.orders += orders.length;
  totals.accepted += new Set(client.answers.flatMap(({ taskId }) => taskId ?? [])).size;
  totals.completed += tasks.filter(({ state }) => state === "completed").length;
  totals.billed += billed;
  totals.charged += charged;
  expect(totals.completed).toBeGreaterThan(0);
  expect(unexplained, "nobody is charged for what the vendor did not make").toEqual([]);
  expectOneTaskAnOrder(orders, tasks, client);
  await expectSettled(accountId, tasks);
  expect(offencesAtVendors(tasks, simulator.ledger, POLL_MS)).toEqual([]);
  expectSteady(tasks, client);
}

const restart = async (replica: number) => {
  await fleet.kill(replica);
  await fleet.start(replica);
};

const rounds = Array.from({ length: ROUNDS }, (_, index) => ({
  round: index + 1,
  after: 10 + ((index * 17 + 20) % (ORDERS - 20)),
  replica: index % 2,
}));

describe("every video is made once, and charged once or not at all, when in the middle of many", () => {
  test.each(rounds)("a replica is killed (round $round)", async ({ round, after, replica }) => {
    await runRound(`replica-${round}`, after, () => restart(replica));
  });

  test.each(rounds)("PostgreSQL is killed (round $round)", async ({ round, after }) => {
    await runRound(`postgres-${round}`, after, fleet.killDatabase);
  });

  test.each(rounds)(
    "a replica and PostgreSQL are killed (round $round)",
    async ({ round, after, replica }) => {
      await runRound(`both-${round}`, after, async () => {
        await Promise.all([fleet.killDatabase(), restart(replica)]);
      });
    },
  );
});
