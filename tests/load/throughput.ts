import { type Load, loadJson, loadStreams, type Measured } from "./load";
import { PORTKEY, startPortkey } from "./portkey";
import type { Server } from "./processes";
import type { Target } from "./read-stream";
import type { World } from "./world";

export const candidates = ["upstream", "gateway", "without ledger", "portkey"] as const;
export type Candidate = (typeof candidates)[number];
export const kinds = ["json", "stream"] as const;
export type Kind = (typeof kinds)[number];

/** One short run. `cpuMicros`: processor time of the server under test for each call. */
export type Run = Measured & { cpuMicros: number | null };
/** Every run of one cell of the matrix, by round. */
export type Cell = { kind: Kind; connections: number; runs: Map<Candidate, Run[]> };

export type Plan = { connections: number[]; rounds: number; runMs: number; warmUpMs: number };

type Contestant = { name: Candidate; server: Server; target: Target };

async function startContestants(world: World, say: (line: string) => void): Promise<Contestant[]> {
  const customer = { authorization: `Bearer ${world.secret}` };
  const alone = await world.startUpstream();
  const gateway = await world.startGateway();
  const without = await world.startGateway({ hasLedger: false });
  const contestants: Contestant[] = [
    { name: "upstream", server: alone, target: { url: alone.url, headers: customer } },
    { name: "gateway", server: gateway, target: { url: gateway.url, headers: customer } },
    { name: "without ledger", server: without, target: { url: without.url, headers: customer } },
  ];
  say(`Installing ${PORTKEY} into a temporary directory`);
  try {
    const portkey = await startPortkey();
    const headers = {
      authorization: "Bearer upstream-secret",
      "x-portkey-provider": "openai",
      "x-portkey-custom-host": `${world.upstream.url}/v1`,
    };
    contestants.push({ name: "portkey", server: portkey, target: { url: portkey.url, headers } });
  } catch (error) {
    say(`Without Portkey, it cannot be installed or started: ${String(error).slice(0, 300)}`);
  }
  return contestants;
}

async function measure({ server, target }: Contestant, kind: Kind, load: Load): Promise<Run> {
  const before = server.cpuSeconds();
  const measured = await (kind === "json" ? loadJson : loadStreams)(target, load);
  const after = server.cpuSeconds();
  const cpuMicros = before === null || after === null ? null : ((after - before) * 1e6) / measured.calls;
  return { ...measured, cpuMicros };
}

/** The whole matrix. Contestants take turns, in another order each round, so that a noisy minute hits all of them. */
export async function runThroughput(world: World, plan: Plan, say: (line: string) => void): Promise<Cell[]> {
  const contestants = await startContestants(world, say);
  try {
    for (const contestant of contestants) {
      for (const kind of kinds) {
        await measure(contestant, kind, { connections: 32, durationMs: plan.warmUpMs });
      }
    }
    const cells: Cell[] = kinds.flatMap((kind) =>
      plan.connections.map((connections) => ({
        kind,
        connections,
        runs: new Map(contestants.map(({ name }) => [name, []])),
      })),
    );
    for (let round = 0; round < plan.rounds; round++) {
      say(`Round ${round + 1} of ${plan.rounds}`);
      const first = round % contestants.length;
      const turns = [...contestants.slice(first), ...contestants.slice(0, first)];
      for (const { kind, connections, runs } of cells) {
        for (const contestant of turns) {
          const run = await measure(contestant, kind, { connections, durationMs: plan.runMs });
          runs.get(contestant.name)?.push(run);
        }
      }
    }
    return cells;
  } finally {
    await Promise.all(contestants.map(({ server }) => server.stop()));
  }
}
