import { setImmediate as nextTurn } from "node:timers/promises";
import type { Clock, Timers } from "@/server/base/clock";

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

/** Time that stands still until a test steps it. */
export type VirtualTimers = Timers & {
  /** Lets so much time pass, and does what is due meanwhile, in order. */
  advance: (ms: number) => void;
  /** Lets time pass in steps until the work has ended. Only where nothing but time can end it. */
  passUntil: <T>(work: Promise<T>, stepMs: number) => Promise<T>;
};

export function virtualTimers(): VirtualTimers {
  let now = 1_000_000;
  const pending = new Set<{ at: number; act: () => void }>();
  const firstDue = (until: number) =>
    [...pending].filter(({ at }) => at <= until).sort((left, right) => left.at - right.at)[0];
  const advance = (ms: number) => {
    const until = now + ms;
    for (let due = firstDue(until); due; due = firstDue(until)) {
      now = Math.max(now, due.at);
      pending.delete(due);
      due.act();
    }
    now = until;
  };
  return {
    now: () => now,
    stopwatch: () => now,
    after: (ms, act) => {
      const timer = { at: now + ms, act };
      pending.add(timer);
      return () => void pending.delete(timer);
    },
    advance,
    passUntil: async (work, stepMs) => {
      let isOver = false;
      const end = () => {
        isOver = true;
      };
      work.then(end, end);
      while (!isOver) {
        advance(stepMs);
        // What was due acts on the next turn, once sockets have been read.
        await nextTurn();
        await nextTurn();
      }
      return await work;
    },
  };
}
