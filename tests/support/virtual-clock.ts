import { setImmediate as nextTurn } from "node:timers/promises";
import type { Clock, Timers } from "@/server/base/clock";

type Pending = { at: number; act: () => void };

/** Does what is due until then, in order. `reach`: sets the time. */
function runDue(pending: Set<Pending>, until: number, reach: (ms: number) => void): void {
  const next = () =>
    [...pending].filter(({ at }) => at <= until).sort((left, right) => left.at - right.at)[0];
  for (let due = next(); due; due = next()) {
    reach(due.at);
    pending.delete(due);
    due.act();
  }
}

/** The machine's time, which a test can put ahead: what would be due later is due now. */
type AdvancingTime = { clock: Clock; timers: Timers; advance: (ms: number) => void };

export function advancingTime(): AdvancingTime {
  let aheadMs = 0;
  const now = () => performance.now() + aheadMs;
  const pending = new Set<Pending>();
  return {
    clock: () => new Date(Date.now() + aheadMs),
    timers: {
      now,
      stopwatch: now,
      after: (ms, act) => {
        const timer = setTimeout(() => {
          pending.delete(due);
          act();
        }, ms);
        const due = {
          at: now() + ms,
          act: () => {
            clearTimeout(timer);
            act();
          },
        };
        pending.add(due);
        return () => {
          clearTimeout(timer);
          pending.delete(due);
        };
      },
    },
    // What is due later than that comes by the machine's time alone, and so never too early.
    advance: (ms) => {
      aheadMs += ms;
      runDue(pending, now(), () => {});
    },
  };
}

/** A test that is wrong ends, and does not go on in the worker of those after it. */
const MAX_STEPS = 100_000;

/** Time that stands still until a test steps it. */
type VirtualTimers = Timers & {
  /** Lets so much time pass, and does what is due meanwhile, in order. */
  advance: (ms: number) => void;
  /** Lets time pass in steps until the work has ended. Only where nothing but time can end it. */
  passUntil: <T>(work: Promise<T>, stepMs: number) => Promise<T>;
};

export function virtualTimers(): VirtualTimers {
  let now = 1_000_000;
  const pending = new Set<Pending>();
  const advance = (ms: number) => {
    const until = now + ms;
    runDue(pending, until, (at) => {
      now = Math.max(now, at);
    });
    now = until;
  };
  return {
    now: () => now,
    stopwatch: () => now,
    after: (ms, act) => {
      const due = { at: now + ms, act };
      pending.add(due);
      if (ms <= 0) {
        setImmediate(() => void (pending.delete(due) && act()));
      }
      return () => void pending.delete(due);
    },
    advance,
    passUntil: async (work, stepMs) => {
      let isOver = false;
      const end = () => {
        isOver = true;
      };
      work.then(end, end);
      for (let steps = 0; !isOver; steps++) {
        if (steps > MAX_STEPS) {
          throw new Error(`${MAX_STEPS} steps of ${stepMs} ms did not end the work`);
        }
        advance(stepMs);
        // What was due acts on the next turn, once sockets have been read.
        await nextTurn();
        await nextTurn();
      }
      return await work;
    },
  };
}
