/** `npm run bench [throughput|memory|translation|videos|profile] [--quick] [--write]`: see docs/benchmarks.md. */
import { cpus } from "node:os";
import { parseArgs } from "node:util";
import { runMemory } from "./memory";
import { leaveFirstCore, placement } from "./processes";
import { runProfile } from "./profile";
import { absoluteTable, costTable, memoryTable, ratioTable } from "./report";
import { writeBlock } from "./tables";
import { kinds, runThroughput } from "./throughput";
import { runTranslation } from "./translation";
import { eventTable, translationTable } from "./translation-report";
import { gapTable, queryTable, settleTable } from "./video-report";
import { runVideos } from "./videos";
import { createWorld, type World } from "./world";

const print = (text: string) => void process.stdout.write(`${text}\n`);
const say = (line: string) => print(`  ${line}`);

type Options = { isQuick: boolean; shouldWrite: boolean };

const circumstances = (how: string) =>
  `Node ${process.versions.node}, ${cpus().length} cores; ${placement}. ${how}`;

async function throughput(world: World, { isQuick, shouldWrite }: Options): Promise<void> {
  const plan = isQuick
    ? { connections: [1, 32, 128], rounds: 3, runMs: 600, warmUpMs: 2_000 }
    : { connections: [1, 32, 128], rounds: 5, runMs: 3_500, warmUpMs: 6_000 };
  const cells = await runThroughput(world, plan, say);
  const how = circumstances(`Medians of ${plan.rounds} interleaved rounds of ${plan.runMs / 1000} s.`);
  const ratios = kinds.map((kind) => ratioTable(cells.filter((cell) => cell.kind === kind)));
  print(`\n${absoluteTable(cells)}\n`);
  const block = [how, ...ratios].join("\n\n");
  print(block);
  const isWhole = cells.every((cell) => cell.runs.has("portkey"));
  if (shouldWrite && isWhole) {
    writeBlock("throughput", block);
  } else if (shouldWrite) {
    say("Not written: there are no ratios without Portkey");
  }
}

async function memory(world: World, { isQuick, shouldWrite }: Options): Promise<void> {
  const calls = isQuick ? { few: 4_000, many: 24_000 } : { few: 20_000, many: 200_000 };
  const plan = { fewCalls: calls.few, manyCalls: calls.many, fewEvents: 1_000, manyEvents: 100_000 };
  const report = await runMemory(world, plan, say);
  const block = [circumstances("Nine JSON calls to each stream."), memoryTable(report, calls)].join("\n\n");
  print(`\n${block}`);
  if (shouldWrite) {
    writeBlock("memory", block);
  }
}

async function translation(world: World, { isQuick, shouldWrite }: Options): Promise<void> {
  const plan = isQuick
    ? { rounds: 5, pacedEvents: 500, floodEvents: 40_000 }
    : { rounds: 9, pacedEvents: 2_000, floodEvents: 160_000 };
  const rounds = await runTranslation(world, plan, say);
  const how = circumstances(
    `Medians of ${plan.rounds} interleaved rounds; one stream of ${plan.pacedEvents} events one by one and one of ${plan.floodEvents} in a flood on each path.`,
  );
  const block = [how, translationTable(rounds)].join("\n\n");
  print(`\n${eventTable(rounds)}\n\n${block}`);
  if (shouldWrite) {
    writeBlock("translation", block);
  }
}

async function videos(world: World, { isQuick, shouldWrite }: Options): Promise<void> {
  const plan = isQuick
    ? { tasks: 100, rounds: 1, queriesPerSecond: 200, channels: [1] }
    : { tasks: 500, rounds: 3, queriesPerSecond: 200, channels: [1, 3] };
  const cases = await runVideos(world, plan, say);
  const how = circumstances(
    `${plan.tasks} open tasks, two replicas, ${plan.queriesPerSecond} status queries a second; rounds of 15 s, without queries and then with them: ${plan.rounds} each.`,
  );
  const block = [how, gapTable(cases), queryTable(cases), settleTable(cases)].join("\n\n");
  print(`\n${block}`);
  if (shouldWrite) {
    writeBlock("videos", block);
  }
}

async function profile(world: World, { isQuick }: Options): Promise<void> {
  for (const [kind, costs] of await runProfile(world, isQuick ? 5_000 : 15_000)) {
    print(`\n${kind}, by own time\n\n${costTable(costs, "self", 40)}`);
    print(`\n${kind}, with what it calls\n\n${costTable(costs, "total", 60)}`);
  }
}

const modes = { throughput, memory, translation, videos, profile };

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    args: process.argv.slice(2),
    allowPositionals: true,
    options: { quick: { type: "boolean" }, write: { type: "boolean" } },
  });
  const [name = "throughput"] = positionals;
  const mode = Object.entries(modes).find(([known]) => known === name)?.[1];
  if (!mode || positionals.length > 1) {
    throw new Error(`usage: npm run bench -- [${Object.keys(modes).join("|")}] [--quick] [--write]`);
  }
  leaveFirstCore();
  print(`Tollgate bench: ${name}`);
  const world = await createWorld();
  try {
    await mode(world, { isQuick: values.quick === true, shouldWrite: values.write === true });
  } finally {
    await world.close();
  }
}

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => process.exit(1));
}
main().then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exit(1);
  },
);
