import type { ChannelId } from "@/server/base/ids";
import { type Operation, UpstreamFault } from "@/server/upstream";
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
    fault: Pick<UpstreamFault, "reason" | "status" | "retryAfterMs" | "message"> | null;
  };

/** The way to the other processes of a server, and from them. */
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
      return;
    }
    const told = fault && {
      reason: fault.reason,
      status: fault.status,
      retryAfterMs: fault.retryAfterMs,
      message: fault.message,
    };
    const sighting = { channelId, name, version, ...seen, isStreamEnd, oks: fault ? 0 : 1, fault: told };
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
