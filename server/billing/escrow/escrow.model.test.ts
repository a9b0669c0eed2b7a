import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { nothingSeen } from "@/tests/support/escrow-calls";
import { playEscrow } from "@/tests/support/escrow-play";
import { type EscrowStep, step } from "@/tests/support/escrow-steps";

const HISTORIES = 1_500;

describe("escrow money is spent once, never beyond its amount, and returns to the month", () => {
  test("in any history of processes that crash, stand still, and lose answers", () => {
    const counts = nothingSeen();
    const histories = fc.array(step, { maxLength: 120, size: "max" });
    fc.assert(
      fc.property(histories, (steps) => playEscrow(steps, counts)),
      { numRuns: HISTORIES },
    );
    // Each kind of event must occur, otherwise these histories prove nothing about it.
    expect(Object.values(counts).every((count) => count > 0)).toBe(true);
  });

  test("if a charge commits after it was given up, without taking money from other calls", () => {
    const process = 0;
    const hold = { kind: "hold", process, key: 0, fate: "answered" } as const;
    const history: EscrowStep[] = [
      { ...hold, amount: 100n },
      { kind: "arrive", pick: 0 },
      { ...hold, amount: 50n },
      { kind: "end", process, pick: 0, share: 100n, isStored: false, fate: "late" },
      { kind: "arrive", pick: 0 },
      { kind: "fold", process, fate: "answered" },
      { kind: "arrive", pick: 1 },
      { kind: "arrive", pick: 0 },
    ];
    const counts = nothingSeen();
    playEscrow(history, counts);
    expect(counts.drawn).toBe(2);
  });

  test("if a renewal finds its row locked, which does not count as a renewal", () => {
    const process = 0;
    const hold = { kind: "hold", process, key: 0, amount: 100n, fate: "answered" } as const;
    const wait = { kind: "wait", ms: 6_000 } as const;
    const arrive = { kind: "arrive", pick: 0 } as const;
    const renew = { kind: "renew", process, fate: "answered", isLocked: true } as const;
    playEscrow([hold, arrive, wait, wait, renew, arrive, wait, wait, { kind: "sweep" }, hold], nothingSeen());
  });
});
