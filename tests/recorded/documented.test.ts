import { describe, expect, test } from "vitest";
import type { Dialect } from "@/server/protocol/capabilities";
import { loadRecording } from "./corpus";
import { faultsOf } from "./documented";
import { type Random, randomOf } from "./replay";
import { recordedSuite } from "./suite";
import { clients, dialects, sentOf, writtenOf } from "./written";

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
  const copy: unknown = JSON.parse(JSON.stringify(value));
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

/** Each run draws other members (RECORDED_SEED), so that one a recording finds in time what there is to find. */
const TIMES = Number(process.env.RECORDED_TIMES ?? 1);

recordedSuite(Object.keys(dialects), (exchanges) => {
  describe("whatever a client is sent for a recording is what /openapi.json says, whatever an upstream leaves out", () => {
    test.each(exchanges.map((exchange) => ({ exchange, dir: exchange.dir })))("$dir", ({ exchange }) => {
      const recording = loadRecording(exchange);
      const sent = sentOf(recording);
      const dialect = dialects[exchange.endpoint] as Dialect;
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
