/** When a channel is failing: the verdict on its health, and the steps of its alarm. Pure. */
import { type Recent, recentOf, SPAN_MS } from "./outcomes";
import type { HealthState } from "./reduce";

/**
 * `openForMs`: how long a breaker of the present version has not closed, if a fault of the span kept it open and calls
 * are not answered during its probe.
 */
export type Verdict = Omit<Recent, "since" | "countedFrom"> & {
  since: Date | null;
  countedFrom: Date;
  openForMs: number | null;
};

type Present = { now: number; toEpoch: (ms: number) => number };

/** The verdict on a channel whose row has this version. `toEpoch`: converts times of the state. */
export function judge(
  { operations, outcomes }: HealthState,
  version: string,
  { now, toEpoch }: Present,
): Verdict {
  const openForMs = [...operations.values()].flatMap(({ version: own, breaker, tally }) => {
    const lastFaultAt = tally.lastFault?.at ?? Number.NEGATIVE_INFINITY;
    // A probe may last for minutes. Calls that have no other channel are answered meanwhile.
    const isAnswering = breaker.isProbed && tally.lastOkAt !== null && tally.lastOkAt > lastFaultAt;
    const counts = own === version && lastFaultAt >= now - SPAN_MS && !isAnswering;
    return counts && breaker.openSince !== null ? [now - breaker.openSince] : [];
  });
  const { since, countedFrom, ...recent } = recentOf(outcomes, now);
  return {
    ...recent,
    since: since === null ? null : new Date(toEpoch(since)),
    countedFrom: new Date(toEpoch(countedFrom)),
    openForMs: openForMs.length > 0 ? Math.max(...openForMs) : null,
  };
}

/** The alarm of a failing channel; `wellSince`: since when it has looked well again, null: it does not. */
export type Alarm = { since: Date; wellSince: Date | null };

/** Fewer faults may be chance. */
const FEWEST_FAULTS = 5;
/** A breaker that closes sooner was opened by a short disturbance. */
const OPEN_FOR_MS = 60_000;
/** A channel that alternates between failing and working is not announced each time. */
const WELL_FOR_MS = 2 * 60_000;

type AlarmStep = "opened" | "recovering" | "relapsed" | "closed" | "expired";

/**
 * The next step of a channel's alarm. It is `opened` when half of the attempts failed, or when a breaker has not closed
 * for a minute. It is `recovering` while at most a tenth failed and every breaker is closed, and after some minutes
 * `closed`, unless it `relapsed` meanwhile. The alarm of a channel without attempts is `expired`. null: no change.
 */
export function nextStep(
  {
    attempts,
    failed,
    isUntried,
    openForMs,
  }: Pick<Verdict, "attempts" | "failed" | "isUntried" | "openForMs">,
  alarm: Alarm | null,
  now: Date,
): AlarmStep | null {
  if (alarm === null) {
    const isFailing = failed >= FEWEST_FAULTS && failed * 2 >= attempts;
    return isFailing || (openForMs !== null && openForMs >= OPEN_FOR_MS) ? "opened" : null;
  }
  if (isUntried) {
    return "expired";
  }
  if (attempts === 0) {
    return null;
  }
  const { wellSince } = alarm;
  if (failed * 10 > attempts || openForMs !== null) {
    return wellSince === null ? null : "relapsed";
  }
  if (wellSince === null) {
    return "recovering";
  }
  return now.getTime() - wellSince.getTime() >= WELL_FOR_MS ? "closed" : null;
}
