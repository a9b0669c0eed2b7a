import { setImmediate as nextTurn } from "node:timers/promises";
import type { Clock, Timers } from "@/server/base/clock";

type Pending = { at: number; act: () => void };

/** Runs the timers that are due until then, in order. `reach` sets the time. */
function runDue(pending: Set<Pending>, until: number, reach: (ms: number) => void): void {
  const next = () =>
    [...pending].filter(({ at }) => at <= until).sort((left, right) => left.at - right.at)[0];
  for (let due = next(); due; due = next()) {
    reach(due.at);
    pending.delete(due);
    due.act();
  }
}

/** The machine's time, which a test can move ahead: later timers are due now. */
type AdvancingTime = { clock: Clock; timers: Timers; advance: (ms: number) => void };

export function advancingTime(): AdvancingTime {
  let aheadMs = 0;
  const now = () => performance.now() + aheadMs;
  const pending = new Set<Pending>();
  const after: Timers["after"] = (ms, act) => {
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
  };
  return {
    clock: () => new Date(Date.now() + aheadMs),
    timers: { now, stopwatch: now, after, deadline: after },
    // Later timers only run by the machine's time, and so never too early.
    advance: (ms) => {
      aheadMs += ms;
      runDue(pending, now(), () => {});
    },
  };
}

/** Ends a faulty test, so that it does not continue in the worker during later tests. */
const MAX_STEPS = 100_000;

/** Time that passes only when a test advances it. */
type VirtualTimers = Timers & {
  /** Advances the time, and runs the timers that become due, in order. */
  advance: (ms: number) => void;
  /** Advances the time in steps until the work has ended. Only for work that nothing but time can end. */
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
  const after: Timers["after"] = (ms, act) => {
    const due = { at: now + ms, act };
    pending.add(due);
    if (ms <= 0) {
      setImmediate(() => void (pending.delete(due) && act()));
    }
    return () => void pending.delete(due);
  };
  return {
    now: () => now,
    stopwatch: () => now,
    after,
    deadline: after,
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
        // The callbacks take effect on the next turn, after sockets have been read.
        await nextTurn();
        await nextTurn();
      }
      return await work;
    },
  };
}
