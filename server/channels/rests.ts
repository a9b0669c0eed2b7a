import { LRUCache } from "lru-cache";
import type { Timers } from "@/server/base/clock";

/** Rests of single accounts that are kept; one that is forgotten is over. */
const MAX_ACCOUNT_RESTS = 2_000;
/** So many accounts that met the same have not all brought it about themselves. */
const ACCOUNTS_TO_REST = 5;

/** Credentials that are left alone for a while: by all, or by the one account whose requests may be the cause. */
type Rests = {
  forAll: (credential: number, restMs: number) => void;
  /**
   * Toward this account; toward all, once several accounts have met it with no good call of the credential in between.
   */
  forAccount: (credential: number, accountId: string, restMs: number) => void;
  noteOk: (credential: number) => void;
  isResting: (credential: number, accountId: string) => boolean;
  /** Accounts toward which a credential rests that does not rest toward all. */
  accounts: () => string[];
  /** Those that rest toward all; `untilMs` since the epoch. */
  view: () => { index: number; untilMs: number }[];
};

export function createRests(timers: Pick<Timers, "now">): Rests {
  const untilForAll = new Map<number, number>();
  const untilForAccount = new LRUCache<string, { accountId: string; until: number }>({
    max: MAX_ACCOUNT_RESTS,
  });
  const sufferers = new Map<number, Set<string>>();
  const keyOf = (credential: number, accountId: string) => `${credential} ${accountId}`;
  const forAll = (credential: number, restMs: number) => {
    untilForAll.set(credential, timers.now() + restMs);
    // Whoever tries it after its rest is heard, too.
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
