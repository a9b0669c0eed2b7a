import { expect, test } from "vitest";
import { CancellationSource } from "@/server/base/cancellation";
import { loadConfig } from "@/server/base/config";
import { createPlaces } from "@/server/upstream/places";
import { randomFrom } from "@/tests/support/random";
import { limitsPerOrigin } from "./capacity";

const CALLS = 1_024;
const config = loadConfig({ MAX_CONCURRENT_CALLS: String(CALLS) });
const placesOf = (gateways: number) => limitsPerOrigin(config, gateways).places;

test("one gateway has as many places at an address as the server has calls, and no more", () => {
  expect(limitsPerOrigin(config, 1)).toEqual({ places: CALLS, waiting: CALLS / 8, patienceMs: 10_000 });
});

test("a call waits for a place for as long as the settings say", () => {
  expect(limitsPerOrigin(loadConfig({ MAX_WAIT_SECONDS: "3" }), 2)).toMatchObject({ patienceMs: 3_000 });
});

const counts = [2, 3, 4, 8, 16];
test.each(counts)(
  "all streams of a single account run if they are dealt to %i gateways at random",
  async (gateways) => {
    const next = randomFrom(gateways);
    const waiting = new CancellationSource();
    // More than that the pool of all calls refuses it.
    const ofOneAccount = Math.floor((CALLS * 16) / 17);
    for (let round = 0; round < 20; round++) {
      const limits = { capacity: placesOf(gateways), maxWaiting: 0, patienceMs: 1 };
      const each = Array.from({ length: gateways }, () => createPlaces(limits));
      let taken = 0;
      for (let stream = 0; stream < ofOneAccount; stream++) {
        const places = each[Math.floor(next() * gateways)];
        // A hundred thousand places are taken, so there is one look for all of a round.
        taken += typeof (await places?.take("account", waiting)) === "function" ? 1 : 0;
      }
      expect(taken).toBe(ofOneAccount);
    }
  },
);

test("no gateway's places are more than twice its share of the calls", () => {
  for (const gateways of [2, 4, 8]) {
    expect(placesOf(gateways)).toBeLessThan((2 * CALLS) / gateways);
  }
});

test("no gateway has more places at an address than the operator allows", () => {
  for (const calls of ["8", "10", "12", "20"]) {
    const limited = loadConfig({ MAX_UPSTREAM_CALLS: calls });
    expect(limitsPerOrigin(limited, 2).places).toBeLessThanOrEqual(Number(calls));
  }
});
