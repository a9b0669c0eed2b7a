import { systemTimers, type Timers } from "./clock";
import { GatewayError } from "./errors";

/**
 * Calls `act` when nothing has called what it returns for `ms`. What came while this process could not run, on a machine
 * that is busy, is not late: sockets are read once more before.
 */
export function onSilence(ms: number, act: () => void, timers: Timers = systemTimers): () => void {
  let look: NodeJS.Immediate | undefined;
  // A turn of the event loop is timers, then what has come, then `setImmediate`.
  const cancel = timers.after(ms, () => {
    look = setImmediate(act);
  });
  return () => {
    cancel();
    clearImmediate(look);
  };
}

/** The promise's value, or null when it takes longer than `ms`. What is late is not cancelled, only not waited for. */
export async function withinMs<T>(promise: Promise<T>, ms: number): Promise<T | null> {
  let stop = () => {};
  const silence = new Promise<null>((resolve) => {
    stop = onSilence(ms, () => resolve(null));
  });
  try {
    return await Promise.race([promise, silence]);
  } finally {
    stop();
  }
}

/** The promise's value. Throws the signal's reason as soon as there is one; what is late then is not cancelled. */
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

/** What a call waits for a look-up. A database that is restarted is back by then. */
const LOOKUP_MS = 5_000;

/** The look-up's answer. Throws unavailable (503) when it takes longer; what is late is not cancelled. */
export async function lookUp<T>(asked: Promise<T>, ms = LOOKUP_MS): Promise<T> {
  const answer = await withinMs(
    asked.then((value) => ({ value })),
    ms,
  );
  if (answer === null) {
    throw new GatewayError("unavailable", "", { cause: new Error(`no answer to a look-up within ${ms} ms`) });
  }
  return answer.value;
}
