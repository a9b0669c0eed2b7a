import type { ChannelId } from "@/server/base/ids";
import { faultReasons, type Operation, operations, UpstreamFault } from "@/server/upstream";
import type { Of } from "./health";

/** How attempts ended: so many well, or one with a fault. `isCounted`: breakers count it. */
export type Seen = Of & { operation: Operation; isCounted: boolean; fault: UpstreamFault | null };

/** How streams ended that had begun well. */
export type StreamEnd = Omit<Seen, "isCounted">;

/** A channel as it was between two changes of its row. */
export type Subject = { channelId: ChannelId; name: string; version: string };

/** The same as plain data, for another process. */
export type Sighting = Subject &
  Omit<Seen, "fault"> & {
    /** Attempts that went well in a row. 0: it is a fault. */
    oks: number;
    /** Of a stream that had begun well. */
    isStreamEnd: boolean;
    /** When the last of them ended, since the epoch. */
    at: number;
    fault: Pick<UpstreamFault, "reason" | "status" | "retryAfterMs" | "message"> | null;
  };

/** The way to the other processes of an installation, and from them. */
export type Sightings = {
  tell: (sightings: Sighting[]) => void;
  listen: (hear: (sightings: Sighting[]) => void) => void;
};

/** A breaker that opens a moment later elsewhere lets a few more calls fail, and no call waits for telling. */
const TELL_EVERY_MS = 100;

/** Tells what is seen, in order; what goes well again and again in one word. */
export function createTeller(
  tell: Sightings["tell"],
): (subject: Subject, seen: Seen, isStreamEnd: boolean) => void {
  let untold: Sighting[] = [];
  const well = new Map<string, Sighting>();
  const flush = () => {
    tell(untold);
    untold = [];
    well.clear();
  };
  return ({ channelId, name, version }, { fault, ...seen }, isStreamEnd) => {
    const kind = `${seen.operation} ${seen.isCounted} ${isStreamEnd}`;
    const key = `${channelId} ${version} ${kind} ${seen.credential} ${seen.accountId}`;
    const known = fault === null ? well.get(key) : undefined;
    if (known) {
      known.oks++;
      known.at = Date.now();
      return;
    }
    const told = fault && {
      reason: fault.reason,
      status: fault.status,
      retryAfterMs: fault.retryAfterMs,
      message: fault.message,
    };
    const what = { ...seen, isStreamEnd, at: Date.now(), oks: fault ? 0 : 1, fault: told };
    const sighting = { channelId, name, version, ...what };
    if (untold.length === 0) {
      setTimeout(flush, TELL_EVERY_MS).unref();
    }
    untold.push(sighting);
    if (fault) {
      // What goes well after it ends a row of faults.
      well.clear();
    } else {
      well.set(key, sighting);
    }
  };
}

/** The fault that another process met. null: it met none. */
export const faultOf = ({ fault }: Sighting): UpstreamFault | null =>
  fault &&
  new UpstreamFault(fault.reason, fault.message, {
    ...(fault.status !== null && { status: fault.status }),
    retryAfterMs: fault.retryAfterMs,
  });

/** An attempt of before, with the place of its credential. `outcome`: "ok", or a fault's reason. */
export type PastAttempt = Subject &
  Of & {
    operation: string;
    outcome: string;
    status: number | null;
    words: string | null;
    /** It went on to be a stream. */
    isStream: boolean;
    endedAt: Date;
  };

/** As it was told when it ended; of a stream, how it began and how it ended. None: this release knows no such thing. */
export function toSightings({
  outcome,
  status,
  words,
  isStream,
  endedAt,
  ...attempt
}: PastAttempt): Sighting[] {
  const operation = operations.find((known) => known === attempt.operation);
  const reason = faultReasons.find((known) => known === outcome);
  if (operation === undefined || (reason === undefined && outcome !== "ok")) {
    return [];
  }
  const seen = { ...attempt, operation, at: endedAt.getTime() };
  const fault = reason ? { reason, status, retryAfterMs: null, message: words ?? "" } : null;
  const began = { ...seen, isCounted: true, isStreamEnd: false, oks: 1, fault: null };
  const ended = { ...seen, isCounted: true, isStreamEnd: false, oks: fault ? 0 : 1, fault };
  return isStream ? [began, { ...ended, isCounted: false, isStreamEnd: true }] : [ended];
}
