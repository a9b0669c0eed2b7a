/**
 * The health of one operation of a channel: its breakers, resting credentials, broken streams and tally, as one
 * immutable state. Pure. Faults that a request may cause open the breaker of that account alone, and the channel's once
 * five accounts have met them.
 */
import type { Operation } from "@/server/upstream";
import { withEntry, withoutEntry } from "./bounded-map";
import { applyEvidence, type Breaker, CLOSED, type Evidence, open, probe } from "./breaker";
import { type Cooldowns, isResting, NO_COOLDOWNS, noteSuccess, restAfter } from "./credential-cooldowns";
import { type AttemptEvent, type FaultFields, type HealthEvent, isFault } from "./events";
import { blameOf } from "./faults";
import { brokeOff, completed, NO_BREAKS, type StreamBreaks } from "./stream-breaks";

/** Accounts whose breakers are kept. The breaker of an evicted account is closed. */
const MAX_ACCOUNTS = 500;
/** Older events do not affect the present state. As long as the longest usual rest. */
const FRESH_MS = 60_000;

/** Counts of attempts that say something about the channel, and the last of each kind. */
type Tally = {
  oks: number;
  faults: number;
  lastOkAt: number | null;
  lastFault: (FaultFields & { at: number }) | null;
};

export type OperationHealth = {
  version: string;
  operation: Operation;
  /** The breaker for all accounts. */
  breaker: Breaker;
  /** Breakers of single accounts; those that are closed and have counted no fault are left out. */
  accounts: ReadonlyMap<string, Breaker>;
  /** Accounts that met a fault of the present series. */
  affected: ReadonlySet<string>;
  /** When the latest successful attempt began. */
  latestOkBeganAt: number;
  cooldowns: Cooldowns;
  breaks: StreamBreaks;
  tally: Tally;
};

/** A change that applies to all accounts. `credential`: its index. `fault`: null if a client left the probe. */
export type HealthTransition =
  | { kind: "opened"; fault: FaultFields | null }
  | { kind: "resting"; credential: number; fault: FaultFields }
  | { kind: "closed" };

const NO_ACCOUNTS: ReadonlySet<string> = new Set();
const NO_TRANSITIONS: readonly HealthTransition[] = [];

export const unusedOperation = (version: string, operation: Operation): OperationHealth => ({
  version,
  operation,
  breaker: CLOSED,
  accounts: new Map(),
  affected: NO_ACCOUNTS,
  latestOkBeganAt: Number.NEGATIVE_INFINITY,
  cooldowns: NO_COOLDOWNS,
  breaks: NO_BREAKS,
  tally: { oks: 0, faults: 0, lastOkAt: null, lastFault: null },
});

export const accountBreaker = ({ accounts }: OperationHealth, accountId: string): Breaker =>
  (accounts.size > 0 && accounts.get(accountId)) || CLOSED;

/** Whether a later attempt has already succeeded, so that a fault of this one describes the past. */
export const isOutdated = ({ latestOkBeganAt }: OperationHealth, beganAt: number): boolean =>
  beganAt < latestOkBeganAt;

function countIn(tally: Tally, { kind, outcome, count, at }: AttemptEvent): Tally {
  if (isFault(outcome)) {
    const isLatest = tally.lastFault === null || tally.lastFault.at <= at;
    return {
      ...tally,
      // The stream counted as a success when it began.
      oks: kind === "streamEnd" ? Math.max(0, tally.oks - 1) : tally.oks,
      faults: tally.faults + 1,
      lastFault: isLatest ? { ...outcome, at } : tally.lastFault,
    };
  }
  return outcome === "ok" && kind === "attempt"
    ? { ...tally, oks: tally.oks + count, lastOkAt: Math.max(tally.lastOkAt ?? at, at) }
    : tally;
}

/** `forAll`: what the attempt shows the channel's breaker. `own`: what it shows that of its account. */
function evidenceOf(
  { affected, breaker }: OperationHealth,
  { outcome, isCounted, accountId }: AttemptEvent,
): { forAll: Evidence; own: Evidence } {
  if (outcome === "ok") {
    return { forAll: "success", own: "success" };
  }
  if (!isCounted || outcome === "abandoned" || outcome === "unanswered") {
    return { forAll: "nothing", own: "nothing" };
  }
  const blame = isFault(outcome) ? blameOf(outcome) : "none";
  const isFirst = breaker.openSince !== null || !affected.has(accountId);
  return {
    forAll: blame === "channel" || (blame === "doubtful" && isFirst) ? "fault" : "answer",
    own: blame === "doubtful" ? "fault" : "answer",
  };
}

