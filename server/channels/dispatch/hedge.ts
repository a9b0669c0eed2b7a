/** Hedging: makes a second attempt if the first one is silent, takes the first answer and aborts the other attempt. */
import { type Cancellation, CancellationSource, pause } from "@/server/base/cancellation";
import type { Timers } from "@/server/base/clock";
import { GatewayError } from "@/server/base/errors";
import type { AttemptEnd } from "./attempts";

/** The reason to abort an attempt: the other one has answered. */
export const OUTRUN = new GatewayError("clientGone", "another channel answered first");

type Came = { done: { abort: () => void; ended: (end: AttemptEnd) => void } | null };

function run<R extends Came>(begin: (cancellation: Cancellation) => Promise<R>, call: Cancellation) {
  const source = new CancellationSource();
  const cancel = () => source.cancel(call.reason);
  if (call.isCancelled) {
    cancel();
  } else {
    call.add(cancel);
  }
  const result = begin(source);
  return {
    result,
    drop: () => {
      source.cancel(OUTRUN);
      const end = ({ done }: R) => {
        // It answered at the same moment.
        done?.abort();
        done?.ended("abandoned");
      };
      // Its error does not matter: it was aborted.
      result.then(end, () => {});
    },
  };
}

/**
 * Runs `begin`, and runs it a second time if it has not ended after `afterMs`. Returns the first attempt that succeeds,
 * or throws the first error, and aborts the other. If neither succeeds, returns the later result.
 */
export async function hedged<R extends Came>(
  begin: (cancellation: Cancellation) => Promise<R>,
  { afterMs, timers, cancellation }: { afterMs: number; timers: Timers; cancellation: Cancellation },
): Promise<R> {
  const first = run(begin, cancellation);
  const answered = new CancellationSource();
  const isSilent = await Promise.race([
    first.result.then(
      () => false,
      () => false,
    ),
    pause(timers, afterMs, [answered]).then(() => !answered.isCancelled),
  ]);
  answered.cancel();
  if (!isSilent) {
    return await first.result;
  }
  const both = [first, run(begin, cancellation)];
  return await new Promise<R>((resolve, reject) => {
    let underWay = both.length;
    let isOver = false;
    for (const each of both) {
      // Only the first attempt to settle aborts the other.
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
