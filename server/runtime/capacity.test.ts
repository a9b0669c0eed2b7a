import { expect, test } from "vitest";
import { CancellationSource } from "@/server/base/cancellation";
import { createPlaces } from "@/server/upstream/places";
import { randomFrom } from "@/tests/support/random";
import { placesPerOrigin } from "./capacity";

test("one gateway has the 1,024 places and no more", () => {
  expect(placesPerOrigin(1)).toBe(1_024);
});

const counts = [2, 3, 4, 8, 16];
test.each(counts)(
  "streams of half of the places, dealt to %i gateways by chance, all run",
  async (gateways) => {
    const next = randomFrom(gateways);
    const waiting = new CancellationSource();
    for (let round = 0; round < 20; round++) {
      const limits = { capacity: placesPerOrigin(gateways), maxWaiting: 0, patienceMs: 1 };
      const each = Array.from({ length: gateways }, () => createPlaces(limits));
      for (let stream = 0; stream < 512; stream++) {
        const places = each[Math.floor(next() * gateways)];
        await expect(places?.take("account", waiting)).resolves.toBeTypeOf("function");
      }
    }
  },
);

test("no gateway's part is more than twice what it was for being dealt out", () => {
  for (const gateways of [2, 4, 8]) {
    expect(placesPerOrigin(gateways)).toBeLessThan((2 * 1_024) / gateways);
  }
});
