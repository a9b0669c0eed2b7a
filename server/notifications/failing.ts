/** Decides when a channel fails. Pure. */
import type { AlikeAttempts } from "@/server/calls";
import { blameOf, type FaultReason } from "@/server/channels";

/**
 * The verdict on a channel's recent attempts: `failed` of `attempts` failed, for so many accounts. `since`: the start
 * of the first fault after the last success, or of the first fault at all; null: no fault. `status`: of the last
 * fault's answer; null: no answer. `isUntried`: no attempt for an hour.
 */
export type Lately = {
  attempts: number;
  failed: number;
  accounts: number;
  since: Date | null;
  status: number | null;
  isUntried: boolean;
};

/** Outcomes that do not count against a channel: success, and calls that the client ended or got wrong. */
const SILENT = ["ok", "rejected", "abandoned"];
/**
 * A client that waited in vain does not count against the channel either, while others are answered: long answers are
 * late.
 */
const UNANSWERED = "unanswered";

const blameFor = ({ outcome, status }: AlikeAttempts) =>
  outcome === UNANSWERED ? "doubtful" : blameOf({ reason: outcome as FaultReason, status });

const sumOf = (attempts: AlikeAttempts[]) => attempts.reduce((sum, { recent }) => sum + recent, 0);
const accountsOf = (attempts: AlikeAttempts[]) => new Set(attempts.map(({ accountId }) => accountId)).size;

/**
 * Counts faults as breakers do (`blameOf`): a fault that the request may have caused counts only if more than one
 * account met it, or if the channel has only one account.
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
  const [last] = counted.toSorted((a, b) => b.lastAt.getTime() - a.lastAt.getTime());
  const [first] = counted.flatMap(({ since }) => since ?? []).toSorted((a, b) => a.getTime() - b.getTime());
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

/** The alarm of a failing channel; `wellSince`: since when it has looked well again, null: it does not. */
export type Alarm = { since: Date; wellSince: Date | null };

/** Fewer faults may be chance. */
const FEWEST_FAULTS = 5;
/** A channel that alternates between failing and working is not announced each time. */
const WELL_FOR_MS = 2 * 60_000;

/**
 * The next step of a channel's alarm: it `begins` when half of the attempts failed. It `calms` when at most a tenth
 * failed, and some minutes later `recovers`, unless it `flares` up meanwhile. The alarm of a channel without attempts
 * is `forgotten`. null: no change.
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
