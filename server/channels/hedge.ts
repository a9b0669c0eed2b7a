/** A second try beside the first, where that one is silent: whoever answers first is taken, the other one ended. */
import { sleep, type Timers } from "@/server/base/clock";
import { GatewayError } from "@/server/base/errors";
import type { AttemptEnd } from "./attempts";

/** Why a try is ended that nobody waits for any more: the other one has answered. */
export const OUTRUN = new GatewayError("clientGone", "another channel answered first");

type Came = { done: { abort: () => void; ended: (end: AttemptEnd) => void } | null };

function run<R extends Came>(begin: (signal: AbortSignal) => Promise<R>, signal: AbortSignal) {
  const controller = new AbortController();
  const result = begin(AbortSignal.any([signal, controller.signal]));
  return {
    result,
    drop: () => {
      controller.abort(OUTRUN);
      const end = ({ done }: R) => {
        // It answered in the same moment.
        done?.abort();
        done?.ended("abandoned");
      };
      // What it fails with says nothing: it was ended.
      result.then(end, () => {});
    },
  };
}

/**
 * What `begin` comes to; begun once more where it has not ended after `afterMs`. Of two the first with something done
 * counts, or that throws, and the other is ended; where neither does anything, the later one counts.
 */
export async function hedged<R extends Came>(
  begin: (signal: AbortSignal) => Promise<R>,
  { afterMs, timers, signal }: { afterMs: number; timers: Timers; signal: AbortSignal },
): Promise<R> {
  const first = run(begin, signal);
  const answered = new AbortController();
  const isSilent = await Promise.race([
    first.result.then(
      () => false,
      () => false,
    ),
    sleep(timers, afterMs, answered.signal).then(() => !answered.signal.aborted),
  ]);
  answered.abort();
  if (!isSilent) {
    return await first.result;
  }
  const both = [first, run(begin, signal)];
  return await new Promise<R>((resolve, reject) => {
    let underWay = both.length;
    let isOver = false;
    for (const each of both) {
      // Only the first one to settle ends the other.
      const end = (settle: () => void) => {
        if (!isOver) {
          isOver = true;
          settle();
          both.find((other) => other !== each)?.drop();
        }
      };
      each.result.then(
        (came) => {
          underWay--;
          if (came.done !== null || underWay === 0) {
            end(() => resolve(came));
          }
        },
        (error: unknown) => end(() => reject(error)),
      );
    }
  });
}
