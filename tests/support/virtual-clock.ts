import type { Clock } from "@/server/base/clock";

/** The machine's time, which a test can put ahead: what would be due later is due now. */
export type AdvancingClock = { clock: Clock; advance: (ms: number) => void };

export function advancingClock(): AdvancingClock {
  let aheadMs = 0;
  return {
    clock: () => new Date(Date.now() + aheadMs),
    advance: (ms) => {
      aheadMs += ms;
    },
  };
}
