import { systemTimers, type Timers } from "./clock";
import { GatewayError } from "./errors";

/**
 * Calls `act` if the returned function is not called within `ms`, give or take a tenth of a second. Data that arrived
 * while this process could not run, on a busy machine, is not late: sockets are read once more before `act`.
 */
export const onSilence = (ms: number, act: () => void, timers: Timers = systemTimers): (() => void) =>
  onceSocketsAreRead(timers.deadline, ms, act);

function onceSocketsAreRead(after: Timers["after"], ms: number, act: () => void): () => void {
  let look: NodeJS.Immediate | undefined;
  // A turn of the event loop runs timers, then reads sockets, then runs `setImmediate`.
  const cancel = after(ms, () => {
    look = setImmediate(act);
  });
  return () => {
    cancel();
    clearImmediate(look);
  };
}

/** The promise's value, or null if it takes longer than `ms`. A late promise is not cancelled. */
export async function withinMs<T>(promise: Promise<T>, ms: number): Promise<T | null> {
  let stop = () => {};
  const silence = new Promise<null>((resolve) => {
    stop = onceSocketsAreRead(systemTimers.after, ms, () => resolve(null));
  });
  try {
    return await Promise.race([promise, silence]);
  } finally {
    stop();
  }
}

/** The promise's value. Throws the signal's reason as soon as it aborts; the promise is not cancelled. */
export async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const settled = new AbortController();
  const aborted = new Promise<never>((_, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort, { signal: settled.signal });
    if (signal.aborted) {
      abort();
    }
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    settled.abort();
  }
}

/** How long a call waits for a look-up. A restarted database is back by then. */
const LOOKUP_MS = 5_000;

/** The look-up's result. Throws unavailable (503) if it takes longer; the look-up is not cancelled. */
export async function lookUp<T>(result: Promise<T>, ms = LOOKUP_MS): Promise<T> {
  const answer = await withinMs(
    result.then((value) => ({ value })),
    ms,
  );
  if (answer === null) {
    throw new GatewayError("unavailable", "", { cause: new Error(`no answer to a look-up within ${ms} ms`) });
  }
  return answer.value;
}
