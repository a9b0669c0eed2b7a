import type { ChannelId } from "@/server/base/ids";
import { faultReasons, type Operation, operations, UpstreamFault } from "@/server/upstream";
import type { AttemptKey } from "./health";

/** How attempts ended: a success, or one fault. `isCounted`: breakers count it. */
export type AttemptReport = AttemptKey & {
  operation: Operation;
  isCounted: boolean;
  fault: UpstreamFault | null;
};

/** How a stream ended whose start was a success. */
export type StreamEnd = Omit<AttemptReport, "isCounted">;

/** A channel between two changes of its row. */
export type ChannelVersion = { channelId: ChannelId; name: string; version: string };

/** A health event as plain data, for other processes. */
export type HealthEvent = ChannelVersion &
  Omit<AttemptReport, "fault"> & {
    /** Successful attempts in a row. 0: the event is a fault. */
    oks: number;
    /** The end of a stream whose start was a success. */
    isStreamEnd: boolean;
    /** When the last attempt ended, since the epoch. */
    at: number;
    fault: Pick<UpstreamFault, "reason" | "status" | "retryAfterMs" | "message"> | null;
  };

/** Exchanges events with the other processes of an installation. */
export type HealthEvents = {
  publish: (sightings: HealthEvent[]) => void;
  listen: (hear: (sightings: HealthEvent[]) => void) => void;
};

/**
 * Events are sent in batches, so no call waits for sending. A breaker that opens a moment later in another process lets
 * a few more calls fail.
 */
const TELL_EVERY_MS = 100;

/** Collects events and sends them in order; repeated successes become one event. */
export function createPublisher(
  tell: HealthEvents["publish"],
): (subject: ChannelVersion, report: AttemptReport, isStreamEnd: boolean) => void {
  let untold: HealthEvent[] = [];
  const well = new Map<string, HealthEvent>();
  const flush = () => {
    tell(untold);
    untold = [];
    well.clear();
  };
  return ({ channelId, name, version }, { fault, ...report }, isStreamEnd) => {
    const kind = `${report.operation} ${report.isCounted} ${isStreamEnd}`;
    const key = `${channelId} ${version} ${kind} ${report.credential} ${report.accountId}`;
    const event = fault === null ? well.get(key) : undefined;
    if (event) {
      event.oks++;
      event.at = Date.now();
      return;
    }
    const faultFields = fault && {
      reason: fault.reason,
      status: fault.status,
      retryAfterMs: fault.retryAfterMs,
      message: fault.message,
    };
    const what = { ...report, isStreamEnd, at: Date.now(), oks: fault ? 0 : 1, fault: faultFields };
    const sighting = { channelId, name, version, ...what };
    if (untold.length === 0) {
      setTimeout(flush, TELL_EVERY_MS).unref();
    }
    untold.push(sighting);
    if (fault) {
      // A later success must end the row of faults, so it needs an event of its own.
      well.clear();
    } else {
      well.set(key, sighting);
    }
  };
}

/** The fault that another process met. null: a success. */
export const faultOf = ({ fault }: HealthEvent): UpstreamFault | null =>
  fault &&
  new UpstreamFault(fault.reason, fault.message, {
    ...(fault.status !== null && { status: fault.status }),
    retryAfterMs: fault.retryAfterMs,
  });

/**
 * An attempt from before this process started, with the index of its credential. `outcome`: "ok", or a fault's reason.
 */
export type PastAttempt = ChannelVersion &
  AttemptKey & {
    operation: string;
    outcome: string;
    status: number | null;
    words: string | null;
    /** The attempt opened a stream. */
    isStream: boolean;
    endedAt: Date;
  };

/**
 * Converts a past attempt to the events that were sent when it ended; a stream has two, for its start and its end.
 * Empty if this release does not know the operation or the outcome.
 */
export function toHealthEvents({
  outcome,
  status,
  words,
  isStream,
  endedAt,
  ...attempt
}: PastAttempt): HealthEvent[] {
  const operation = operations.find((name) => name === attempt.operation);
  const reason = faultReasons.find((name) => name === outcome);
  if (operation === undefined || (reason === undefined && outcome !== "ok")) {
    return [];
  }
  const report = { ...attempt, operation, at: endedAt.getTime() };
  const fault = reason ? { reason, status, retryAfterMs: null, message: words ?? "" } : null;
  const began = { ...report, isCounted: true, isStreamEnd: false, oks: 1, fault: null };
  const ended = { ...report, isCounted: true, isStreamEnd: false, oks: fault ? 0 : 1, fault };
  return isStream ? [began, { ...ended, isCounted: false, isStreamEnd: true }] : [ended];
}
