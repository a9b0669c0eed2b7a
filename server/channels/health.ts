import {
  type CircuitBreakerPolicy,
  CircuitState,
  ConsecutiveBreaker,
  circuitBreaker,
  handleWhen,
} from "cockatiel";
import { UpstreamFault } from "@/server/upstream";

const CREDENTIAL_REST_MS = 60_000;
const RATE_LIMIT_REST_MS = 5_000;
const OPEN_MS = 10_000;
const MAX_MESSAGE_CHARACTERS = 500;

/**
 * Faults of the channel itself. A credential that was refused or used up rests by itself; a model that the upstream does
 * not have (404), and what a model wrote, say nothing about its other models and calls.
 */
const isChannelFault = (error: unknown) =>
  error instanceof UpstreamFault &&
  !isCredentialFault(error) &&
  error.status !== 404 &&
  error.reason !== "unusable";

export const isCredentialFault = (fault: UpstreamFault) =>
  fault.status !== null && [401, 402, 403, 429].includes(fault.status);

/** `half_open`: the next call is a probe, or one is under way. */
export type BreakerState = "closed" | "open" | "half_open";

/** What people see of it. */
export type HealthView = {
  state: BreakerState;
  /** By their place in the channel; `untilMs` since the epoch. */
  restingCredentials: { index: number; untilMs: number }[];
  /** `message`: the upstream's words, without the credential. */
  lastFault: { reason: UpstreamFault["reason"]; status: number | null; message: string; at: Date } | null;
  lastOkAt: Date | null;
  /** Those that say something of the channel: no call that its client ended or that was the client's fault. */
  attempts: number;
  oks: number;
};

/** What this process has seen of one operation of a channel: its breaker, and credentials that rest. */
export type Health = {
  run: <T>(attempt: () => Promise<T>) => Promise<T>;
  /** A probe is under way; `run` would wait for it. */
  isProbing: () => boolean;
  noteOk: () => void;
  /** Has the credential rest when the fault is its own. */
  noteFault: (credential: number, fault: UpstreamFault) => void;
  isResting: (credential: number) => boolean;
  view: () => HealthView;
};

/** Opens after five channel faults in a row; real traffic probes it again after ten seconds, one call at a time. */
export function createHealth(): Health {
  const breaker: CircuitBreakerPolicy = circuitBreaker(handleWhen(isChannelFault), {
    halfOpenAfter: OPEN_MS,
    breaker: new ConsecutiveBreaker(5),
  });
  let openedAtMs = 0;
  breaker.onBreak(() => {
    openedAtMs = Date.now();
  });
  const restsUntil = new Map<number, number>();
  let lastFault: HealthView["lastFault"] = null;
  let lastOkAtMs: number | null = null;
  let oks = 0;
  let faults = 0;

  function state(): BreakerState {
    if (breaker.state === CircuitState.Closed) {
      return "closed";
    }
    return breaker.state === CircuitState.Open && Date.now() - openedAtMs < OPEN_MS ? "open" : "half_open";
  }

  return {
    run: (attempt) => breaker.execute(attempt),
    isProbing: () => breaker.state === CircuitState.HalfOpen,
    noteOk: () => {
      oks++;
      lastOkAtMs = Date.now();
    },
    noteFault: (credential, fault) => {
      faults++;
      const { reason, status, message } = fault;
      lastFault = { reason, status, message: message.slice(0, MAX_MESSAGE_CHARACTERS), at: new Date() };
      if (isCredentialFault(fault)) {
        const rest = fault.status === 429 ? (fault.retryAfterMs ?? RATE_LIMIT_REST_MS) : CREDENTIAL_REST_MS;
        restsUntil.set(credential, performance.now() + rest);
      }
    },
    isResting: (credential) => (restsUntil.get(credential) ?? 0) > performance.now(),
    view: () => {
      const now = performance.now();
      return {
        state: state(),
        restingCredentials: [...restsUntil]
          .filter(([, until]) => until > now)
          .map(([index, until]) => ({ index, untilMs: Math.round(Date.now() + until - now) })),
        lastFault,
        lastOkAt: lastOkAtMs === null ? null : new Date(lastOkAtMs),
        attempts: oks + faults,
        oks,
      };
    },
  };
}
