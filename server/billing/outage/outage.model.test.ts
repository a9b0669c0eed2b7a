import fc from "fast-check";
import { expect, test } from "vitest";
import { nothingSold, playOutage } from "@/tests/support/outage-play";
import { awayStep, type OutageStep, outageStep } from "@/tests/support/outage-steps";

const HISTORIES = 1_000;

test("no account is oversold by more than its allowance in any history of outages, crashes and lost answers", () => {
  const seen = nothingSold();
  const histories = fc.array(outageStep, { maxLength: 150, size: "max" });
  fc.assert(
    fc.property(histories, (steps) => playOutage(steps, seen)),
    { numRuns: HISTORIES },
  );
  // Each kind of event must occur, otherwise these histories prove nothing about it.
  expect(Object.entries(seen).filter(([, count]) => count === 0)).toEqual([]);
});

test("no reserve is sold twice in any history of starts without the database", () => {
  const seen = nothingSold();
  const histories = fc.array(awayStep, { maxLength: 200, size: "max" });
  fc.assert(
    fc.property(histories, (steps) => playOutage(steps, seen)),
    { numRuns: HISTORIES },
  );
  const { claimed, withdrawn, refusedStarts, soldAlone, settledAlone, reserveReturned } = seen;
  expect(
    Math.min(claimed, withdrawn, refusedStarts, soldAlone, settledAlone, reserveReturned),
  ).toBeGreaterThan(0);
});

test("an outage of an hour is served out of the part that was given before it, and of no more", () => {
  const process = 0;
  const call = (amount: bigint): OutageStep[] => [
    { kind: "wait", ms: 70_000 },
    { kind: "hold", process, amount },
    { kind: "end", process, pick: 0, share: 100n },
  ];
  const hour = Array.from({ length: 51 }, () => call(2n)).flat();
  const seen = nothingSold();
  playOutage(
    [
      { kind: "renew", process, fate: "answered" },
      { kind: "arrive", pick: 0 },
      { kind: "cutAll" },
      ...hour,
      { kind: "mend", process },
      { kind: "settle", process, fate: "answered" },
    ],
    seen,
  );
  expect(seen).toMatchObject({ sold: 50, refused: 1 });
});

test("what a part has paid is taken off it when the ledger has the charge, and not sold again before the next request", () => {
  const process = 0;
  const seen = nothingSold();
  const sale: OutageStep[] = [
    { kind: "cutAll" },
    { kind: "hold", process, amount: 60n },
    { kind: "end", process, pick: 0, share: 100n },
    { kind: "mend", process },
    { kind: "settle", process, fate: "answered" },
    { kind: "arrive", pick: 0 },
  ];
  playOutage(
    [{ kind: "renew", process, fate: "answered" }, { kind: "arrive", pick: 0 }, ...sale, ...sale],
    seen,
  );
  expect(seen).toMatchObject({ sold: 1, refused: 1 });
});
