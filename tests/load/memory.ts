import { modelOf } from "./dialects";
import { loadJson, loadStreams } from "./load";
import type { Memory } from "./messages";
import type { Server } from "./processes";
import { readOneStream, type Target } from "./read-stream";
import type { World } from "./world";

export type MemoryPlan = { fewCalls: number; manyCalls: number; fewEvents: number; manyEvents: number };

/** Bytes. `peaks`: the highest resident memory of a gateway in whose lifetime one stream of `events` passed. */
export type MemoryReport = {
  few: Memory;
  many: Memory;
  peaks: { events: number; reader: "fast" | "slow"; peakBytes: number; beforeBytes: number }[];
};

const CONNECTIONS = 32;
const SLOW_READER_PAUSE_MS = 20;
const model = modelOf("chat", "turn");

/** Nine JSON calls to each stream. */
async function call(target: Target, calls: number): Promise<void> {
  const streams = Math.floor(calls / 10);
  await loadJson(target, { connections: CONNECTIONS, amount: calls - streams });
  const { calls: done } = await loadStreams(target, { connections: CONNECTIONS, amount: streams });
  if (done < streams) {
    throw new Error(`only ${done} of ${streams} streams within the time that the bench has`);
  }
}

async function withGateway<T>(
  world: World,
  use: (gateway: Server, target: Target) => Promise<T>,
): Promise<T> {
  const gateway = await world.startGateway({ nodeFlags: ["--expose-gc"] });
  try {
    return await use(gateway, {
      url: gateway.url,
      headers: { authorization: `Bearer ${world.secret}` },
    });
  } finally {
    await gateway.stop();
  }
}

/** Resident memory after few and after many calls, and at its highest while one short and one long stream pass. */
export async function runMemory(
  world: World,
  plan: MemoryPlan,
  say: (line: string) => void,
): Promise<MemoryReport> {
  const [few, many] = await withGateway(world, async (gateway, target) => {
    say(`${plan.fewCalls} calls`);
    await call(target, plan.fewCalls);
    const before = await gateway.ask<Memory>("memory");
    say(`${plan.manyCalls - plan.fewCalls} more`);
    await call(target, plan.manyCalls - plan.fewCalls);
    return [before, await gateway.ask<Memory>("memory")];
  });
  const peaks: MemoryReport["peaks"] = [];
  for (const reader of ["fast", "slow"] as const) {
    for (const events of [plan.fewEvents, plan.manyEvents]) {
      say(`One stream of ${events} events, ${reader} reader`);
      const pauseMs = reader === "slow" ? SLOW_READER_PAUSE_MS : 0;
      const peak = await withGateway(world, async (gateway, target) => {
        // The same for all: V8 compiles, and its young generation grows to what streams need.
        await call(target, plan.fewCalls / 2);
        const { rssBytes } = await gateway.ask<Memory>("memory");
        await gateway.ask("watch");
        await readOneStream(target, { call: { dialect: "chat", model, events }, pauseMs });
        return { peakBytes: await gateway.ask<number>("peak"), beforeBytes: rssBytes };
      });
      peaks.push({ events, reader, ...peak });
    }
  }
  return { few, many, peaks };
}
