import { readFileSync } from "node:fs";
import type { Profiler } from "node:inspector";
import { SourceMap, type SourceMapPayload } from "node:module";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { Server } from "../processes";
import { number, table } from "../tables";
import { readFlood } from "../workloads/flood";
import { loadJson, loadStreams } from "../workloads/load";
import type { Target } from "../workloads/read-stream";
import type { Part } from "./part";
import { callOf, nameOf as nameOfPath, paths } from "./translation-paths";

/** Share of the busy time: `self` in the function, `total` in it and in what it called. */
type Cost = { where: string; self: number; total: number };

const maps = new Map<string, SourceMap | null>();

function sourceMapOf(path: string): SourceMap | null {
  let map = maps.get(path);
  if (map === undefined) {
    try {
      map = new SourceMap(JSON.parse(readFileSync(`${path}.map`, "utf8")) as SourceMapPayload);
    } catch {
      // Not one of our bundles.
      map = null;
    }
    maps.set(path, map);
  }
  return map;
}

/** `function file:line` in terms of our sources, of a package, or of Node. */
function nameOf({ functionName, url, lineNumber, columnNumber }: Profiler.ProfileNode["callFrame"]): string {
  const name = functionName || "(anonymous)";
  if (!url.startsWith("file:")) {
    return url === "" ? name : `${name} ${url}:${lineNumber + 1}`;
  }
  const path = fileURLToPath(url);
  const entry = sourceMapOf(path)?.findEntry(lineNumber, columnNumber);
  if (entry && "originalSource" in entry) {
    const source = entry.originalSource.replace(/^(?:\.\.\/)+/, "");
    return `${name} ${source}:${entry.originalLine + 1}`;
  }
  return `${name} ${relative(process.cwd(), path)}:${lineNumber + 1}`;
}

/** Functions by cost, dearest first. Idle time does not count. */
function costsOf(profile: Profiler.Profile): Cost[] {
  const own = new Map<number, number>();
  for (const [index, id] of (profile.samples ?? []).entries()) {
    own.set(id, (own.get(id) ?? 0) + (profile.timeDeltas?.[index] ?? 0));
  }
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  const costs = new Map<string, Cost>();
  const costOf = (where: string) => {
    const cost = costs.get(where) ?? { where, self: 0, total: 0 };
    costs.set(where, cost);
    return cost;
  };
  /** Answers the time of the whole subtree. `above`: names on the stack, each of which counts it once. */
  const visit = (node: Profiler.ProfileNode, above: ReadonlySet<string>): number => {
    const where = nameOf(node.callFrame);
    const self = own.get(node.id) ?? 0;
    const within = new Set(above).add(where);
    const children = (node.children ?? []).flatMap((id) => nodes.get(id) ?? []);
    const total = children.reduce((sum, child) => sum + visit(child, within), self);
    costOf(where).self += self;
    costOf(where).total += above.has(where) ? 0 : total;
    return total;
  };
  const [root] = profile.nodes;
  const all = root ? visit(root, new Set()) : 0;
  const busy = all - (costs.get("(idle)")?.self ?? 0);
  return [...costs.values()]
    .filter(({ where }) => !["(idle)", "(root)"].includes(where))
    .map(({ where, self, total }) => ({ where, self: self / busy, total: total / busy }))
    .sort((left, right) => right.self - left.self);
}

const FLOOD_EVENTS = 20_000;
const WARM_UP_MS = 3_000;

type Workload = (durationMs: number) => Promise<unknown>;

/** JSON calls and streams at 32 connections; one stream after the other in each pair of dialects. */
function workloads(target: Target): Map<string, Workload> {
  return new Map<string, Workload>([
    ["json", (durationMs) => loadJson(target, { connections: 32, durationMs })],
    ["stream", (durationMs) => loadStreams(target, { connections: 32, durationMs })],
    ...paths.map((path): [string, Workload] => {
      const run = async (durationMs: number) => {
        for (const until = performance.now() + durationMs; performance.now() < until; ) {
          await readFlood(target, callOf(path, "flood", FLOOD_EVENTS));
        }
      };
      return [nameOfPath(path), run];
    }),
  ]);
}

async function profileOne(gateway: Server, run: () => Promise<unknown>): Promise<Cost[]> {
  await gateway.ask("profile");
  await run();
  return costsOf(await gateway.ask<Profiler.Profile>("profiled"));
}

function costTable(costs: Cost[], by: "self" | "total", limit: number): string {
  const rows = costs
    .toSorted((left, right) => right[by] - left[by])
    .slice(0, limit)
    .map(({ where, self, total }) => [where, number(self * 100, 1), number(total * 100, 1)]);
  return table(["function", "self %", "total %"], rows);
}

/** What the gateway does with its time, by workload. */
export const profile: Part = async ({ world, isQuick }) => {
  const durationMs = isQuick ? 5_000 : 15_000;
  const tables: string[] = [];
  const gateway = await world.startGateway();
  const target: Target = { url: gateway.url, headers: { authorization: `Bearer ${world.secret}` } };
  try {
    for (const [name, run] of workloads(target)) {
      await run(WARM_UP_MS);
      const costs = await profileOne(gateway, () => run(durationMs));
      tables.push(`${name}, by own time\n\n${costTable(costs, "self", 40)}`);
      tables.push(`${name}, with what it calls\n\n${costTable(costs, "total", 60)}`);
    }
    return { how: `Profiles of ${durationMs / 1_000} s.`, tables };
  } finally {
    await gateway.stop();
  }
};
