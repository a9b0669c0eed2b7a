import { CircuitState, ConsecutiveBreaker, circuitBreaker, handleWhen, type IBackoff } from "cockatiel";
import { LRUCache } from "lru-cache";
import { systemTimers, type Timers } from "@/server/base/clock";
import { GatewayError } from "@/server/base/errors";
import { UpstreamFault } from "@/server/upstream";
import { blameOf } from "./faults";
import { createRests } from "./rests";
import { createStreamBreaks } from "./stream-breaks";

const CREDENTIAL_REST_MS = 60_000;
const RATE_LIMIT_REST_MS = 5_000;
const OPEN_MS = 10_000;
const FAULTS_TO_OPEN = 5;
const MAX_MESSAGE_CHARACTERS = 500;
/** Whose own breakers are kept; one that is forgotten starts anew. */
const MAX_ACCOUNTS = 500;

/** `half_open`: the next call is a probe, or one is under way. */
type BreakerState = "closed" | "open" | "half_open";

/** What people see of it. */
export type HealthView = {
  state: BreakerState;
  /** Those that rest toward all, by their place in the channel; `untilMs` since the epoch. */
  restingCredentials: { index: number; untilMs: number }[];
  /** Accounts to which alone it is left alone, or a credential rests. */
  accountsApart: number;
  /** `message`: the upstream's words, without the credential. */
  lastFault: { reason: UpstreamFault["reason"]; status: number | null; message: string; at: Date } | null;
  lastOkAt: Date | null;
  /** Those that say something of the channel: no call that its client ended or that was the client's fault. */
  attempts: number;
  oks: number;
};

/** Whose attempt it was, and with which credential, by its place. */
export type Of = { credential: number; accountId: string };

/** What has been seen of one operation of a channel, here and by others: its breaker, and credentials that rest. */
export type Health = {
  /** A fault of an attempt that began before one that went well is not counted: things were so, and are no more. */
  run: <T>(accountId: string, attempt: () => Promise<T>) => Promise<T>;
  /** Whether this fault was not counted for that. */
  isOutdated: (fault: UpstreamFault) => boolean;
  /** A probe is under way; `run` would wait for it. */
  isProbing: (accountId: string) => boolean;
  /** When it is tried again. null: it is not left alone. */
  opensInMs: (accountId: string) => number | null;
  /** What went well is no fault in a row, also where the attempt did not go through `run`, which sees that itself. */
  noteOk: (of: Of, attempts: { hasRun: boolean; times?: number; at?: number }) => void;
  /** Has the credential rest when the fault is its own, or may be: then toward this account. */
  noteFault: (of: Of, fault: UpstreamFault, at?: number) => void;
  /** How a stream ended that had begun well, and was noted so. `fault`: it broke off; null: it came to its end. */
  noteStreamEnd: (of: Of, fault: UpstreamFault | null, at?: number) => Promise<void>;
  /** What was so a while ago: people see it, and nothing is left alone for it. */
  recall: (seen: { oks: number; isStreamEnd: boolean; fault: UpstreamFault | null; at: number }) => void;
  isResting: (credential: number, accountId: string) => boolean;
  view: () => HealthView;
};

/** What befalls it toward all, as it happens. `credential`: its place. */
export type Turn =
  | { kind: "open" | "resting"; credential?: number; fault: UpstreamFault | null }
  | { kind: "closed" };

