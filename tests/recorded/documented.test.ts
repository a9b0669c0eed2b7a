import { describe, expect, test } from "vitest";
import type { Dialect } from "@/server/protocol/capabilities";
import { loadRecording } from "./corpus";
import { faultsOf } from "./documented";
import { type Random, randomOf } from "./replay";
import { recordedSuite } from "./suite";
import { clients, dialects, sentOf, writtenOf } from "./written";

/**
 * Members that identify objects or their places: without them an object is another one. A token's numbers are required.
 */
const TELLING = /^(?:type|index|output_index|logprob|\d+)$/;

type MemberPlace = { fields: Record<string, unknown>; name: string };

function placesIn(value: unknown): MemberPlace[] {
  if (typeof value !== "object" || value === null) {
    return [];
  }
  const fields = value as Record<string, unknown>;
  return Object.keys(fields).flatMap((name) => [
    ...(TELLING.test(name) ? [] : [{ fields, name }]),
    ...placesIn(fields[name]),
  ]);
}

/** A copy of `value` with one member left out or null. */
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

function lessenedAnswer(answer: unknown, random: Random): unknown {
  if (!Array.isArray(answer)) {
    return lessened(answer, random);
  }
  const at = Math.floor(random() * answer.length);
  const isEvent = String(answer[at]).startsWith("{");
  return answer.map((data: string, index) =>
    index === at && isEvent ? JSON.stringify(lessened(JSON.parse(data), random)) : data,
  );
}

/** Each run draws other members (TEST_SEED), so one draw for each recording finds every fault in time. */
const TIMES = Number(process.env.RECORDED_TIMES ?? 1);

recordedSuite(Object.keys(dialects), (exchanges) => {
  describe("what a client is sent for a recording matches /openapi.json, whatever an upstream leaves out", () => {
    test.each(exchanges.map((exchange) => ({ exchange, dir: exchange.dir })))("$dir", ({ exchange }) => {
      const recording = loadRecording(exchange);
      const answer = sentOf(recording);
      const dialect = dialects[exchange.endpoint] as Dialect;
      const random = randomOf(`${exchange.dir} lessened`);
      for (const client of answer === null ? [] : clients) {
        expect(faultsOf(client, writtenOf({ recording, client, dialect }, answer))).toEqual([]);
        for (let time = 0; time < TIMES; time++) {
          const written = writtenOf({ recording, client, dialect }, lessenedAnswer(answer, random));
          expect(faultsOf(client, written)).toEqual([]);
        }
      }
    });
  });
});
