import { setTimeout as sleep } from "node:timers/promises";
import { thisMachine } from "@/server/runtime/machine";
import { SLOW_MS } from "../chat";
import { metered } from "../measures/meter";
import { collectedOf, collecting, sumOf } from "../measures/resident";
import { number, table } from "../tables";
import { loadStreams } from "../workloads/load";
import { firstEvents, openSlowStreams } from "../workloads/slow-streams";
import type { BenchPart } from "./part";

/** `words`: the last word of the first stream comes after the window and the calls. */
type SlowPlan = { streams: number; words: number; windowMs: number; calls: number };
const quick: SlowPlan = { streams: 1_000, words: 4, windowMs: 10_000, calls: 50 };
const full: SlowPlan = { streams: 10_000, words: 16, windowMs: 30_000, calls: 200 };

/** Descriptors that a process needs for other things than calls. */
const OTHER_FILES = 1_000;
/** A call of a gateway needs a socket on each side. */
const FILES_A_CALL = 2;

/** How many streams this machine carries, by how many gateways: the load and the upstream run in one process each. */
function sizeOf({ streams }: SlowPlan): { streams: number; processes: number } {
  const files = thisMachine().descriptors - OTHER_FILES;
  const most = Math.min(streams, files);
  return { streams: most, processes: Math.ceil((FILES_A_CALL * most) / files) };
}

/** Many calls of one account that have a word only every 15 s, and calls next to them. */
export const slow: BenchPart = async ({ world, database, isQuick, say }) => {
  const plan = isQuick ? quick : full;
  const { streams, processes } = sizeOf(plan);
  const server = await world.startTollgate({ processes, settings: collecting });
  const target = { url: server.url, headers: { authorization: `Bearer ${world.secret}` } };
  await loadStreams(target, { connections: 8, amount: 1_000 });
  const before = sumOf(await collectedOf(server));
  const alone = await firstEvents(target, plan.calls);
  say(`Opening ${streams} streams`);
  const pids = { own: server.pid, database: database.pid };
  const beganAt = performance.now();
  const opening = await metered(pids, () => openSlowStreams(target, { streams, words: plan.words }));
  const { served, refusals, ended, over } = opening.result;
  const openedMs = performance.now() - beganAt;
  say(`${served} are open; refused: ${refusals[0] ?? "none"}`);
  // Until the first streams have passed their first word.
  await sleep(SLOW_MS);
  const { cpu } = await metered(pids, () => sleep(plan.windowMs));
  const during = sumOf(await collectedOf(server));
  const beside = await firstEvents(target, plan.calls);
  if (ended() > 0) {
    throw new Error(`${ended()} streams ended before everything was measured`);
  }
  await over;
  const after = sumOf(await collectedOf(server));
  const share = (micros: number) => `${number((micros / (plan.windowMs * 1_000)) * 100, 1)} %`;
  const kilo = (bytes: number) => number(bytes / served / 1e3, 1);
  return {
    how: `Streams of one account with a word every ${SLOW_MS / 1_000} s, WEB_CONCURRENCY=${processes}; ${refusals.length} of ${streams} were refused. Window of ${plan.windowMs / 1_000} s; ${plan.calls} calls one after the other.`,
    tables: [
      table(
        [
          "open streams",
          "opened a second",
          "CPU µs an opening",
          "kB each",
          "kept after them, kB each",
          "server, of a core",
          "PostgreSQL, of a core",
        ],
        [
          [
            String(served),
            number((served / openedMs) * 1e3, 0),
            number(opening.cpu.own / served, 0),
            kilo(during - before),
            kilo(after - before),
            share(cpu.own),
            share(cpu.database),
          ],
        ],
      ),
      table(
        ["first event of a call", "p50 ms", "p99 ms"],
        [
          ["without them", number(alone.p50, 2), number(alone.p99, 2)],
          ["next to them", number(beside.p50, 2), number(beside.p99, 2)],
        ],
      ),
    ],
  };
};
