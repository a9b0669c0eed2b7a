/**
 * The health of all channels, as this process has seen it: feeds the reducer with attempts of this process and of
 * others.
 */

import { systemTimers, type Timers } from "@/server/base/clock";
import type { Log } from "@/server/base/log";
import { createRecent } from "@/server/base/recent";
import type { ChannelId } from "@/server/domain/ids";
import { type Operation, UpstreamFault } from "@/server/upstream";
import { judge, type Verdict } from "./alarm";
import {
  type AttemptEvent,
  type AttemptKey,
  abandonedAfter,
  type ChannelVersion,
  createPublisher,
  faultFields,
  type HealthEvent,
  type HealthEvents,
  isFault,
  NO_PROBE,
} from "./events";
import { type HealthTransition, isOutdated } from "./operation-health";
import {
  admissionOf,
  credentialRests,
  type HealthState,
  type HealthView,
  opensIn,
  operationOf,
  reduce,
  UNUSED,
  viewOf,
} from "./reduce";

/** The health of one operation of a channel since the channel's last change. */
export type ChannelHealth = HealthView & { channelId: ChannelId; operation: Operation };

/** More than there are channels: evicted entries belong to channels that were removed. */
const MAX_CHANNELS = 5_000;

/** The two clocks differ by more than this only after the system's clock was set. */
const CLOCK_SET_MS = 1_000;

/**
 * `first`: healthy routes. `lastResort`: also resting ones, if no route was fit. `repeat`: routes that failed a moment
 * ago.
 */
export type RoundKind = "first" | "lastResort" | "repeat";

type TrialEnd = UpstreamFault | "ok" | "rejected" | "abandoned";

/** The attempt that may begin now. The caller reports its end once, and before that the good beginning of a stream. */
export type Trial = {
  streamBegan: () => void;
  ended: (end: TrialEnd, attempt: { headMs: number | null }) => void;
};

export type HealthRegistry = {
  /** `skipped`: the channel gets no calls of this account in this round. `resting`: only this credential gets none. */
  begin: (
    channel: ChannelVersion,
    target: AttemptKey & { operation: Operation },
    round: RoundKind,
  ) => Trial | "skipped" | "resting";
  /** How long this account's calls skip the channel, in milliseconds. null: they do not. */
  opensInMs: (channel: ChannelVersion, operation: Operation, accountId: string) => number | null;
  /** Applies events of other processes, or of this one before its restart, in order. */
  hear: (events: AttemptEvent[]) => void;
  view: () => (ChannelHealth & { version: string })[];
  /** The verdict on a channel. `now`: by the system's clock. */
  judge: (channel: Pick<ChannelVersion, "channelId" | "version">, now: Date) => Verdict;
};

function outcomeOf(
  end: TrialEnd,
  attempt: { elapsedMs: number; headMs: number | null },
): AttemptEvent["outcome"] {
  if (end instanceof UpstreamFault) {
    return faultFields(end);
  }
  return end === "abandoned" ? abandonedAfter(attempt) : end;
}

function logTransition(log: Log | undefined, event: HealthEvent, transition: HealthTransition): void {
  const channel = { channelId: event.channelId, channel: event.name, operation: event.operation };
  if (transition.kind === "closed") {
    log?.info(channel, "a channel takes calls again");
    return;
  }
  const cause = { ...channel, reason: transition.fault?.reason, status: transition.fault?.status };
  if (transition.kind === "opened") {
    log?.warn(cause, "a channel is left alone");
  } else {
    log?.warn({ ...cause, credential: transition.credential }, "a credential rests");
  }
}

