/** `npm run bench [part] [--quick] [--write] [--servers=a,b]`: see docs/benchmarks.md. */
import { parseArgs } from "node:util";
import { circumstances } from "./circumstances";
import { type ContenderName, names } from "./contenders/contenders";
import { openDatabaseMeter } from "./measures/database";
import { treeOf } from "./measures/process-tree";
import { watchOthers } from "./measures/quiet";
import type { Bench, BenchPart } from "./parts/part";
import { parts, usual } from "./parts/parts";
import { leaveFirstCore } from "./processes";
import { writeBlock } from "./tables";
import { createWorld } from "./world";

const print = (text: string) => void process.stdout.write(`${text}\n`);
const say = (line: string) => print(`  ${line}`);

type BenchOptions = {
  names: string[];
  isQuick: boolean;
  shouldWrite: boolean;
  servers: ContenderName[] | null;
};

function readOptions(): BenchOptions {
  const { values, positionals } = parseArgs({
    args: process.argv.slice(2),
    allowPositionals: true,
    options: { quick: { type: "boolean" }, write: { type: "boolean" }, servers: { type: "string" } },
  });
  const servers = values.servers?.split(",") ?? null;
  const isKnown = (name: string): name is ContenderName => names.some((candidate) => candidate === name);
  if (positionals.some((name) => !(name in parts)) || servers?.some((name) => !isKnown(name))) {
    throw new Error(
      `usage: npm run bench -- [${Object.keys(parts).join("|")} ...] [--quick] [--write] [--servers=${names.join(",")}]`,
    );
  }
  return {
    names: positionals.length > 0 ? positionals : Object.keys(usual),
    isQuick: values.quick === true,
    shouldWrite: values.write === true,
    servers: servers?.filter(isKnown) ?? null,
  };
}

async function runPart(part: BenchPart, bench: Bench): Promise<string> {
  // The embedded PostgreSQL is our child; another one on this machine works for us, too.
  const { pid } = bench.database;
  const others = watchOthers(pid === null || treeOf(process.pid).includes(pid) ? null : pid);
  const { how, tables } = await part(bench);
  return [circumstances(how, others()), ...tables].join("\n\n");
}

/** Each part has its own world, so that no part sees the data of another. */
async function run(
  name: string,
  part: BenchPart,
  { isQuick, shouldWrite, servers }: BenchOptions,
): Promise<void> {
  print(`Tollgate bench: ${name}`);
  const world = await createWorld();
  const database = await openDatabaseMeter(world.databaseUrl);
  try {
    const choose = (offered: ContenderName[]) =>
      offered.filter((contender) => servers === null || servers.includes(contender));
    const block = await runPart(part, { world, database, isQuick, choose, say });
    print(`\n${block}\n`);
    if (shouldWrite) {
      writeBlock(name, block);
    }
  } finally {
    await database.close();
    await world.close();
  }
}

async function main(): Promise<void> {
  const options = readOptions();
  leaveFirstCore();
  for (const name of options.names) {
    const part = parts[name];
    if (part) {
      await run(name, part, options);
    }
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