function createBreaker(counts: (error: unknown) => boolean, { stopwatch }: Timers) {
  // A probe that was abandoned (its client left, another attempt was faster) has shown nothing: the breaker stays open.
  const isProbeWithoutResult = (error: unknown) =>
    error instanceof GatewayError && error.kind === "clientGone" && breaker.state === CircuitState.HalfOpen;
  let openedAt = 0;
  const leftMs = () => Math.max(0, Math.ceil(openedAt + OPEN_MS - stopwatch()));
  // The library compares with `Date.now()`, which may be set back by a month: an infinite duration, of either sign, takes
  // the decision away from it.
  const untilOver: IBackoff<unknown> = {
    get duration() {
      return leftMs() > 0 ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
    },
    next: () => untilOver,
  };
  const breaker = circuitBreaker(
    handleWhen((error) => counts(error) || isProbeWithoutResult(error)),
    { halfOpenAfter: untilOver, breaker: new ConsecutiveBreaker(FAULTS_TO_OPEN) },
  );
  breaker.onBreak(() => {
    openedAt = stopwatch();
  });
  return {
    execute: <T>(attempt: () => Promise<T>) => breaker.execute(attempt),
    /** Opens it as faults in a row do, with one that it counts. */
    open: async (fault: UpstreamFault) => {
      for (let times = 0; times < 2 * FAULTS_TO_OPEN && breaker.state === CircuitState.Closed; times++) {
        await breaker.execute(() => Promise.reject(fault)).catch(() => {});
      }
    },
    /** It was not run here. One that is open is closed by its own probe alone. */
    noteOk: () => void (breaker.state === CircuitState.Closed && breaker.execute(async () => {})),
    onBreak: (listener: (fault: unknown) => void) =>
      void breaker.onBreak((reason) => listener("error" in reason ? reason.error : null)),
    onReset: (listener: () => void) => void breaker.onReset(listener),
    isProbing: () => breaker.state === CircuitState.HalfOpen,
    opensInMs: () => (breaker.state === CircuitState.Open ? leftMs() : null),
    state: (): BreakerState => {
      if (breaker.state === CircuitState.Closed) {
        return "closed";
      }
      return breaker.state === CircuitState.Open && leftMs() > 0 ? "open" : "half_open";
    },
  };
}

/** What went well and what did not, and what came last of each. */
function createTally() {
  let lastFault: HealthView["lastFault"] = null;
  let lastOkAtMs: number | null = null;
  let oks = 0;
  let faults = 0;
  const ok = (times: number, at: number) => {
    oks += times;
    lastOkAtMs = Math.max(lastOkAtMs ?? 0, at);
  };
  const fault = ({ reason, status, message }: UpstreamFault, at: number) => {
    faults++;
    if (lastFault === null || lastFault.at.getTime() <= at) {
      lastFault = { reason, status, message: message.slice(0, MAX_MESSAGE_CHARACTERS), at: new Date(at) };
    }
  };
  /** It was counted as an ok when it began. */
  const streamBroke = () => {
    oks = Math.max(0, oks - 1);
  };
  const recall: Health["recall"] = ({ oks: times, isStreamEnd, fault: met, at }) => {
    if (isStreamEnd && met) {
      streamBroke();
    }
    if (met) {
      fault(met, at);
    } else if (!isStreamEnd) {
      ok(times, at);
    }
  };
  return {
    ok,
    fault,
    streamBroke,
    recall,
    view: () => ({
      lastFault,
      lastOkAt: lastOkAtMs === null ? null : new Date(lastOkAtMs),
      attempts: oks + faults,
      oks,
    }),
  };
}

/** Leaves a credential alone whose fault it is, or may be. Whether it begins to rest toward all. */
function rest(rests: ReturnType<typeof createRests>, of: Of, fault: UpstreamFault): boolean {
  const { credential, accountId } = of;
  const restMs = fault.status === 429 ? (fault.retryAfterMs ?? RATE_LIMIT_REST_MS) : CREDENTIAL_REST_MS;
  const blame = blameOf(fault);
  const isNews = blame === "credential" && !rests.isResting(credential, accountId);
  if (blame === "credential") {
    rests.forAll(credential, restMs);
  } else if (blame === "doubtfulCredential") {
    rests.forAccount(credential, accountId, restMs);
  }
  return isNews;
}

const isBlamed = (error: unknown, ...blames: ReturnType<typeof blameOf>[]) =>
  error instanceof UpstreamFault && blames.includes(blameOf(error));

