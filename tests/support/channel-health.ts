/** The health of a channel in virtual time, and histories of its attempts. */
import fc from "fast-check";
import { OPEN_MS } from "@/server/channels/health/breaker";
import { type AttemptEvent, type HealthEvent, NO_PROBE } from "@/server/channels/health/events";
import {
  admissionOf,
  type HealthState,
  operationOf,
  reduce,
  UNUSED,
  viewOf,
} from "@/server/channels/health/reduce";
import type { ChannelId } from "@/server/domain/ids";
import { branded } from "./branded";

const key = { version: "7", operation: "chat" } as const;
export const channel = { channelId: branded<ChannelId>("chn_1"), name: "first", ...key };

export const refused = (status: number) => ({
  ...{ reason: "refused" as const, status, retryAfterMs: null, message: String(status) },
});
export const down = refused(503);
export const proxied = refused(504);
export const cutOff = {
  reason: "broken" as const,
  status: 200,
  retryAfterMs: null,
  message: "no finish reason",
};

type Attempt = Partial<
  Pick<AttemptEvent, "kind" | "version" | "accountId" | "credential" | "isCounted" | "elapsedMs">
> & {
  outcome: AttemptEvent["outcome"];
};

/** The health of one channel in virtual time, with calls that begin and end as dispatch makes them. */
export class TestChannel {
  state: HealthState = UNUSED;
  now = 1_000_000;
  transitions: string[] = [];

  apply(event: HealthEvent): void {
    const { state, transitions } = reduce(this.state, event, this.now);
    this.state = state;
    this.transitions.push(...transitions.map(({ kind }) => kind));
  }

  /** An attempt that begins and ends at once, whether the breaker lets it through or not. */
  attempt({ outcome, ...attempt }: Attempt): void {
    const event = { kind: "attempt", credential: 0, accountId: "a", isCounted: true, elapsedMs: 0 } as const;
    this.apply({ ...channel, ...event, ...attempt, outcome, count: 1, probed: NO_PROBE, at: this.now });
  }

  /** Begins a call if the breakers let it through. Returns how to end it; null: the call was refused. */
  begin(accountId: string) {
    const admission = admissionOf(this.health, accountId, this.now);
    if (admission.kind === "open" || admission.kind === "probing") {
      return null;
    }
    const probed = admission.kind === "probe" ? admission.probed : NO_PROBE;
    if (probed !== NO_PROBE) {
      this.apply({ kind: "probe", ...channel, accountId, probed });
    }
    const beganAt = this.now;
    return {
      probed,
      end: (outcome: AttemptEvent["outcome"]) => {
        const attempt = { credential: 0, accountId, outcome, count: 1, isCounted: true, probed };
        const times = { at: this.now, elapsedMs: this.now - beganAt };
        this.apply({ kind: "attempt", ...channel, ...attempt, ...times });
      },
    };
  }

  get health() {
    return operationOf(this.state, key);
  }

  get view() {
    return viewOf(this.health, this.now, (ms) => ms);
  }
}

export const anyAccount = fc.constantFrom("a", "b", "c", "d", "e", "f");
const eachOutcome = fc.constantFrom<AttemptEvent["outcome"]>(
  ...(["ok", "rejected", "abandoned", "unanswered"] as const),
  ...[down, proxied, cutOff, refused(401), refused(403), refused(429), refused(404)],
);
// Enough faults for rows of five.
export const anyOutcome = fc.oneof(
  { weight: 1, arbitrary: eachOutcome },
  { weight: 2, arbitrary: fc.constant(down) },
);
export const anyAttempt = fc.record({
  kind: fc.constantFrom("attempt" as const, "streamEnd" as const),
  ...{ accountId: anyAccount, outcome: anyOutcome, isCounted: fc.boolean(), credential: fc.nat(2) },
  elapsedMs: fc.nat(30_000),
  /** Time that passes before the attempt ends. */
  afterMs: fc.constantFrom(0, 0, 1, 4_000, OPEN_MS, 61_000),
});
export const anyHistory = fc.array(anyAttempt, { maxLength: 60, size: "max" });

export function replay(
  history: readonly (Attempt & { afterMs: number })[],
  from = new TestChannel(),
): TestChannel {
  for (const { afterMs, ...attempt } of history) {
    from.now += afterMs;
    from.attempt(attempt);
  }
  return from;
}