function withAccount(operation: OperationHealth, accountId: string, breaker: Breaker) {
  if (breaker === accountBreaker(operation, accountId)) {
    return operation.accounts;
  }
  return breaker === CLOSED
    ? withoutEntry(operation.accounts, accountId)
    : withEntry(operation.accounts, [accountId, breaker], MAX_ACCOUNTS);
}

function affectedAfter(
  { affected }: OperationHealth,
  breaker: Breaker,
  { accountId, isFirstFault }: { accountId: string; isFirstFault: boolean },
) {
  // The fault of a probe must count, too.
  if (!isFirstFault || breaker.openSince !== null) {
    return NO_ACCOUNTS;
  }
  return affected.has(accountId) ? affected : new Set(affected).add(accountId);
}

function restAfterFault({ cooldowns }: OperationHealth, event: AttemptEvent, now: number): Cooldowns {
  const { credential, accountId, outcome: fault } = event;
  return isFault(fault) ? restAfter(cooldowns, { credential, accountId, fault }, now) : cooldowns;
}

function afterAttempt(operation: OperationHealth, event: AttemptEvent, now: number): OperationHealth {
  const { accountId, credential, outcome, isCounted, probed } = event;
  const beganAt = Math.min(now, event.at - event.elapsedMs);
  const evidence = evidenceOf(operation, event);
  const test = { now, beganAt, isCounted };
  const breaker = applyEvidence(operation.breaker, evidence.forAll, { ...test, isProbe: probed.channel });
  const own = applyEvidence(accountBreaker(operation, accountId), evidence.own, {
    ...test,
    isProbe: probed.account,
  });
  const isOk = outcome === "ok";
  const isFirstFault = evidence.forAll === "fault";
  const isOfSeries = !isOk && !isFirstFault && breaker === operation.breaker;
  return {
    ...operation,
    breaker,
    accounts: withAccount(operation, accountId, own),
    affected: isOfSeries
      ? operation.affected
      : affectedAfter(operation, breaker, { accountId, isFirstFault }),
    latestOkBeganAt:
      isOk && isCounted ? Math.max(operation.latestOkBeganAt, beganAt) : operation.latestOkBeganAt,
    cooldowns: isOk ? noteSuccess(operation.cooldowns, credential) : restAfterFault(operation, event, now),
  };
}

function afterStream(operation: OperationHealth, event: AttemptEvent, now: number): OperationHealth {
  const { accountId, outcome } = event;
  if (!isFault(outcome)) {
    return { ...operation, breaks: completed(operation.breaks, accountId) };
  }
  const { breaks, opens } = brokeOff(operation.breaks, accountId, outcome);
  const own = accountBreaker(operation, accountId);
  const opensChannel = opens.forAll && operation.breaker.openSince === null;
  return {
    ...operation,
    breaks,
    breaker: opensChannel ? open(operation.breaker, now) : operation.breaker,
    affected: opensChannel ? NO_ACCOUNTS : operation.affected,
    accounts:
      opens.forAccount && own.openSince === null
        ? withAccount(operation, accountId, open(own, now))
        : operation.accounts,
    cooldowns: restAfterFault(operation, event, now),
  };
}

function transitionsOf(
  { before, after }: { before: OperationHealth; after: OperationHealth },
  event: AttemptEvent,
  now: number,
): readonly HealthTransition[] {
  const { outcome, credential } = event;
  const fault = isFault(outcome) ? outcome : null;
  const [was, is] = [before.breaker.openSince !== null, after.breaker.openSince !== null];
  const turn: readonly HealthTransition[] =
    was === is ? NO_TRANSITIONS : [is ? { kind: "opened", fault } : { kind: "closed" }];
  return fault && blameOf(fault) === "credential" && !isResting(before.cooldowns, event, now)
    ? [...turn, { kind: "resting", credential, fault }]
    : turn;
}

/** The operation's health after an event, and the changes that apply to all accounts. */
export function reduceOperation(
  operation: OperationHealth,
  event: HealthEvent,
  now: number,
): { operation: OperationHealth; transitions: readonly HealthTransition[] } {
  if (event.kind === "probe") {
    const { accountId, probed } = event;
    const own = accountBreaker(operation, accountId);
    const breaker = probed.channel ? probe(operation.breaker) : operation.breaker;
    const accounts = probed.account ? withAccount(operation, accountId, probe(own)) : operation.accounts;
    return { operation: { ...operation, breaker, accounts }, transitions: NO_TRANSITIONS };
  }
  const counted = { ...operation, tally: countIn(operation.tally, event) };
  if (now - event.at > FRESH_MS) {
    return { operation: counted, transitions: NO_TRANSITIONS };
  }
  const after =
    event.kind === "streamEnd" ? afterStream(counted, event, now) : afterAttempt(counted, event, now);
  return { operation: after, transitions: transitionsOf({ before: operation, after }, event, now) };
}
