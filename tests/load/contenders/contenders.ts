import { type Cpu, metered } from "../measures/meter";
import type { Server } from "../processes";
import type { LoadTarget } from "../workloads/read-stream";
import type { World } from "../world";
import { startGoFloor, startNodeFloor } from "./floors";
import { startLitellm } from "./litellm";
import { startNginx } from "./nginx";
import { portkeyHeaders, startPortkey } from "./portkey";

/** The contenders, by their names in `--servers`, with their titles in tables. */
export const titles = {
  upstream: "upstream alone",
  tollgate: "Tollgate",
  "tollgate-file": "Tollgate, charges in a file",
  "tollgate-2": "Tollgate, two processes",
  "no-ledger": "Tollgate, no-op ledger",
  portkey: "Portkey",
  litellm: "LiteLLM",
  node: "Node's floor",
  go: "Go's floor",
  nginx: "nginx",
} as const;

export type ContenderName = keyof typeof titles;
export const names = Object.keys(titles) as ContenderName[];

/** PostgreSQL's processor time is part of the cost of their calls. */
const withLedger: ContenderName[] = ["tollgate", "tollgate-file", "tollgate-2"];

export type Contender = { name: ContenderName; server: Server; target: LoadTarget };

/** The processor time of a contender during `run`, and of PostgreSQL if the contender has a ledger. */
export async function meteredContender<T>(
  { name, server }: Contender,
  databasePid: number | null,
  run: () => Promise<T>,
): Promise<{ result: T; cpu: Cpu }> {
  const named = () =>
    run().catch((error: unknown) => {
      throw new Error(`${titles[name]}: ${String(error)}`, { cause: error });
    });
  const { result, cpu } = await metered({ own: server.pid, database: databasePid }, named);
  return { result, cpu: withLedger.includes(name) ? cpu : { ...cpu, database: 0 } };
}

/** The contenders that could be started, and why the others could not. */
export type ContenderField = { contenders: Contender[]; absent: string[] };

const starters: Record<ContenderName, (world: World) => Promise<Server>> = {
  upstream: (world) => world.startUpstream(),
  tollgate: (world) => world.startTollgate(),
  "tollgate-file": (world) => world.startTollgate({ settings: { CHARGES: "file" } }),
  "tollgate-2": (world) => world.startTollgate({ processes: 2 }),
  "no-ledger": (world) => world.startNoLedger(),
  portkey: () => startPortkey(),
  litellm: (world) => startLitellm(world.upstream.url),
  node: (world) => startNodeFloor(world.upstream.url),
  go: (world) => startGoFloor(world.upstream.url),
  nginx: (world) => startNginx([world.upstream.url]),
};

/** Programs that this machine may not have or cannot install; the bench then measures the others. */
const strangers: ContenderName[] = ["portkey", "litellm", "go", "nginx"];

export const startOne = async (world: World, name: ContenderName): Promise<Contender> => {
  const server = await starters[name](world);
  const headers: Record<string, string> =
    name === "portkey" ? portkeyHeaders(world.upstream.url) : { authorization: `Bearer ${world.secret}` };
  return { name, server, target: { url: server.url, headers } };
};

export async function startField(
  world: World,
  names: ContenderName[],
  say: (line: string) => void,
): Promise<ContenderField> {
  const contenders: Contender[] = [];
  const absent: string[] = [];
  for (const name of names) {
    say(`Starting ${titles[name]}`);
    try {
      contenders.push(await startOne(world, name));
    } catch (error) {
      if (!strangers.includes(name)) {
        throw error;
      }
      say(`Without ${titles[name]}: ${String(error).slice(0, 300)}`);
      absent.push(titles[name]);
    }
  }
  return { contenders, absent };
}

export const absentNote = ({ absent }: ContenderField): string =>
  absent.length === 0 ? "" : `Not there, or not to be installed here: ${absent.join(", ")}. `;
