import { CircuitState, ConsecutiveBreaker, circuitBreaker, handleWhen, type IBackoff } from "cockatiel";
import { LRUCache } from "lru-cache";
import { systemTimers, type Timers } from "@/server/base/clock";
import { GatewayError } from "@/server/base/errors";
import { UpstreamFault } from "@/server/upstream";
import { createCredentialCooldowns } from "./credential-cooldowns";
import { blameOf } from "./faults";
import { createStreamBreaks } from "./stream-breaks";

const CREDENTIAL_REST_MS = 60_000;
const RATE_LIMIT_REST_MS = 5_000;
const OPEN_MS = 10_000;
const FAULTS_TO_OPEN = 5;
const MAX_MESSAGE_CHARACTERS = 500;
/** Accounts whose breakers are kept. An evicted account gets a new breaker. */
const MAX_ACCOUNTS = 500;

/** `half_open`: the next call is a probe, or one is under way. */
type BreakerState = "closed" | "open" | "half_open";

/** The health that users see. */
export type HealthView = {
  state: BreakerState;
  /** Credentials that rest for all accounts, by their index in the channel; `untilMs` since the epoch. */
  restingCredentials: { index: number; untilMs: number }[];
  /** Accounts for which alone the channel is skipped or a credential rests. */
  accountsApart: number;
  /** `message`: the upstream's text, without the credential. */
  lastFault: { reason: UpstreamFault["reason"]; status: number | null; message: string; at: Date } | null;
  lastOkAt: Date | null;
  /**
   * Attempts that say something about the channel. Calls that their client ended, or that were the client's fault, do
   * not count.
   */
  attempts: number;
  oks: number;
};

/** The account and the credential, by its index, of an attempt. */
export type AttemptKey = { credential: number; accountId: string };

/**
 * The health of one operation of a channel, as seen by this and other processes: its breaker and its resting
 * credentials.
 */
export type Health = {
  /** Ignores a fault of an attempt that began before a successful one: it describes the past. */
  run: <T>(accountId: string, attempt: () => Promise<T>) => Promise<T>;
  /** Whether `run` ignored this fault for that reason. */
  isOutdated: (fault: UpstreamFault) => boolean;
  /** Whether a probe is under way, which `run` would wait for. */
  isProbing: (accountId: string) => boolean;
  /** When the channel is tried again, in milliseconds. null: it is not skipped. */
  opensInMs: (accountId: string) => number | null;
  /** A success ends a row of faults, also if the attempt did not go through `run`, which counts successes itself. */
  noteOk: (key: AttemptKey, attempts: { hasRun: boolean; times?: number; at?: number }) => void;
  /** Lets the credential rest if the fault is its own. If the fault only may be its own, it rests for this account. */
  noteFault: (key: AttemptKey, fault: UpstreamFault, at?: number) => void;
  /**
   * Records the end of a stream whose start was recorded as a success. `fault`: it broke off; null: it was complete.
   */
  noteStreamEnd: (key: AttemptKey, fault: UpstreamFault | null, at?: number) => Promise<void>;
  /** Records an old event: users see it, but no breaker or credential reacts to it. */
  recall: (event: { oks: number; isStreamEnd: boolean; fault: UpstreamFault | null; at: number }) => void;
  isResting: (credential: number, accountId: string) => boolean;
  view: () => HealthView;
};

/** A change of the state that applies to all accounts, as it happens. `credential`: its index. */
export type Transition =
  | { kind: "open" | "resting"; credential?: number; fault: UpstreamFault | null }
  | { kind: "closed" };

function createBreaker(counts: (error: unknown) => boolean, { stopwatch }: Timers) {
  // An abandoned probe (its client left, or another attempt was faster) proves nothing: the breaker stays open.
  const isProbeWithoutResult = (error: unknown) =>
    error instanceof GatewayError && error.kind === "clientGone" && breaker.state === CircuitState.HalfOpen;
  let openedAt = 0;
  const leftMs = () => Math.max(0, Math.ceil(openedAt + OPEN_MS - stopwatch()));
  // The library compares with `Date.now()`, and that clock may be set back by a month. An infinite duration, of either
  // sign, makes its comparison irrelevant.
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
    /** Opens the breaker as a row of faults would, with one counted fault. */
    open: async (fault: UpstreamFault) => {
      for (let times = 0; times < 2 * FAULTS_TO_OPEN && breaker.state === CircuitState.Closed; times++) {
        await breaker.execute(() => Promise.reject(fault)).catch(() => {});
      }
    },
    /** Records a success that did not go through `run`. Only its own probe closes an open breaker. */
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

/** Counts successes and faults, and keeps the last of each. */
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
  /** The stream counted as a success when it began. */
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

/** Lets a credential rest if the fault is its own, or may be. Returns whether it begins to rest for all accounts. */
function rest(
  rests: ReturnType<typeof createCredentialCooldowns>,
  key: AttemptKey,
  fault: UpstreamFault,
): boolean {
  const { credential, accountId } = key;
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
 * The breaker opens after five faults in a row; after ten seconds one real call at a time probes the channel. Faults
 * that a request may cause open it for that account alone, and for all accounts once five accounts have met them.
 */
export function createHealth(
  onTurn: (turn: Transition) => void = () => {},
  timers: Timers = systemTimers,
): Health {
  const counted = new WeakSet<object>();
  const sufferers = new Set<string>();
  const shared = createBreaker((error) => error instanceof UpstreamFault && counted.has(error), timers);
  // The fault of the next probe must count, too.
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
    const breaker = accounts.get(accountId) ?? createBreaker(isOfAccount, timers);
    accounts.set(accountId, breaker);
    return breaker;
  };
  /** When the latest successful attempt began. */
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
  const rests = createCredentialCooldowns(timers);
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
    noteStreamEnd: async (key, fault, at = Date.now()) => {
      if (fault === null) {
        breaks.whole(key.accountId);
        return;
      }
      tally.streamBroke();
      noteFault(key, fault, at);
      const { byAccount, byAll } = breaks.broke(key.accountId, fault);
      if (byAll) {
        counted.add(fault);
        await shared.open(fault);
      }
      if (byAccount) {
        await breakerOf(key.accountId).open(fault);
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
