import { LRUCache } from "lru-cache";
import type { Timers } from "@/server/base/clock";

/** Rests for single accounts that are kept. Evicting one ends it. */
const MAX_ACCOUNT_RESTS = 2_000;
/** If this many accounts met the same fault, not all of them caused it. */
const ACCOUNTS_TO_REST = 5;

/**
 * Credentials that are not used for a while: for all accounts, or only for the account whose requests may be the cause.
 */
type Rests = {
  forAll: (credential: number, restMs: number) => void;
  /**
   * Rests the credential for this account, or for all accounts once several have met the fault without a successful
   * call of the credential in between.
   */
  forAccount: (credential: number, accountId: string, restMs: number) => void;
  noteOk: (credential: number) => void;
  isResting: (credential: number, accountId: string) => boolean;
  /** Accounts for which a credential rests that does not rest for all. */
  accounts: () => string[];
  /** Credentials that rest for all accounts; `untilMs` since the epoch. */
  view: () => { index: number; untilMs: number }[];
};

export function createCredentialCooldowns(timers: Pick<Timers, "now">): Rests {
  const untilForAll = new Map<number, number>();
  const untilForAccount = new LRUCache<string, { accountId: string; until: number }>({
    max: MAX_ACCOUNT_RESTS,
  });
  const sufferers = new Map<number, Set<string>>();
  const keyOf = (credential: number, accountId: string) => `${credential} ${accountId}`;
  const forAll = (credential: number, restMs: number) => {
    untilForAll.set(credential, timers.now() + restMs);
    // After the rest, faults of the same accounts count again.
    sufferers.delete(credential);
  };
  return {
    forAll,
    forAccount: (credential, accountId, restMs) => {
      untilForAccount.set(keyOf(credential, accountId), { accountId, until: timers.now() + restMs });
      const met = sufferers.get(credential) ?? new Set<string>();
      sufferers.set(credential, met.add(accountId));
      if (met.size >= ACCOUNTS_TO_REST) {
        forAll(credential, restMs);
      }
    },
    noteOk: (credential) => void sufferers.delete(credential),
    isResting: (credential, accountId) => {
      const now = timers.now();
      const ofAccount = untilForAccount.get(keyOf(credential, accountId))?.until ?? 0;
      return Math.max(untilForAll.get(credential) ?? 0, ofAccount) > now;
    },
    accounts: () => {
      const now = timers.now();
      return [...untilForAccount.values()].flatMap(({ accountId, until }) =>
        until > now ? [accountId] : [],
      );
    },
    view: () => {
      const now = timers.now();
      return [...untilForAll]
        .filter(([, until]) => until > now)
        .map(([index, until]) => ({ index, untilMs: Math.round(Date.now() + until - now) }));
    },
  };
}
