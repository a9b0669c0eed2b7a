import { LRUCache } from "lru-cache";
import { systemTimers, type Timers } from "@/server/base/clock";
import type { ChannelId } from "@/server/base/ids";
import type { Log } from "@/server/base/log";
import type { Operation } from "@/server/upstream";
import { createHealth, type Health, type HealthView, type Turn } from "./health";
import {
  createTeller,
  faultOf,
  type Seen,
  type Sighting,
  type Sightings,
  type StreamEnd,
  type Subject,
} from "./sightings";

/** One operation of a channel, as it has been seen since the channel was changed last. */
export type ChannelHealth = HealthView & { channelId: ChannelId; operation: Operation };

/** More than there are channels and operations: what falls out belongs to channels that were changed or removed. */
const MAX_ENTRIES = 5_000;

export type HealthRegistry = {
  /** Each operation its own: an upstream that cannot count tokens, or embed, may well converse. */
  of: (channel: Subject, operation: Operation) => Health;
  /** How an attempt of this process ended, which has been run. The others hear of it. */
  note: (channel: Subject, seen: Seen) => void;
  /** How a stream of this process ended that had been noted to have begun well. The others hear of it. */
  noteStreamEnd: (channel: Subject, seen: StreamEnd) => void;
  /** What others have seen, or this process before it was started anew, in order. */
  hear: (sightings: Sighting[]) => Promise<void>;
  view: () => (ChannelHealth & Subject)[];
};

/** What is older says nothing of now. As long as the longest rest. */
const FRESH_MS = 60_000;

/** An attempt of another process, as if it had been made here and ended at once. */
async function repeatHere(health: Health, sighting: Sighting): Promise<void> {
  const { accountId, isCounted, oks, isStreamEnd, at } = sighting;
  const fault = faultOf(sighting);
  if (at < Date.now() - FRESH_MS) {
    health.recall({ oks, isStreamEnd, fault, at });
    return;
  }
  if (isStreamEnd) {
    await health.noteStreamEnd(sighting, fault, at);
    return;
  }
  // A probe of our own says more, and what is run would wait for it.
  const hasRun = isCounted && !health.isProbing(accountId);
  if (hasRun) {
    const again = () => (fault ? Promise.reject(fault) : Promise.resolve());
    // It ends as it was told; a breaker that is open hears of nothing.
    await health.run(accountId, again).catch(() => {});
  }
  if (fault) {
    health.noteFault(sighting, fault, at);
  } else {
    health.noteOk(sighting, { hasRun, times: oks, at });
  }
}

/**
 * Says once that a channel is left alone and once that it is taken again: while it is down, each probe opens it anew.
 * `isHeard`: by another process, which has said so.
 */
function createTurnLog(log: Log | undefined, isHeard: () => boolean) {
  return ({ channelId, name }: Subject, operation: Operation) => {
    const channel = { channelId, channel: name, operation };
    let isLeftAlone = false;
    return (turn: Turn): void => {
      const isNews = turn.kind === "resting" || (turn.kind === "open") !== isLeftAlone;
      isLeftAlone = turn.kind === "resting" ? isLeftAlone : turn.kind === "open";
      if (!isNews || isHeard()) {
        return;
      }
      if (turn.kind === "closed") {
        log?.info(channel, "a channel takes calls again");
        return;
      }
      const { fault, credential } = turn;
      const why = { ...channel, reason: fault?.reason, status: fault?.status };
      if (turn.kind === "open") {
        log?.warn(why, "a channel is left alone");
      } else {
        log?.warn({ ...why, credential }, "a credential rests");
      }
    };
  };
}

/** A changed channel starts anew: what its old address and credentials did says nothing about the new ones. */
export function createHealthRegistry(
  sightings?: Sightings,
  log?: Log,
  timers: Timers = systemTimers,
): HealthRegistry {
  let heardNow = 0;
  const turnsOf = createTurnLog(log, () => heardNow > 0);
  const entries = new LRUCache<string, Subject & { operation: Operation; health: Health }>({
    max: MAX_ENTRIES,
  });
  const of: HealthRegistry["of"] = ({ channelId, name, version }, operation) => {
    const key = `${channelId} ${version} ${operation}`;
    const known = entries.get(key);
    if (known) {
      return known.health;
    }
    const subject = { channelId, name, version };
    const health = createHealth(turnsOf(subject, operation), timers);
    entries.set(key, { ...subject, operation, health });
    return health;
  };
  const tell = sightings && createTeller(sightings.tell);
  const hear = async (heard: Sighting[]) => {
    for (const sighting of heard) {
      heardNow++;
      await repeatHere(of(sighting, sighting.operation), sighting);
      heardNow--;
    }
  };
  sightings?.listen(hear);
  return {
    of,
    hear,
    note: (channel, seen) => {
      const health = of(channel, seen.operation);
      if (seen.fault) {
        health.noteFault(seen, seen.fault);
      } else {
        health.noteOk(seen, { hasRun: seen.isCounted });
      }
      tell?.(channel, seen, false);
    },
    noteStreamEnd: (channel, seen) => {
      void of(channel, seen.operation).noteStreamEnd(seen, seen.fault);
      tell?.(channel, { ...seen, isCounted: false }, true);
    },
    view: () => [...entries.values()].map(({ health, ...subject }) => ({ ...subject, ...health.view() })),
  };
}
