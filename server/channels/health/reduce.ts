/** The health of a channel as a fold over its events, and the projections that dispatch and people read. Pure. */
import type { Operation } from "@/server/upstream";
import { type BreakerState, breakerState, opensInMs } from "./breaker";
import { isResting, restingAccounts, restingCredentials } from "./credential-cooldowns";
import type { AttemptKey, FaultFields, HealthEvent, Probed } from "./events";
import {
  accountBreaker,
  type HealthTransition,
  type OperationHealth,
  reduceOperation,
  unusedOperation,
} from "./operation-health";
import { addOutcome, NO_OUTCOMES, type Outcomes } from "./outcomes";

/**
 * A channel's health, as this process has seen it. Each operation of each version of the channel's row has its own
 * health: an upstream that cannot count tokens may still serve conversations, and the old address and credentials say
 * nothing about the new ones.
 */
export type HealthState = { operations: ReadonlyMap<string, OperationHealth>; outcomes: Outcomes };

export const UNUSED: HealthState = { operations: new Map(), outcomes: NO_OUTCOMES };

type OperationKey = { version: string; operation: Operation };

const keyOf = ({ version, operation }: OperationKey) => `${version} ${operation}`;

/**
 * Attempts that are under way when a channel is changed belong to a version before. With fewer versions, their ends
 * would evict the present one, with its open breakers.
 */
const MAX_VERSIONS = 8;

function withoutOldVersions(operations: ReadonlyMap<string, OperationHealth>, version: string) {
  const versions = new Set([version, ...[...operations.values()].map((entry) => entry.version).reverse()]);
  const kept = new Set([...versions].slice(0, MAX_VERSIONS));
  return new Map([...operations].filter(([, entry]) => kept.has(entry.version)));
}

export const operationOf = ({ operations }: HealthState, key: OperationKey): OperationHealth =>
  operations.get(keyOf(key)) ?? unusedOperation(key.version, key.operation);

/** The state after an event, and the changes that apply to all accounts. `now` never goes back. */
export function reduce(
  state: HealthState,
  event: HealthEvent,
  now: number,
): { state: HealthState; transitions: readonly HealthTransition[] } {
  const key = keyOf(event);
  const before = state.operations.get(key);
  const known = before ? state.operations : withoutOldVersions(state.operations, event.version);
  const { operation, transitions } = reduceOperation(
    before ?? unusedOperation(event.version, event.operation),
    event,
    now,
  );
  return {
    state: {
      operations: new Map(known).set(key, operation),
      outcomes: event.kind === "probe" ? state.outcomes : addOutcome(state.outcomes, event),
    },
    transitions,
  };
}

/** `probe`: the next call tests the channel, and reports which breakers it probed. `probing`: another call does. */
type Admission = { kind: "closed" | "open" | "probing" } | { kind: "probe"; probed: Probed };

const FREELY: Admission = { kind: "closed" };

/** Whether a call of this account may be sent now. */
export function admissionOf(operation: OperationHealth, accountId: string, now: number): Admission {
  const own = accountBreaker(operation, accountId);
  const states = { channel: breakerState(operation.breaker, now), account: breakerState(own, now) };
  if (states.channel === "closed" && states.account === "closed") {
    return FREELY;
  }
  if (operation.breaker.isProbed || own.isProbed) {
    return { kind: "probing" };
  }
  return states.channel === "open" || states.account === "open"
    ? { kind: "open" }
    : {
        kind: "probe",
        probed: { channel: states.channel === "half_open", account: states.account === "half_open" },
      };
}

/** How long this account's calls skip the channel: until both breakers let a probe through. null: they do not. */
export function opensIn(operation: OperationHealth, accountId: string, now: number): number | null {
  const channel = opensInMs(operation.breaker, now);
  const account = opensInMs(accountBreaker(operation, accountId), now);
  return channel === null || account === null ? (channel ?? account) : Math.max(channel, account);
}

export const credentialRests = ({ cooldowns }: OperationHealth, key: AttemptKey, now: number): boolean =>
  isResting(cooldowns, key, now);

/** The health of one operation as users see it. */
export type HealthView = {
  state: BreakerState;
  /** Credentials that rest for all accounts, by their index in the channel; `untilMs` since the epoch. */
  restingCredentials: { index: number; untilMs: number }[];
  /** Accounts for which alone the channel is skipped or a credential rests. */
  accountsApart: number;
  /** `message`: the upstream's text, without the credential. */
  lastFault: (Pick<FaultFields, "reason" | "status" | "message"> & { at: Date }) | null;
  lastOkAt: Date | null;
  /**
   * Attempts that say something about the channel. Calls that their client ended, or that were the client's fault, do
   * not count.
   */
  attempts: number;
  oks: number;
};

/** `toEpoch`: converts a time of the state to milliseconds since the epoch. */
export function viewOf(
  { breaker, accounts, cooldowns, tally }: OperationHealth,
  now: number,
  toEpoch: (ms: number) => number,
): HealthView {
  const { lastFault, lastOkAt, oks, faults } = tally;
  return {
    state: breakerState(breaker, now),
    accountsApart: new Set([
      ...[...accounts].flatMap(([accountId, own]) => (breakerState(own, now) === "open" ? [accountId] : [])),
      ...restingAccounts(cooldowns, now),
    ]).size,
    restingCredentials: restingCredentials(cooldowns, now).map(({ index, until }) => ({
      index,
      untilMs: toEpoch(until),
    })),
    lastFault: lastFault && {
      reason: lastFault.reason,
      status: lastFault.status,
      message: lastFault.message,
      at: new Date(toEpoch(lastFault.at)),
    },
    lastOkAt: lastOkAt === null ? null : new Date(toEpoch(lastOkAt)),
    attempts: oks + faults,
    oks,
  };
}
