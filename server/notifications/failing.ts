/** When a channel fails, pure. */
import type { AlikeAttempts } from "@/server/calls";
import { blameOf, type FaultReason } from "@/server/channels";

/**
 * What a channel's recent attempts say of it: `failed` of `attempts`, for so many accounts. `since`: when the first
 * fault began that no success followed, or the first at all; null: there is none. `status`: of the last fault's answer;
 * null: none came. `isUntried`: nothing was sent to it for an hour.
 */
export type Lately = {
  attempts: number;
  failed: number;
  accounts: number;
  since: Date | null;
  status: number | null;
  isUntried: boolean;
};

/** What its client ended or got wrong says nothing of a channel. */
const SILENT = ["ok", "rejected", "abandoned"];
/** Nor does a client that has waited in vain, as long as others are answered: long answers are late. */
const UNANSWERED = "unanswered";

const blameFor = ({ outcome, status }: AlikeAttempts) =>
  outcome === UNANSWERED ? "doubtful" : blameOf({ reason: outcome as FaultReason, status });

const sumOf = (attempts: AlikeAttempts[]) => attempts.reduce((sum, { recent }) => sum + recent, 0);
const accountsOf = (attempts: AlikeAttempts[]) => new Set(attempts.map(({ accountId }) => accountId)).size;

/**
 * Faults count as breakers count them (`blameOf`): those that a request may bring about only where they met more than
 * one account, or where the channel has no more than one.
 */
export function judge(attempts: AlikeAttempts[]): Lately {
  const recent = attempts.filter((alike) => alike.recent > 0);
  const isAnswering = recent.some(({ outcome }) => outcome === "ok");
  const silent = isAnswering ? [...SILENT, UNANSWERED] : SILENT;
  const faults = recent
    .filter(({ outcome }) => !silent.includes(outcome))
    .map((alike) => ({ ...alike, blame: blameFor(alike) }))
    .filter(({ blame }) => blame !== "nobody");
  const isShared = accountsOf(faults) > 1 || accountsOf(recent) === 1;
  const counted = faults.filter(({ blame }) => isShared || blame === "channel" || blame === "credential");
  const [last] = counted.toSorted((one, other) => other.lastAt.getTime() - one.lastAt.getTime());
  const [first] = counted
    .flatMap(({ since }) => since ?? [])
    .toSorted((one, other) => one.getTime() - other.getTime());
  const failed = sumOf(counted);
  return {
    attempts: failed + sumOf(recent.filter(({ outcome }) => outcome === "ok")),
    failed,
    accounts: accountsOf(counted),
    since: first ?? null,
    status: last?.status ?? null,
    isUntried: attempts.length === 0,
  };
}

/** That a channel fails; `wellSince`: since when it has looked well again, null: it does not. */
export type Alarm = { since: Date; wellSince: Date | null };

/** Fewer faults are bad luck. */
const FEWEST_FAULTS = 5;
/** What is now well and now not is not told of each time. */
const WELL_FOR_MS = 2 * 60_000;

/**
 * What comes of an alarm, or of none: half of the attempts failed: it `begins`. A tenth at most: it `calms`, and some
 * minutes later it `recovers`, if it did not `flare` up meanwhile. One of a channel that nothing is sent to is
 * `forgotten`. null: it stays as it is.
 */
export function nextOf(
  { attempts, failed, isUntried }: Lately,
  alarm: Alarm | null,
  now: Date,
): "begins" | "calms" | "flares" | "recovers" | "forgotten" | null {
  if (alarm === null) {
    return failed >= FEWEST_FAULTS && failed * 2 >= attempts ? "begins" : null;
  }
  if (isUntried) {
    return "forgotten";
  }
  if (attempts === 0) {
    return null;
  }
  const { wellSince } = alarm;
  if (failed * 10 > attempts) {
    return wellSince === null ? null : "flares";
  }
  if (wellSince === null) {
    return "calms";
  }
  return now.getTime() - wellSince.getTime() >= WELL_FOR_MS ? "recovers" : null;
}
