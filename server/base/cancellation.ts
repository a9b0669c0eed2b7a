import type { Timers } from "./clock";

/**
 * Whether a piece of work is still wanted, as a plain object. Attempts at upstreams use it in place of web signals: an
 * `AbortController`, its signal and an `AbortSignal.any` cost a call more than its own steps.
 */
export type Cancellation = {
  readonly isCancelled: boolean;
  /** Why the work is not wanted any more. undefined: it is. */
  readonly reason: unknown;
  /** Calls the listener once, when the work is cancelled. A listener that comes later is never called. */
  add: (listener: () => void) => void;
  delete: (listener: () => void) => void;
};

/** A cancellation, and the right to cancel. Its listeners are called in the order in which they were added. */
export class CancellationSource implements Cancellation {
  isCancelled = false;
  reason: unknown;
  #listeners: Set<() => void> | null = null;

  /** Has no effect if the work is cancelled already. `reason`: by default the error that `AbortController` gives. */
  readonly cancel = (reason?: unknown): void => {
    if (this.isCancelled) {
      return;
    }
    this.isCancelled = true;
    this.reason = reason ?? new DOMException("This operation was aborted", "AbortError");
    for (const listener of this.#listeners ?? []) {
      listener();
    }
    this.#listeners = null;
  };

  add(listener: () => void): void {
    if (!this.isCancelled) {
      this.#listeners ??= new Set();
      this.#listeners.add(listener);
    }
  }

  delete(listener: () => void): void {
    this.#listeners?.delete(listener);
  }
}

/** The cancellation that a web signal stands for. */
export const fromSignal = (signal: AbortSignal): Cancellation => ({
  get isCancelled() {
    return signal.aborted;
  },
  get reason(): unknown {
    return signal.reason;
  },
  add: (listener) => signal.addEventListener("abort", listener, { once: true }),
  delete: (listener) => signal.removeEventListener("abort", listener),
});

/** The web signal of a cancellation, for code that takes nothing else. */
export function toSignal(cancellation: Cancellation): AbortSignal {
  const controller = new AbortController();
  const abort = () => controller.abort(cancellation.reason);
  if (cancellation.isCancelled) {
    abort();
  } else {
    cancellation.add(abort);
  }
  return controller.signal;
}

/** Cancelled with the first of two, which live no longer than the work itself: it stays among their listeners. */
export function eitherOf(one: Cancellation, other: Cancellation): Cancellation {
  const source = new CancellationSource();
  for (const cancellation of [one, other]) {
    if (cancellation.isCancelled) {
      source.cancel(cancellation.reason);
    } else {
      cancellation.add(() => source.cancel(cancellation.reason));
    }
  }
  return source;
}

/** Throws the reason of cancelled work. */
export function throwIfCancelled({ isCancelled, reason }: Cancellation): void {
  if (isCancelled) {
    throw reason;
  }
}

/** Resolves after `ms`, or as soon as one of them is cancelled. */
export function pause(
  timers: Pick<Timers, "after">,
  ms: number,
  cancellations: readonly Cancellation[],
): Promise<void> {
  if (cancellations.some(({ isCancelled }) => isCancelled)) {
    return Promise.resolve();
  }
  return new Promise((resolve) => {
    const end = () => {
      stopTimer();
      for (const cancellation of cancellations) {
        cancellation.delete(end);
      }
      resolve();
    };
    const stopTimer = timers.after(ms, end);
    for (const cancellation of cancellations) {
      cancellation.add(end);
    }
  });
}
