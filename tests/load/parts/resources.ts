import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { busiestOf, treeOf } from "../measures/process-tree";
import type { Server } from "../processes";
import { number, table } from "../tables";
import { chatCall, type Load, type LoadFigures, loadJson, loadStreams } from "../workloads/load";
import type { LoadTarget } from "../workloads/read-stream";
import type { BenchPart } from "./part";

type Counts = Record<string, number>;

const CONNECTIONS = [1, 8, 128];
/** A short stream: its call, and the least of its events. */
const shortStream = { ...chatCall, events: 5 };
/** The types of `async_hooks`, and what the table calls them. */
const TYPES = { PROMISE: "promises", TickObject: "ticks", Timeout: "timers", Immediate: "immediates" };
const WARM_UP_CALLS = 1_000;
const counter = pathToFileURL(resolve("tests/load/count-on-signal.mjs")).href;

/** The objects that the gateway's process has created since its start. */
async function countsOf({ pid }: Server, directory: string): Promise<Counts> {
  const gateway = busiestOf(treeOf(pid));
  if (gateway === null) {
    throw new Error("the gateway's process cannot be found: the counts need Linux");
  }
  const path = join(directory, `${gateway}.json`);
  await rm(path, { force: true });
  process.kill(gateway, "SIGUSR2");
  for (let tries = 0; tries < 100; tries++) {
    await sleep(50);
    const text = await readFile(path, "utf8").catch(() => "");
    if (text.endsWith("}")) {
      return (JSON.parse(text) as { counts: Counts }).counts;
    }
  }
  throw new Error("the gateway does not write its counts");
}

/** Counts what the gateway creates for each call that `run` makes. */
async function countCalls(
  server: Server,
  directory: string,
  run: () => Promise<LoadFigures>,
): Promise<string[]> {
  const before = await countsOf(server, directory);
  const done = await run();
  const after = await countsOf(server, directory);
  const perCall = (type: string) => ((after[type] ?? 0) - (before[type] ?? 0)) / done.calls;
  return Object.keys(TYPES).map((type) => number(perCall(type), 1));
}

const kinds: Record<string, (target: LoadTarget, load: Load) => Promise<LoadFigures>> = {
  JSON: loadJson,
  "stream of 5 events": (target, load) => loadStreams(target, load, shortStream),
};

/** Counts do not depend on the machine or on its other work. */
export const resources: BenchPart = async ({ world, isQuick, say }) => {
  const calls = isQuick ? 4_000 : 20_000;
  const directory = await mkdtemp(join(tmpdir(), "tollgate-counts-"));
  const server = await world.startTollgate({
    settings: {
      NODE_OPTIONS: `--import=${counter}`,
      COUNTS_DIR: directory,
      ...(process.env.COUNT_SITES && { COUNT_SITES: process.env.COUNT_SITES }),
    },
  });
  try {
    const target = { url: server.url, headers: { authorization: `Bearer ${world.secret}` } };
    await loadJson(target, { connections: 32, amount: WARM_UP_CALLS });
    const rows: string[][] = [];
    for (const [kind, load] of Object.entries(kinds)) {
      for (const connections of CONNECTIONS) {
        say(`${kind}, ${connections} connections`);
        const amount = connections === 1 ? calls / 4 : calls;
        const counts = await countCalls(server, directory, () => load(target, { connections, amount }));
        rows.push([kind, String(connections), ...counts]);
      }
    }
    return {
      how: "What one call creates in the gateway's process, by `async_hooks`; WEB_CONCURRENCY=1.",
      tables: [table(["call", "connections", ...Object.values(TYPES)], rows)],
    };
  } finally {
    await server.stop();
    if (!process.env.COUNT_SITES) {
      await rm(directory, { recursive: true, force: true });
    }
  }
};
