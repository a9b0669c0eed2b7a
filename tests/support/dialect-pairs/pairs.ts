/** All pairs of a client's dialect and an upstream's, through the gateway's own plan. */

import { atOnce } from "@/server/base/turns";
import { type Capabilities, type Dialect, usualCapabilities } from "@/server/protocol/capabilities";
import type { JsonObject } from "@/server/protocol/fields";
import { terms } from "../terms";
import { clients } from "./clients";
import type { ClientReading, ModelAnswer } from "./model-answer";
import { upstreams } from "./upstreams";

const dialects = ["chat", "messages", "responses", "gemini"] as const satisfies Dialect[];
export const dialectPairs = dialects.flatMap((client) => dialects.map((upstream) => ({ client, upstream })));
/** `takes`: capabilities of the upstream's model that differ from the usual ones. */
export type DialectPair = { client: Dialect; upstream: Dialect; takes?: Partial<Capabilities> };

const context = { model: "public", inputTokens: 5, fallbackId: "gen_1", now: new Date(5_000) };

export const planOf = (
  { client, upstream, takes }: DialectPair,
  isStream: boolean,
  more: JsonObject = {},
) => {
  const capabilities = { ...usualCapabilities[upstream], thinking: "none" as const, ...takes };
  const call = clients[client].ask(isStream, more);
  return atOnce(call.planFor({ dialect: upstream, name: "up", capabilities }, terms(9_000)));
};

/** A client's reading of the whole answer. */
export function hearWhole(way: DialectPair, answer: ModelAnswer, more: JsonObject = {}): ClientReading {
  const read = atOnce(planOf(way, false, more).readAnswer(upstreams[way.upstream].whole(answer), context));
  if (typeof read === "string") {
    throw new Error(read);
  }
  return clients[way.client].whole(JSON.stringify(read.body));
}

/** The client's stream for these events of the upstream. */
export function relay(way: DialectPair, events: string[], more: JsonObject = {}): string {
  const stream = planOf(way, true, more).openStream(context);
  const frames = events.map((data) => {
    const step = stream.push(data);
    if (step.kind === "error" || step.kind === "malformed") {
      throw new Error(step.kind);
    }
    return step.kind === "frames" ? step.text : "";
  });
  return frames.join("") + stream.ending();
}

export const eventsOf = (way: DialectPair, answer: ModelAnswer): string[] =>
  upstreams[way.upstream].stream(answer).map((event) => JSON.stringify(event));

export const hearStream = (way: DialectPair, answer: ModelAnswer, more: JsonObject = {}): ClientReading =>
  clients[way.client].stream(relay(way, eventsOf(way, answer), more));

/** The client's reading if the upstream answers in the other form than requested. */
export function hearWholeOfStream(way: DialectPair, answer: ModelAnswer): ClientReading {
  const read = atOnce(planOf(way, false).otherForm().collect(eventsOf(way, answer), context));
  if (typeof read === "string" || "words" in read) {
    throw new Error(typeof read === "string" ? read : read.words.message);
  }
  return clients[way.client].whole(JSON.stringify(read.body));
}

export function hearStreamOfWhole(way: DialectPair, answer: ModelAnswer): ClientReading {
  const played = atOnce(planOf(way, true).otherForm().play(upstreams[way.upstream].whole(answer), context));
  if (typeof played === "string") {
    throw new Error(played);
  }
  return clients[way.client].stream(played.text + played.stream.ending());
}
