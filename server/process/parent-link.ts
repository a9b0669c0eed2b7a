import type { ToChild, ToParent } from "./messages";

/** The way to the parent, in one of its processes. */
export type ParentLink = {
  send: (message: ToParent) => void;
  /** Hears of each message of this kind. */
  on: <Kind extends ToChild["kind"]>(
    kind: Kind,
    hear: (message: Extract<ToChild, { kind: Kind }>) => void,
  ) => void;
  /** The parent has ended, however it did. */
  onGone: (hear: () => void) => void;
  isGone: () => boolean;
};

/** Throws where no parent has started this process. */
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
    // `onGone` tells those who wait for an answer that the parent has gone.
    send: (message) => void (process.connected && process.send?.(message, undefined, undefined, () => {})),
    on: (kind, hear) => void hearers.set(kind, [...(hearers.get(kind) ?? []), hear]),
    onGone: (hear) => void process.on("disconnect", hear),
    isGone: () => !process.connected,
  };
}

/** Questions that the parent answers by their number. */
export function createQuestions<Answer>(link: ParentLink, patienceMs: number, fail: () => Error) {
  type Waiting = { resolve: (answer: Answer) => void; reject: (error: Error) => void; late: NodeJS.Timeout };
  const waiting = new Map<number, Waiting>();
  let serial = 0;
  const take = (id: number) => {
    const one = waiting.get(id);
    waiting.delete(id);
    clearTimeout(one?.late);
    return one;
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
    /** Says whether somebody still waited for it. */
    answer: (id: number, answer: Answer): boolean => {
      const one = take(id);
      one?.resolve(answer);
      return one !== undefined;
    },
  };
}
