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

/** What this process has seen of one operation of a channel: its breaker, and credentials that rest. */
export type Health = {
  run: <T>(attempt: () => Promise<T>) => Promise<T>;
  /** A probe is under way; `run` would wait for it. */
  isProbing: () => boolean;
  rest: (credential: number, fault: UpstreamFault) => void;
  isResting: (credential: number) => boolean;
};

/** Opens after five channel faults in a row; real traffic probes it again after ten seconds, one call at a time. */
export function createHealth(): Health {
  const breaker: CircuitBreakerPolicy = circuitBreaker(handleWhen(isChannelFault), {
    halfOpenAfter: 10_000,
    breaker: new ConsecutiveBreaker(5),
  });
  const restsUntil = new Map<number, number>();
  return {
    run: (attempt) => breaker.execute(attempt),
    isProbing: () => breaker.state === CircuitState.HalfOpen,
    rest: (credential, fault) => {
      const rest = fault.status === 429 ? (fault.retryAfterMs ?? RATE_LIMIT_REST_MS) : CREDENTIAL_REST_MS;
      restsUntil.set(credential, performance.now() + rest);
    },
    isResting: (credential) => (restsUntil.get(credential) ?? 0) > performance.now(),
  };
}
