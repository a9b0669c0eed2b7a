import { type Dialect, dialects, modelOf } from "./dialects";
import { median } from "./median";
import type { Server } from "./processes";
import { type Call, readOneStream, type Target } from "./read-stream";
import type { World } from "./world";

/** A client of one dialect and an upstream of the same (passed through) or of the other (translated). */
export type Path = { client: Dialect; upstream: Dialect };

export const paths: Path[] = dialects.flatMap((client) => dialects.map((upstream) => ({ client, upstream })));

export const nameOf = ({ client, upstream }: Path) => `${client} client, ${upstream} upstream`;

/** How events come: one alone, as from a model, or a flood, as fast as the slowest of those on the way can. */
export const arrivals = ["paced", "flood"] as const;
export type Arrival = (typeof arrivals)[number];

/** Microseconds an event: until it was with the client, and the gateway's processor time (0 where there is none). */
export type Spent = { wall: number; cpu: number };

/** One round: by `nameOf` through the gateway, by dialect from the upstream alone. */
export type Round = Record<Arrival, { gateway: Map<string, Spent>; alone: Map<Dialect, Spent> }>;

export type TranslationPlan = { rounds: number; pacedEvents: number; floodEvents: number };

const callOf = ({ client, upstream }: Path, arrival: Arrival, events: number): Call => ({
  dialect: client,
  model: modelOf(upstream, arrival),
  events,
});

/** Microseconds an event, from the first byte to the last. Throws when the stream is not whole. */
export async function readFlood(target: Target, path: Path, events: number): Promise<number> {
  const { firstByteMs, endMs } = await readOneStream(target, { call: callOf(path, "flood", events) });
  return ((endMs - firstByteMs) * 1e3) / events;
}

/** The median age of an event when its reader has it, in microseconds. Throws unless every word came. */
async function readPaced(target: Target, path: Path, events: number): Promise<number> {
  const ages: number[] = [];
  const onPiece = (piece: Buffer) => {
    const now = process.hrtime.bigint();
    for (const [, written = "0"] of piece.toString("latin1").matchAll(/" (\d{9,})"/g)) {
      ages.push(Number(now - BigInt(written)) / 1e3);
    }
  };
  await readOneStream(target, { call: callOf(path, "paced", events), onPiece });
  if (ages.length !== events) {
    throw new Error(`${ages.length} of ${events} events: ${nameOf(path)}`);
  }
  return median(ages);
}

const readers = { paced: readPaced, flood: readFlood };

async function countWords(target: Target, path: Path, events: number): Promise<void> {
  let text = "";
  const onPiece = (piece: Buffer) => {
    text += piece.toString("latin1");
  };
  await readOneStream(target, { call: callOf(path, "flood", events), onPiece });
  const words = text.split(" lorem").length - 1;
  if (words !== events) {
    throw new Error(`${words} of ${events} words: ${nameOf(path)}`);
  }
}

/** Something to stream from. `server`: the one whose processor time counts; null for the upstream alone. */
type Contestant = { path: Path; target: Target; server: Server | null };

async function measure(
  { path, target, server }: Contestant,
  arrival: Arrival,
  events: number,
): Promise<Spent> {
  const before = (await server?.ask<number>("cpu")) ?? 0;
  const wall = await readers[arrival](target, path, events);
  const after = (await server?.ask<number>("cpu")) ?? 0;
  return { wall, cpu: (after - before) / events };
}

/** Contestants take turns, in another order each round, so that a noisy minute hits all of them. */
async function runRound(contestants: Contestant[], plan: TranslationPlan, number: number): Promise<Round> {
  const empty = () => ({ gateway: new Map<string, Spent>(), alone: new Map<Dialect, Spent>() });
  const round: Round = { paced: empty(), flood: empty() };
  const first = number % contestants.length;
  const turns = [...contestants.slice(first), ...contestants.slice(0, first)];
  for (const arrival of arrivals) {
    const events = arrival === "paced" ? plan.pacedEvents : plan.floodEvents;
    for (const contestant of turns) {
      const spent = await measure(contestant, arrival, events);
      if (contestant.server) {
        round[arrival].gateway.set(nameOf(contestant.path), spent);
      } else {
        round[arrival].alone.set(contestant.path.upstream, spent);
      }
    }
  }
  return round;
}

/** What an event costs on each path. The first round, in which V8 compiles, does not count. */
export async function runTranslation(
  world: World,
  plan: TranslationPlan,
  say: (line: string) => void,
): Promise<Round[]> {
  const headers = { authorization: `Bearer ${world.secret}` };
  const alone = await world.startUpstream();
  const gateway = await world.startGateway();
  const contestants: Contestant[] = [
    ...dialects.map((dialect) => ({
      path: { client: dialect, upstream: dialect },
      target: { url: alone.url, headers },
      server: null,
    })),
    ...paths.map((path) => ({ path, target: { url: gateway.url, headers }, server: gateway })),
  ];
  try {
    for (const { target, path } of contestants) {
      await countWords(target, path, 10_000);
    }
    say("Warming up");
    await runRound(contestants, plan, 0);
    const rounds: Round[] = [];
    for (let number = 0; number < plan.rounds; number++) {
      say(`Round ${number + 1} of ${plan.rounds}`);
      rounds.push(await runRound(contestants, plan, number));
    }
    return rounds;
  } finally {
    await Promise.all([alone.stop(), gateway.stop()]);
  }
}
