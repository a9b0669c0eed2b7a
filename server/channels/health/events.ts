/** Health events: attempts of this process, of other processes, and of the time before a start. */
import type { ChannelId } from "@/server/domain/ids";
import { faultReasons, type Operation, operations, type UpstreamFault } from "@/server/upstream";

/** A channel between two changes of its row. */
export type ChannelVersion = { channelId: ChannelId; name: string; version: string };

/** The account and the credential, by its index, of an attempt. */
export type AttemptKey = { credential: number; accountId: string };

/** A fault as plain data; `message`: the upstream's text, without the credential. */
export type FaultFields = Pick<UpstreamFault, "reason" | "status" | "retryAfterMs" | "message">;

const MAX_MESSAGE_CHARACTERS = 500;

export const faultFields = ({ reason, status, retryAfterMs, message }: FaultFields): FaultFields => ({
  reason,
  status,
  retryAfterMs,
  message: message.slice(0, MAX_MESSAGE_CHARACTERS),
});

/** The breakers that a call probes: the channel's, that of its account. */
export type Probed = { channel: boolean; account: boolean };

export const NO_PROBE: Probed = { channel: false, account: false };

/**
 * How an attempt ended. `rejected`: the upstream says that the call itself is wrong. `abandoned`: the client left, or
 * another attempt was faster. `unanswered`: the client left after it had waited long for the beginning of an answer.
 */
export const quietOutcomes = ["rejected", "abandoned", "unanswered"] as const;
type Outcome = "ok" | (typeof quietOutcomes)[number] | FaultFields;

export const isFault = (outcome: Outcome): outcome is FaultFields => typeof outcome === "object";

/** The end of an attempt, the good beginning of a stream, or the end of a stream that had begun well. */
export type AttemptEvent = ChannelVersion &
  AttemptKey & {
    kind: "attempt" | "streamEnd";
    operation: Operation;
    outcome: Outcome;
    /** The number of successes that the event stands for; otherwise 1. */
    count: number;
    /** Breakers count it. Repeats, attempts during another call's probe and outdated faults do not count. */
    isCounted: boolean;
    probed: Probed;
    /** When it ended: by the clock of this process inside of it, since the epoch between processes. */
    at: number;
    elapsedMs: number;
  };

/** A call begins to probe an open breaker. Other processes do not receive this event. */
type ProbeEvent = ChannelVersion & {
  kind: "probe";
  operation: Operation;
  accountId: string;
  probed: Probed;
};

export type HealthEvent = AttemptEvent | ProbeEvent;

/** Exchanges events with the other processes of an installation. */
export type HealthEvents = {
  publish: (events: AttemptEvent[]) => void;
  listen: (hear: (events: AttemptEvent[]) => void) => void;
};

/**
 * Events are sent in batches, so no call waits for sending. A breaker that opens a moment later in another process lets
 * a few more calls fail.
 */
const PUBLISH_EVERY_MS = 100;

/** Collects events and sends them in order; repeated successes become one event. */
export function createPublisher(publish: HealthEvents["publish"]): (event: AttemptEvent) => void {
  let waiting: AttemptEvent[] = [];
  const successes = new Map<string, AttemptEvent>();
  const flush = () => {
    publish(waiting);
    waiting = [];
    successes.clear();
  };
  return (event) => {
    const { channelId, version, operation, kind, isCounted, credential, accountId } = event;
    const key = `${channelId} ${version} ${operation} ${kind} ${isCounted} ${credential} ${accountId}`;
    const earlier = event.outcome === "ok" ? successes.get(key) : undefined;
    if (earlier) {
      earlier.count += event.count;
      earlier.at = Date.now();
      return;
    }
    const published = { ...event, probed: NO_PROBE, at: Date.now(), elapsedMs: Math.round(event.elapsedMs) };
    if (waiting.length === 0) {
      setTimeout(flush, PUBLISH_EVERY_MS).unref();
    }
    waiting.push(published);
    if (isFault(event.outcome)) {
      // A later success must end the series of faults, so it needs its own event.
      successes.clear();
    } else if (event.outcome === "ok") {
      successes.set(key, published);
    }
  };
}

/** An attempt of a client that leaves after this long without the head of an answer is unanswered. */
const PATIENCE_MS = 20_000;

/** Whether a client that left had waited long for an answer, or had not. */
export const abandonedAfter = ({ elapsedMs, headMs }: Pick<PastAttempt, "elapsedMs" | "headMs">) =>
  headMs === null && elapsedMs >= PATIENCE_MS ? ("unanswered" as const) : ("abandoned" as const);

/** An attempt from before this process started, as it was recorded. `outcome`: "ok", a quiet one, or a fault's reason. */
export type PastAttempt = ChannelVersion &
  AttemptKey & {
    operation: string;
    outcome: string;
    status: number | null;
    words: string | null;
    headMs: number | null;
    /** The attempt opened a stream. */
    isStream: boolean;
    endedAt: Date;
    elapsedMs: number;
  };

function outcomeOf(past: PastAttempt): Outcome | null {
  const { outcome, status, words } = past;
  if (outcome === "ok" || outcome === "rejected") {
    return outcome;
  }
  if (outcome === "abandoned") {
    return abandonedAfter(past);
  }
  const reason = faultReasons.find((name) => name === outcome);
  return reason === undefined ? null : { reason, status, retryAfterMs: null, message: words ?? "" };
}

/**
 * Converts a past attempt to the events that were sent when it ended; a stream has two, for its start and its end.
 * Empty if this release does not know the operation or the outcome.
 */
export function toHealthEvents(past: PastAttempt): AttemptEvent[] {
  const { channelId, name, version, credential, accountId, elapsedMs, isStream } = past;
  const operation = operations.find((known) => known === past.operation);
  const outcome = outcomeOf(past);
  if (operation === undefined || outcome === null) {
    return [];
  }
  const event = { channelId, name, version, credential, accountId, operation, count: 1, probed: NO_PROBE };
  const ended = {
    ...event,
    kind: "attempt",
    outcome,
    isCounted: true,
    elapsedMs,
    at: past.endedAt.getTime(),
  } as const;
  if (!isStream) {
    return [ended];
  }
  const began = { ...ended, outcome: "ok" } as const;
  return outcome === "ok" || isFault(outcome)
    ? [began, { ...ended, kind: "streamEnd", isCounted: false }]
    : [began];
}