/** Keeps the state of each channel, and gives each event the present time. */
function createStates(timers: Timers) {
  // It counts the time for which the machine was suspended, and setting the clock does not change it.
  const now = timers.stopwatch;
  const states = createRecent<ChannelId, { state: HealthState }>(MAX_CHANNELS);
  const stateOf = (channelId: ChannelId): HealthState => states.get(channelId)?.state ?? UNUSED;
  // The two clocks tick at different moments: the difference is kept, so that an event has the same time in each view.
  let difference = Date.now() - now();
  const toEpoch = (ms: number): number => {
    const present = Date.now() - now();
    difference = Math.abs(present - difference) > CLOCK_SET_MS ? present : difference;
    return Math.round(ms + difference);
  };
  return {
    now,
    stateOf,
    toEpoch,
    operationOf: ({ channelId, version }: ChannelVersion, operation: Operation) =>
      operationOf(stateOf(channelId), { version, operation }),
    apply: (event: HealthEvent, at: number): readonly HealthTransition[] => {
      const entry = states.get(event.channelId);
      const { state, transitions } = reduce(entry?.state ?? UNUSED, event, at);
      if (entry) {
        entry.state = state;
      } else {
        states.set(event.channelId, { state });
      }
      return transitions;
    },
    entries: () => [...states.entries()].map(([channelId, { state }]) => ({ channelId, state })),
  };
}

export function createHealthRegistry(
  others?: HealthEvents,
  log?: Log,
  timers: Timers = systemTimers,
): HealthRegistry {
  const states = createStates(timers);
  const { now } = states;
  const publish = others && createPublisher(others.publish);
  /** Applies an event of this process, logs its transitions and tells the other processes, which do not log them. */
  const note = (event: AttemptEvent) => {
    for (const transition of states.apply(event, event.at)) {
      logTransition(log, event, transition);
    }
    publish?.(event);
  };
  const hear = (events: AttemptEvent[]) => {
    for (const event of events) {
      // The clock of another machine may be ahead.
      const ageMs = Math.max(0, Date.now() - event.at);
      const heardAt = now();
      states.apply({ ...event, at: heardAt - ageMs }, heardAt);
    }
  };
  others?.listen(hear);

  return {
    begin: ({ channelId, name, version }, { operation, credential, accountId }, round) => {
      const channel = { channelId, name, version };
      const beganAt = now();
      const health = states.operationOf(channel, operation);
      const admission = admissionOf(health, accountId, beganAt);
      const isFirst = round === "first";
      // While one call probes the channel, other calls use other channels; only calls without another channel try it
      // too. A repeat is the same call: the breaker has counted it already.
      if (round !== "repeat" && (admission.kind === "open" || (admission.kind === "probing" && isFirst))) {
        return "skipped";
      }
      if (isFirst && credentialRests(health, { credential, accountId }, beganAt)) {
        return "resting";
      }
      const probed = round !== "repeat" && admission.kind === "probe" ? admission.probed : NO_PROBE;
      if (probed !== NO_PROBE) {
        states.apply({ kind: "probe", ...channel, operation, accountId, probed }, beganAt);
      }
      const isCounted = round !== "repeat" && admission.kind !== "probing";
      const report = (kind: AttemptEvent["kind"], outcome: AttemptEvent["outcome"], at: number) => {
        const counts =
          isCounted &&
          kind === "attempt" &&
          !(isFault(outcome) && isOutdated(states.operationOf(channel, operation), beganAt));
        const attempt = { operation, credential, accountId, outcome, count: 1, isCounted: counts, probed };
        note({ kind, ...channel, ...attempt, at, elapsedMs: at - beganAt });
      };
      let isStream = false;
      return {
        streamBegan: () => {
          isStream = true;
          report("attempt", "ok", now());
        },
        ended: (end, { headMs }) => {
          const at = now();
          const outcome = outcomeOf(end, { elapsedMs: at - beganAt, headMs });
          if (!isStream) {
            report("attempt", outcome, at);
          } else if (outcome === "ok" || isFault(outcome)) {
            report("streamEnd", outcome, at);
          }
        },
      };
    },
    opensInMs: (channel, operation, accountId) =>
      opensIn(states.operationOf(channel, operation), accountId, now()),
    hear,
    view: () =>
      states.entries().flatMap(({ channelId, state }) =>
        [...state.operations.values()].map((health) => ({
          ...{ channelId, version: health.version, operation: health.operation },
          ...viewOf(health, now(), states.toEpoch),
        })),
      ),
    judge: ({ channelId, version }, date) => {
      const at = now() + date.getTime() - Date.now();
      return judge(states.stateOf(channelId), version, { now: at, toEpoch: states.toEpoch });
    },
  };
}
