import { LRUCache } from "lru-cache";
import { systemTimers, type Timers } from "@/server/base/clock";
import type { ChannelId } from "@/server/base/ids";
import type { Log } from "@/server/base/log";
import type { Operation } from "@/server/upstream";
import { createHealth, type Health, type HealthView, type Transition } from "./health";
import {
  type AttemptReport,
  type ChannelVersion,
  createPublisher,
  faultOf,
  type HealthEvent,
  type HealthEvents,
  type StreamEnd,
} from "./health-events";

/** The health of one operation of a channel since the channel's last change. */
export type ChannelHealth = HealthView & { channelId: ChannelId; operation: Operation };

/** More than there are channels and operations: evicted entries belong to channels that were changed or removed. */
const MAX_ENTRIES = 5_000;

export type HealthRegistry = {
  /** Health of one operation: an upstream that cannot count tokens, or embed, may still serve conversations. */
  healthOf: (channel: ChannelVersion, operation: Operation) => Health;
  /**
   * Records how an attempt of this process ended that has gone through `run`, and publishes it to the other processes.
   */
  note: (channel: ChannelVersion, report: AttemptReport) => void;
  /**
   * Records how a stream of this process ended whose start was recorded as a success, and publishes it to the other
   * processes.
   */
  noteStreamEnd: (channel: ChannelVersion, end: StreamEnd) => void;
  /** Applies events of other processes, or of this one before its restart, in order. */
  hear: (sightings: HealthEvent[]) => Promise<void>;
  view: () => (ChannelHealth & ChannelVersion)[];
};

/** Older events do not affect the present state. As long as the longest rest. */
const FRESH_MS = 60_000;

/** Applies an attempt of another process as if it had begun and ended here at once. */
async function repeatHere(health: Health, sighting: HealthEvent): Promise<void> {
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
  // Our own probe says more, and `run` would wait for it.
  const hasRun = isCounted && !health.isProbing(accountId);
  if (hasRun) {
    const again = () => (fault ? Promise.reject(fault) : Promise.resolve());
    // The attempt ends as it was reported; an open breaker ignores it.
    await health.run(accountId, again).catch(() => {});
  }
  if (fault) {
    health.noteFault(sighting, fault, at);
  } else {
    health.noteOk(sighting, { hasRun, times: oks, at });
  }
}

/**
 * Logs once that a channel is skipped and once that it takes calls again: while it is down, each failed probe opens its
 * breaker again. `isHeard`: the event comes from another process, which has logged it.
 */
function createTurnLog(log: Log | undefined, isHeard: () => boolean) {
  return ({ channelId, name }: ChannelVersion, operation: Operation) => {
    const channel = { channelId, channel: name, operation };
    let isLeftAlone = false;
    return (turn: Transition): void => {
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

/** A changed channel gets new health: its old address and credentials say nothing about the new ones. */
export function createHealthRegistry(
  sightings?: HealthEvents,
  log?: Log,
  timers: Timers = systemTimers,
): HealthRegistry {
  let heardNow = 0;
  const turnsOf = createTurnLog(log, () => heardNow > 0);
  const entries = new LRUCache<string, ChannelVersion & { operation: Operation; health: Health }>({
    max: MAX_ENTRIES,
  });
  const healthOf: HealthRegistry["healthOf"] = ({ channelId, name, version }, operation) => {
    const key = `${channelId} ${version} ${operation}`;
    const entry = entries.get(key);
    if (entry) {
      return entry.health;
    }
    const subject = { channelId, name, version };
    const health = createHealth(turnsOf(subject, operation), timers);
    entries.set(key, { ...subject, operation, health });
    return health;
  };
  const tell = sightings && createPublisher(sightings.publish);
  const hear = async (heard: HealthEvent[]) => {
    for (const sighting of heard) {
      heardNow++;
      await repeatHere(healthOf(sighting, sighting.operation), sighting);
      heardNow--;
    }
  };
  sightings?.listen(hear);
  return {
    healthOf,
    hear,
    note: (channel, report) => {
      const health = healthOf(channel, report.operation);
      if (report.fault) {
        health.noteFault(report, report.fault);
      } else {
        health.noteOk(report, { hasRun: report.isCounted });
      }
      tell?.(channel, report, false);
    },
    noteStreamEnd: (channel, end) => {
      void healthOf(channel, end.operation).noteStreamEnd(end, end.fault);
      tell?.(channel, { ...end, isCounted: false }, true);
    },
    view: () => [...entries.values()].map(({ health, ...subject }) => ({ ...subject, ...health.view() })),
  };
}
