import { type Dialect, dialects } from "../dialects";
import { median } from "../measures/median";
import { metered } from "../measures/meter";
import { turnsOf } from "../measures/turns";
import type { Server } from "../processes";
import { OTHER_WORD, WORD } from "../upstream-answers";
import { ageReader } from "../workloads/event-ages";
import { readFlood } from "../workloads/flood";
import { type Call, readOneStream, type Target } from "../workloads/read-stream";
import type { Part } from "./part";
import {
  type Arrival,
  arrivals,
  callOf,
  nameOf,
  type Path,
  paths,
  type Round,
  type Spent,
} from "./translation-paths";
import { eventTable, translationTable } from "./translation-report";

type Plan = { rounds: number; pacedEvents: number; floodEvents: number };

const quick: Plan = { rounds: 5, pacedEvents: 500, floodEvents: 40_000 };
const full: Plan = { rounds: 9, pacedEvents: 2_000, floodEvents: 160_000 };

/** The median age of an event when its reader has it, in microseconds. Throws unless every word came. */
async function readPaced(target: Target, call: Call): Promise<number> {
  const ages: number[] = [];
  await readOneStream(target, { call, onPiece: ageReader((age) => void ages.push(age)) });
  if (ages.length !== call.events) {
    throw new Error(`${ages.length} of ${call.events} events: ${call.dialect} client, ${call.model}`);
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
  const words = [WORD, OTHER_WORD].reduce((sum, word) => sum + text.split(word).length - 1, 0);
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
  const read = () => readers[arrival](target, callOf(path, arrival, events));
  if (server === null) {
    return { wall: await read(), cpu: 0 };
  }
  const { result, cpu } = await metered({ own: server.pid, database: null }, read);
  return { wall: result, cpu: (cpu.own ?? Number.NaN) / events };
}

/** Contestants take turns, in another order each round, so that a noisy minute hits all of them. */
async function runRound(contestants: Contestant[], plan: Plan, number: number): Promise<Round> {
  const empty = () => ({ gateway: new Map<string, Spent>(), alone: new Map<Dialect, Spent>() });
  const round: Round = { paced: empty(), flood: empty() };
  for (const arrival of arrivals) {
    const events = arrival === "paced" ? plan.pacedEvents : plan.floodEvents;
    for (const contestant of turnsOf(contestants, number)) {
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
export const translation: Part = async ({ world, isQuick, say }) => {
  const plan = isQuick ? quick : full;
  const headers = { authorization: `Bearer ${world.secret}` };
  const alone = await world.startUpstream();
  const gateway = await world.startTollgate();
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
    return {
      how: `Medians of ${plan.rounds} interleaved rounds; one stream of ${plan.pacedEvents} events one by one and one of ${plan.floodEvents} in a flood on each path.`,
      tables: [translationTable(rounds)],
      aside: [eventTable(rounds)],
    };
  } finally {
    await Promise.all([alone.stop(), gateway.stop()]);
  }
};
