import { describe, expect, test } from "vitest";
import { type Exchange, loadRecording } from "./corpus";
import { faultIn, faultsOf, type Received, receivedFrom } from "./documented";
import { cutAtRandom, type Random, randomOf } from "./replay";
import { act, type Stage, setStage } from "./stage";
import { replaySuite } from "./suite";
import { type Client, clients, dialects, postTo, sentOf, writtenOf } from "./written";

const channels = {
  chat: "openai",
  messages: "anthropic",
  responses: "openai-responses",
  gemini: "gemini",
} as const;

async function receive(stage: Stage, client: Client, random: Random): Promise<Received> {
  const { result } = await act(
    stage,
    (body) => cutAtRandom(body, random),
    async () => {
      const response = await postTo(client, stage);
      return receivedFrom(response.status, response.headers.get("content-type") ?? "", await response.text());
    },
  );
  return result;
}

/** The members by which objects are told apart, and placed: without them they are others. Numbers of a token are all. */
const TELLING = /^(?:type|index|output_index|logprob|\d+)$/;

type Place = { fields: Record<string, unknown>; name: string };

function placesIn(value: unknown): Place[] {
  if (typeof value !== "object" || value === null) {
    return [];
  }
  const fields = value as Record<string, unknown>;
  return Object.keys(fields).flatMap((name) => [
    ...(TELLING.test(name) ? [] : [{ fields, name }]),
    ...placesIn(fields[name]),
  ]);
}

/** One member of it left out, or null. */
function lessened(value: unknown, random: Random): unknown {
  const copy: unknown = structuredClone(value);
  const places = placesIn(copy);
  const place = places[Math.floor(random() * places.length)];
  if (place && random() < 0.5) {
    delete place.fields[place.name];
  } else if (place) {
    place.fields[place.name] = null;
  }
  return copy;
}

function lessenedAnswer(sent: unknown, random: Random): unknown {
  if (!Array.isArray(sent)) {
    return lessened(sent, random);
  }
  const at = Math.floor(random() * sent.length);
  const isEvent = String(sent[at]).startsWith("{");
  return sent.map((data: string, index) =>
    index === at && isEvent ? JSON.stringify(lessened(JSON.parse(data), random)) : data,
  );
}

const TIMES = 3;

replaySuite(Object.keys(dialects), (exchanges, world) => {
  const cases = exchanges.map((exchange) => ({ exchange, dir: exchange.dir }));

  describe("whatever a client is sent for a recording is what /openapi.json says", () => {
    test.each(cases)("$dir", async ({ exchange }) => {
      const recording = loadRecording(exchange);
      const kind = "chat";
      const stage = await setStage(world(), recording, { dialect: channels[dialectOf(exchange)], kind });
      const random = randomOf(exchange.dir);
      // Over HTTP one of them, drawn by the seed; the others below, by the same function and without a network.
      const client = clients[Math.floor(random() * clients.length)] ?? "chat";
      const received = await receive(stage, client, random);
      expect(
        received.kind === "refusal" ? [faultIn("Refusal", received.body)] : faultsOf(client, received),
      ).toEqual(received.kind === "refusal" ? [""] : []);
    });
  });

  describe("a member that an upstream leaves out, or sends as null, is none that a client is sent so", () => {
    test.each(cases)("$dir", ({ exchange }) => {
      const recording = loadRecording(exchange);
      const sent = sentOf(recording);
      const dialect = dialectOf(exchange);
      const random = randomOf(`${exchange.dir} lessened`);
      for (const client of sent === null ? [] : clients) {
        expect(faultsOf(client, writtenOf({ recording, client, dialect }, sent))).toEqual([]);
        for (let time = 0; time < TIMES; time++) {
          const written = writtenOf({ recording, client, dialect }, lessenedAnswer(sent, random));
          expect(faultsOf(client, written)).toEqual([]);
        }
      }
    });
  });
});

function dialectOf({ endpoint }: Exchange): keyof typeof channels {
  const dialect = dialects[endpoint];
  if (dialect === undefined) {
    throw new Error(`no dialect of ${endpoint}`);
  }
  return dialect;
}