/**
 * Opens after five faults in a row; real traffic probes it again after ten seconds, one call at a time. Faults that a
 * request may have brought about open it to that account alone; to all, once five accounts have met them.
 */
export function createHealth(onTurn: (turn: Turn) => void = () => {}, timers: Timers = systemTimers): Health {
  const counted = new WeakSet<object>();
  const sufferers = new Set<string>();
  const shared = createBreaker((error) => error instanceof UpstreamFault && counted.has(error), timers);
  // The fault of the next probe counts, too.
  shared.onBreak((fault) => {
    sufferers.clear();
    onTurn({ kind: "open", fault: fault instanceof UpstreamFault ? fault : null });
  });
  shared.onReset(() => onTurn({ kind: "closed" }));
  const accounts = new LRUCache<string, ReturnType<typeof createBreaker>>({ max: MAX_ACCOUNTS });
  const outdated = new WeakSet<UpstreamFault>();
  const isOutdated = (error: unknown) => error instanceof UpstreamFault && outdated.has(error);
  const isOfAccount = (error: unknown) => isBlamed(error, "doubtful") && !isOutdated(error);
  const breakerOf = (accountId: string) => {
    const known = accounts.get(accountId) ?? createBreaker(isOfAccount, timers);
    accounts.set(accountId, known);
    return known;
  };
  /** When the attempt began that is the latest of those that went well. */
  let latestOkBeganAt = 0;
  const count = (error: unknown, { accountId, beganAt }: { accountId: string; beganAt: number }) => {
    if (error instanceof UpstreamFault && beganAt < latestOkBeganAt) {
      outdated.add(error);
    } else if (isBlamed(error, "channel") || (isBlamed(error, "doubtful") && !sufferers.has(accountId))) {
      counted.add(error as UpstreamFault);
      sufferers.add(accountId);
    }
    return error;
  };
  const rests = createRests(timers);
  const breaks = createStreamBreaks(FAULTS_TO_OPEN);
  const tally = createTally();
  const noteFault: Health["noteFault"] = ({ credential, accountId }, fault, at = Date.now()) => {
    tally.fault(fault, at);
    if (rest(rests, { credential, accountId }, fault)) {
      onTurn({ kind: "resting", credential, fault });
    }
  };

  return {
    run: (accountId, attempt) =>
      breakerOf(accountId).execute(() =>
        shared.execute(async () => {
          const beganAt = timers.now();
          try {
            const done = await attempt();
            latestOkBeganAt = Math.max(latestOkBeganAt, beganAt);
            return done;
          } catch (error) {
            throw count(error, { accountId, beganAt });
          }
        }),
      ),
    isOutdated,
    isProbing: (accountId) => shared.isProbing() || breakerOf(accountId).isProbing(),
    opensInMs: (accountId) => shared.opensInMs() ?? breakerOf(accountId).opensInMs(),
    noteOk: ({ credential, accountId }, { hasRun, times = 1, at = Date.now() }) => {
      for (const breaker of hasRun ? [] : [shared, breakerOf(accountId)]) {
        breaker.noteOk();
      }
      tally.ok(times, at);
      rests.noteOk(credential);
      sufferers.clear();
    },
    noteFault,
    noteStreamEnd: async (of, fault, at = Date.now()) => {
      if (fault === null) {
        breaks.whole(of.accountId);
        return;
      }
      tally.streamBroke();
      noteFault(of, fault, at);
      const { byAccount, byAll } = breaks.broke(of.accountId, fault);
      if (byAll) {
        counted.add(fault);
        await shared.open(fault);
      }
      if (byAccount) {
        await breakerOf(of.accountId).open(fault);
      }
    },
    recall: tally.recall,
    isResting: rests.isResting,
    view: () => ({
      state: shared.state(),
      accountsApart: new Set([
        ...[...accounts].flatMap(([accountId, breaker]) => (breaker.state() === "open" ? [accountId] : [])),
        ...rests.accounts(),
      ]).size,
      restingCredentials: rests.view(),
      ...tally.view(),
    }),
  };
}
