/**
 * How the attempts at a channel ended in the last ten minutes, whatever their operation and the channel's version. Pure.
 */
import { type AttemptEvent, isFault } from "./events";
import { blameOf } from "./faults";

/** Long enough to tell an outage from a short disturbance, and short enough that a past outage no longer counts. */
export const SPAN_MS = 10 * 60_000;
/** Successes are counted in slots of this length. */
const SLOT_MS = 10_000;
/** Faults that are kept. If there were more, the span begins at the oldest of them. */
const MAX_FAULTS = 1_000;
/** After this long without an attempt a channel counts as untried. */
export const UNTRIED_MS = 60 * 60_000;

/** `sure`: the channel's or its credential's own. `doubtful`: the request may have caused it. */
type RecentFault = {
  accountId: string;
  at: number;
  beganAt: number;
  status: number | null;
  kind: "sure" | "doubtful" | "unanswered";
};

/** A negative count stands for streams that broke off after their success was counted in an earlier slot. */
type Slot = { from: number; oks: number };

/** `account`: of the newest attempt, with its time. `otherAccountAt`: the newest attempt of any other account. */
export type Outcomes = {
  slot: Slot;
  earlier: readonly Slot[];
  faults: readonly RecentFault[];
  lastOkBeganAt: number;
  account: string | null;
  at: number;
  otherAccountAt: number;
};

export const NO_OUTCOMES: Outcomes = {
  slot: { from: Number.NEGATIVE_INFINITY, oks: 0 },
  earlier: [],
  faults: [],
  lastOkBeganAt: Number.NEGATIVE_INFINITY,
  account: null,
  at: Number.NEGATIVE_INFINITY,
  otherAccountAt: Number.NEGATIVE_INFINITY,
};

/** null: the attempt says nothing against its channel. */
function kindOf({ outcome }: AttemptEvent): RecentFault["kind"] | null {
  if (!isFault(outcome)) {
    return outcome === "unanswered" ? outcome : null;
  }
  const blame = blameOf(outcome);
  if (blame === "none") {
    return null;
  }
  return blame === "channel" || blame === "credential" ? "sure" : "doubtful";
}

function withOks({ slot, earlier }: Outcomes, at: number, oks: number): Pick<Outcomes, "slot" | "earlier"> {
  if (at < slot.from + SLOT_MS) {
    return { slot: { from: slot.from, oks: slot.oks + oks }, earlier };
  }
  const kept = earlier.filter(({ from }) => from + SLOT_MS > at - SPAN_MS);
  return { slot: { from: at, oks }, earlier: slot.oks === 0 ? kept : [...kept, slot] };
}

function withFault({ faults }: Outcomes, fault: RecentFault): readonly RecentFault[] {
  const kept = faults.filter(
    ({ at }, place) => at >= fault.at - SPAN_MS && faults.length - place < MAX_FAULTS,
  );
  return [...kept, fault];
}

/** The outcomes after an attempt. */
export function addOutcome(outcomes: Outcomes, event: AttemptEvent): Outcomes {
  const { accountId, outcome, at, elapsedMs, count } = event;
  const isOther = accountId !== outcomes.account;
  const seen = {
    ...outcomes,
    account: accountId,
    at: Math.max(at, outcomes.at),
    otherAccountAt: isOther ? outcomes.at : outcomes.otherAccountAt,
  };
  const beganAt = at - elapsedMs;
  if (outcome === "ok") {
    return event.kind === "streamEnd"
      ? seen
      : {
          ...seen,
          ...withOks(outcomes, at, count),
          lastOkBeganAt: Math.max(outcomes.lastOkBeganAt, beganAt),
        };
  }
  // The stream counted as a success when it began.
  const counted = event.kind === "streamEnd" ? { ...seen, ...withOks(outcomes, at, -1) } : seen;
  const kind = kindOf(event);
  const status = isFault(outcome) ? outcome.status : null;
  return kind === null
    ? counted
    : { ...counted, faults: withFault(outcomes, { accountId, at, beganAt, status, kind }) };
}

/**
 * The attempts that count for or against the channel, of which `failed` failed, for so many accounts. `since`: the
 * start of the first fault after the last success, or of the first fault at all; null: no fault. `status`: of the last
 * fault's answer; null: no answer. `countedFrom`: the time of the oldest attempt that was counted; without
 * one, the beginning of the span. `isUntried`: no attempt for an hour.
 */
export type Recent = {
  attempts: number;
  failed: number;
  accounts: number;
  since: number | null;
  status: number | null;
  countedFrom: number;
  isUntried: boolean;
};

const accountsOf = (faults: readonly RecentFault[]) => new Set(faults.map(({ accountId }) => accountId)).size;

/**
 * Counts faults as breakers do (`blameOf`): a fault that the request may have caused counts only if more than one
 * account met it, or if the channel has only one account. A client that waited in vain counts only while the channel
 * answers no client: long answers are late.
 */
export function recentOf(outcomes: Outcomes, now: number): Recent {
  const { slot, earlier, lastOkBeganAt, at, otherAccountAt } = outcomes;
  const from =
    outcomes.faults.length < MAX_FAULTS
      ? now - SPAN_MS
      : Math.max(now - SPAN_MS, outcomes.faults[0]?.at ?? now);
  const slots = [...earlier, slot].filter((each) => each.from + SLOT_MS > from);
  const oks = Math.max(
    0,
    slots.reduce((sum, each) => sum + each.oks, 0),
  );
  const recent = outcomes.faults.filter((fault) => fault.at >= from);
  const faults = oks > 0 ? recent.filter(({ kind }) => kind !== "unanswered") : recent;
  const isShared = accountsOf(faults) > 1 || otherAccountAt < from;
  const counted = isShared ? faults : faults.filter(({ kind }) => kind === "sure");
  const first = counted.find(({ beganAt }) => beganAt > lastOkBeganAt) ?? counted[0];
  const oldest = Math.min(slots.find((each) => each.oks !== 0)?.from ?? now, counted[0]?.at ?? now);
  return {
    attempts: counted.length + oks,
    failed: counted.length,
    accounts: accountsOf(counted),
    since: first?.beganAt ?? null,
    status: counted.at(-1)?.status ?? null,
    countedFrom: counted.length + oks > 0 ? Math.max(from, oldest) : from,
    isUntried: at < now - UNTRIED_MS,
  };
}
