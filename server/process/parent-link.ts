import type { ToChild, ToParent } from "./messages";

/** A process's connection to its parent. */
export type ParentLink = {
  send: (message: ToParent) => void;
  /** Calls `hear` with each message of this kind. */
  on: <Kind extends ToChild["kind"]>(
    kind: Kind,
    hear: (message: Extract<ToChild, { kind: Kind }>) => void,
  ) => void;
  /** Called when the parent has ended, for any reason. */
  onGone: (hear: () => void) => void;
  isGone: () => boolean;
};

/** Throws if this process was not started by a parent. */
export function linkToParent(): ParentLink {
  if (!process.send) {
    throw new Error("this program is started by main.js");
  }
  const hearers = new Map<string, ((message: never) => void)[]>();
  process.on("message", (message: ToChild) => {
    for (const hear of hearers.get(message.kind) ?? []) {
      hear(message as never);
    }
  });
  return {
    // If the parent is gone, `onGone` rejects the questions that wait for an answer.
    send: (message) => void (process.connected && process.send?.(message, undefined, undefined, () => {})),
    on: (kind, hear) => void hearers.set(kind, [...(hearers.get(kind) ?? []), hear]),
    onGone: (hear) => void process.on("disconnect", hear),
    isGone: () => !process.connected,
  };
}

/** Questions with a number, by which the parent answers them. */
export function createQuestions<Answer>(link: ParentLink, patienceMs: number, fail: () => Error) {
  type Waiting = { resolve: (answer: Answer) => void; reject: (error: Error) => void; late: NodeJS.Timeout };
  const waiting = new Map<number, Waiting>();
  let serial = 0;
  const take = (id: number) => {
    const waiter = waiting.get(id);
    waiting.delete(id);
    clearTimeout(waiter?.late);
    return waiter;
  };
  link.onGone(() => {
    for (const id of [...waiting.keys()]) {
      take(id)?.reject(fail());
    }
  });
  return {
    ask: (send: (id: number) => void): Promise<Answer> =>
      new Promise((resolve, reject) => {
        if (link.isGone()) {
          reject(fail());
          return;
        }
        const id = serial++;
        const late = setTimeout(() => take(id)?.reject(fail()), patienceMs).unref();
        waiting.set(id, { resolve, reject, late });
        send(id);
      }),
    /** Returns whether a caller still waited for the answer. */
    answer: (id: number, answer: Answer): boolean => {
      const waiter = take(id);
      waiter?.resolve(answer);
      return waiter !== undefined;
    },
  };
}
