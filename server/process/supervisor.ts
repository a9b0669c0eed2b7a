import { ConfigError } from "@/server/base/config";
import type { Log } from "@/server/base/log";
import { begin, type Life, type ProcessEnd } from "./life";
import type { ToChild, ToParent } from "./messages";

/** A process that must always run. */
export type SupervisedProcess = {
  name: string;
  /** The path of its program. */
  path: string;
  args: string[];
  /** Resolves to the message that lets a loaded process use the database. */
  mayOpen: () => Promise<ToChild>;
  /** Resolves to the message that tells a prepared process where to listen. The process waits for it. */
  mayListen: () => Promise<ToChild>;
  /** Whether another process serves calls meanwhile: then a start that fails is tried again. */
  isCovered?: () => boolean;
};

/** Keeps such a process running. */
export type Supervisor = {
  name: string;
  /** The first process is prepared, or listening. Throws in its words if it ended before. */
  prepared: Promise<void>;
  listening: Promise<void>;
  /** Returns whether the process exists at the moment. */
  send: (message: ToChild) => boolean;
  /** Tells the process to finish and starts no other. Returns when it has ended. A second call hurries it. */
  stop: (how: { patienceMs: number; isHurried: boolean }) => Promise<void>;
};

const PREPARE_MS = 120_000;
const PING_EVERY_MS = 5_000;
/** For a minute its event loop has not turned once: it no longer serves any call. */
const UNANSWERED_PINGS = 12;

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 30_000;
/**
 * The most starts of a process that is killed before it is ready. The system's out-of-memory killer, for example, hits
 * a process while it grows most.
 */
const MAX_STARTS = 5;

/** A process that has lived for so long did not die of how it was started. */
const WELL_AFTER_MS = 60_000;

/** The pause before the next start, after so many processes in a row that ended soon. */
export const waitMs = (failures: number): number =>
  Math.min(FIRST_WAIT_MS * 2 ** Math.min(failures, 20), LONGEST_WAIT_MS);

const endedEarly = ({ name }: SupervisedProcess, { words, how }: ProcessEnd) =>
  new ConfigError(words ?? `The process ${name} ended before it was ready: ${how}`);

/** The time that a process takes to prepare itself. While it waits for others, the clock stands. */
function createPatience() {
  let since: number | null = performance.now();
  return {
    isOver: () => since !== null && performance.now() - since > PREPARE_MS,
    /** Waits for others, and then passes their message on. If they fail, their own keepers report that. */
    pauseFor: (others: Promise<ToChild>, send: (message: ToChild) => void): void => {
      since = null;
      others.then(
        (message) => {
          since = performance.now();
          send(message);
        },
        () => {},
      );
    },
  };
}

/** An event that happens once, or fails. */
function milestone() {
  let reach = () => {};
  let miss = (_: Error) => {};
  const reached = new Promise<void>((resolve, reject) => {
    reach = resolve;
    miss = reject;
  });
  // A caller that waits gets the error, but there may be no caller.
  reached.catch(() => {});
  return { reached, reach, miss };
}

export function supervise(
  post: SupervisedProcess,
  deps: { log: Log; onMessage: (message: ToParent) => void; onEnd: (isStopping: boolean) => void },
): Supervisor {
  const { log } = deps;
  const prepared = milestone();
  const listening = milestone();
  const over = milestone();
  let isStopping = false;
  let hasListened = false;
  let failures = 0;
  let starts = 0;
  let life: Life | null = null;
  let again: NodeJS.Timeout | undefined;

  function start(): void {
    const startedAt = performance.now();
    let unanswered = 0;
    let isReady = false;
    let wasLate = false;
    const patience = createPatience();
    starts++;
    const pings = setInterval(() => {
      unanswered++;
      const isLate = !isReady && patience.isOver();
      if (unanswered > UNANSWERED_PINGS || isLate) {
        wasLate ||= isLate;
        log.error({ name: post.name }, "a process does not answer, and is killed");
        mine.kill();
      } else if (isReady) {
        mine.send({ kind: "ping" });
      } else {
        unanswered = 0;
      }
    }, PING_EVERY_MS);
    const mine = begin(post, {
      onMessage: (message) => {
        unanswered = 0;
        if (message.kind === "loaded") {
          patience.pauseFor(post.mayOpen(), mine.send);
        } else if (message.kind === "prepared") {
          prepared.reach();
          patience.pauseFor(post.mayListen(), mine.send);
        } else if (message.kind === "listening") {
          isReady = true;
          hasListened = true;
          listening.reach();
        } else {
          deps.onMessage(message);
        }
      },
      onEnd: ({ words, how }) => {
        clearInterval(pings);
        life = null;
        deps.onEnd(isStopping);
        if (isStopping) {
          over.reach();
          return;
        }
        // A process that gives a reason would fail for the same reason again.
        const isFinal = words !== null || wasLate || starts >= MAX_STARTS;
        if (!hasListened && isFinal && !post.isCovered?.()) {
          const error = endedEarly(post, { words, how });
          prepared.miss(error);
          listening.miss(error);
          return;
        }
        failures = performance.now() - startedAt > WELL_AFTER_MS ? 0 : failures + 1;
        const inMs = waitMs(failures);
        log.error({ name: post.name, how, words, inMs }, "a process has ended, and is replaced");
        again = setTimeout(start, inMs);
      },
    });
    life = mine;
  }

  start();
  return {
    name: post.name,
    prepared: prepared.reached,
    listening: listening.reached,
    send: (message) => {
      life?.send(message);
      return life !== null;
    },
    stop: async ({ patienceMs, isHurried }) => {
      isStopping = true;
      clearTimeout(again);
      if (life === null) {
        return;
      }
      life.send({ kind: "drain", isHurried });
      const late = setTimeout(() => life?.kill(), patienceMs);
      await over.reached;
      clearTimeout(late);
    },
  };
}
