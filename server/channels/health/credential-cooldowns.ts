/** Credentials that get no calls for a while, from all accounts or from the one whose requests may be the cause. Pure. */
import { withEntry, withoutEntry } from "./bounded-map";
import type { AttemptKey, FaultFields } from "./events";
import { blameOf } from "./faults";

const CREDENTIAL_REST_MS = 60_000;
const RATE_LIMIT_REST_MS = 5_000;
/** Rests for single accounts that are kept. Evicting one ends it. */
const MAX_ACCOUNT_RESTS = 2_000;
/** If this many accounts met the same fault, not all of them caused it. */
const ACCOUNTS_TO_REST = 5;
/** More credentials than a channel has. */
const MAX_CREDENTIALS = 1_000;

/**
 * Ends of rests, in milliseconds. `affected`: the accounts that met a doubtful fault of a credential since its last
 * success.
 */
export type Cooldowns = {
  forAll: ReadonlyMap<number, number>;
  forAccounts: ReadonlyMap<string, { accountId: string; until: number }>;
  affected: ReadonlyMap<number, ReadonlySet<string>>;
};

export const NO_COOLDOWNS: Cooldowns = { forAll: new Map(), forAccounts: new Map(), affected: new Map() };

const keyOf = ({ credential, accountId }: AttemptKey) => `${credential} ${accountId}`;

const restForAll = (cooldowns: Cooldowns, credential: number, until: number): Cooldowns => ({
  ...cooldowns,
  forAll: withEntry(cooldowns.forAll, [credential, until], MAX_CREDENTIALS),
  // After the rest, faults of the same accounts count again.
  affected: withoutEntry(cooldowns.affected, credential),
});

/** Lets a credential rest if the fault is its own. If the fault only may be its own, it rests for this account. */
export function restAfter(
  cooldowns: Cooldowns,
  { fault, ...key }: AttemptKey & { fault: FaultFields },
  now: number,
): Cooldowns {
  const { credential, accountId } = key;
  const blame = blameOf(fault);
  if (blame !== "credential" && blame !== "doubtfulCredential") {
    return cooldowns;
  }
  const until =
    now + (fault.status === 429 ? (fault.retryAfterMs ?? RATE_LIMIT_REST_MS) : CREDENTIAL_REST_MS);
  if (blame === "credential") {
    return restForAll(cooldowns, credential, until);
  }
  const affected = new Set(cooldowns.affected.get(credential)).add(accountId);
  const rested = {
    ...cooldowns,
    forAccounts: withEntry(cooldowns.forAccounts, [keyOf(key), { accountId, until }], MAX_ACCOUNT_RESTS),
    affected: withEntry(cooldowns.affected, [credential, affected], MAX_CREDENTIALS),
  };
  return affected.size >= ACCOUNTS_TO_REST ? restForAll(rested, credential, until) : rested;
}

/** A success shows that earlier doubtful faults were not the credential's. */
export function noteSuccess(cooldowns: Cooldowns, credential: number): Cooldowns {
  const affected = withoutEntry(cooldowns.affected, credential);
  return affected === cooldowns.affected ? cooldowns : { ...cooldowns, affected };
}

export const isResting = (cooldowns: Cooldowns, key: AttemptKey, now: number): boolean =>
  (cooldowns.forAll.get(key.credential) ?? 0) > now ||
  (cooldowns.forAccounts.size > 0 && (cooldowns.forAccounts.get(keyOf(key))?.until ?? 0) > now);

/** Credentials that rest for all accounts, by their index, with the ends of their rests. */
export const restingCredentials = ({ forAll }: Cooldowns, now: number): { index: number; until: number }[] =>
  [...forAll].flatMap(([index, until]) => (until > now ? [{ index, until }] : []));

/** Accounts for which alone a credential rests. */
export const restingAccounts = ({ forAccounts }: Cooldowns, now: number): string[] =>
  [...forAccounts.values()].flatMap(({ accountId, until }) => (until > now ? [accountId] : []));
