import { type Nanos, nanos } from "@/server/base/money";
import type { AccountId } from "@/server/domain/ids";
import type { HoldRequest } from "../holds/holds";

/** A process asks for its part of an account's allowance. It keeps at most `most` of what it has. */
export type PartRequest = { accountId: AccountId; most: Nanos };

/** The part that the database records for a process, and its fair share of the allowance. */
export type PartGrant = { accountId: AccountId; amount: Nanos; share: Nanos };

/** One account's part, which is never more than the database records for this process. */
type Part = {
  amount: bigint;
  share: bigint;
  /** Held by calls under way, and charged on disk but not yet in the ledger. */
  inUse: bigint;
  unsettled: bigint;
  askedAt: number;
  /** How long it is not asked for again, if it is even. */
  evenMs: number;
  /** After this time the part may be given to others. */
  usableUntil: number;
  /** When the account's last call began. */
  usedAt: number;
};

type PaidCall = { part: Part; held: bigint; charge: bigint | null };

/** Accounts with a part in a process. */
const MAX_PARTS = 10_000;

/**
 * A part whose share has changed is asked for again after this part of `renewMs`, and then at twice the distance each time:
 * an account that begins to call one process soon calls the others.
 */
const SOON = 1 / 12;

const leftOf = ({ amount, inUse, unsettled }: Part): bigint => amount - inUse - unsettled;
const isQuiet = ({ inUse, unsettled }: Part): boolean => inUse === 0n && unsettled === 0n;

/** The calls that parts pay for, until the ledger has their charges. */
function createPaidCalls(parts: ReadonlyMap<AccountId, Part>, now: () => number) {
  const calls = new Map<string, PaidCall>();
  let underWay = 0;

  function amountFor({ accountId, amount, minimum }: HoldRequest): bigint | null {
    const part = parts.get(accountId);
    if (!part || part.usableUntil <= now()) {
      return null;
    }
    const left = leftOf(part);
    if (left >= amount) {
      return amount;
    }
    return left >= minimum && left > 0n ? left : null;
  }

  /** Ends a call's hold, and returns the call. null: it is unknown, or charged already. */
  function finish(requestId: string): PaidCall | null {
    const call = calls.get(requestId);
    if (!call || call.charge !== null) {
      return null;
    }
    underWay -= 1;
    call.part.inUse -= call.held;
    return call;
  }

  return {
    /** Whether a part can pay for the call. */
    canPay: (request: HoldRequest): boolean => amountFor(request) !== null,
    /** Pays for the call, and returns the amount that it holds. null: the part is used up, or there is none. */
    take: (request: HoldRequest): Nanos | null => {
      const amount = amountFor(request);
      const part = parts.get(request.accountId);
      if (amount === null || !part) {
        return null;
      }
      part.inUse += amount;
      underWay += 1;
      calls.set(request.requestId, { part, held: amount, charge: null });
      return nanos(amount);
    },
    /** Whether a part pays for the call, until the ledger has its charge. */
    pays: (requestId: string): boolean => calls.has(requestId),
    /** The call ended without a charge. */
    released: (requestId: string): void => {
      if (finish(requestId)) {
        calls.delete(requestId);
      }
    },
    /** The call is charged, and the ledger does not have it yet. */
    charged: (requestId: string, charge: Nanos): void => {
      const call = finish(requestId);
      if (call) {
        call.charge = charge;
        call.part.unsettled += charge;
      }
    },
    /** The ledger has the charge, and the database has taken it off the part. */
    settled: (requestId: string): void => {
      const call = calls.get(requestId);
      if (call && call.charge !== null) {
        calls.delete(requestId);
        call.part.unsettled -= call.charge;
        call.part.amount = call.part.amount > call.charge ? call.part.amount - call.charge : 0n;
      }
    },
    /** The number of calls that parts pay for now. */
    underWay: () => underWay,
    /** Whether the ledger has all charges that parts paid for. */
    areQuiet: () => calls.size === 0,
  };
}

/** The amounts that this process may sell without the database, for each account that calls it. */
export type Parts = ReturnType<typeof createParts>;

/**
 * `usableMs`: how long after its request a part may pay for calls; shorter than the database keeps it. `renewMs`: how long
 * an even part is not asked for again, at most.
 */
export function createParts({
  usableMs,
  renewMs,
  now,
}: {
  usableMs: number;
  renewMs: number;
  now: () => number;
}) {
  const parts = new Map<AccountId, Part>();
  const isDue = (part: Part) =>
    isQuiet(part) && (part.amount !== part.share || now() - part.askedAt >= part.evenMs);
  return {
    ...createPaidCalls(parts, now),
    /** The account calls in this process. */
    note: (accountId: AccountId): void => {
      const part = parts.get(accountId);
      if (part) {
        part.usedAt = now();
      } else if (parts.size < MAX_PARTS) {
        const nothing = { amount: 0n, share: 0n, inUse: 0n, unsettled: 0n };
        parts.set(accountId, {
          ...{ ...nothing, askedAt: now() - renewMs, evenMs: renewMs * SOON },
          ...{ usableUntil: 0, usedAt: now() },
        });
      }
    },
    /** The parts are those of a reserve. */
    restore: (reserved: { accountId: AccountId; amount: Nanos }[]): void => {
      for (const { accountId, amount } of reserved) {
        parts.set(accountId, {
          ...{ amount, share: amount, inUse: 0n, unsettled: 0n, askedAt: now(), evenMs: renewMs },
          ...{ usableUntil: now() + usableMs, usedAt: now() },
        });
      }
    },
    /** Gives up the parts of accounts that have not called for long, and returns these accounts. */
    giveUpIdle: (): AccountId[] => {
      const idle = [...parts].filter(([, part]) => isQuiet(part) && now() - part.usedAt >= usableMs);
      return idle.map(([accountId]) => {
        parts.delete(accountId);
        return accountId;
      });
    },
    /** The database may record less than it did: all parts are asked for again as soon as they can be. */
    doubt: (): void => {
      for (const part of parts.values()) {
        part.askedAt = now() - renewMs;
      }
    },
    /**
     * The parts to ask for now. The process first gives up the amount above its fair share, so that the database never
     * records less than the process may use.
     */
    due: (): PartRequest[] =>
      [...parts].flatMap(([accountId, part]) => {
        if (!isDue(part)) {
          return [];
        }
        part.amount = part.amount < part.share ? part.amount : part.share;
        part.askedAt = now();
        return [{ accountId, most: nanos(part.amount) }];
      }),
    /** The answer to a request that was sent at `sentAt`. An account that is missing from it gets nothing. */
    granted: (requests: PartRequest[], grants: PartGrant[], sentAt: number): void => {
      const found = new Map(grants.map((grant) => [grant.accountId, grant]));
      for (const { accountId, most } of requests) {
        const part = parts.get(accountId);
        const { amount, share } = found.get(accountId) ?? { amount: 0n, share: 0n };
        if (part) {
          // The answer does not know of charges that were made meanwhile.
          const isKnown = isQuiet(part) && part.amount === most;
          part.amount = isKnown || amount < part.amount ? amount : part.amount;
          part.evenMs = share === part.share ? Math.min(2 * part.evenMs, renewMs) : renewMs * SOON;
          part.share = share;
          part.usableUntil = sentAt + usableMs;
        }
      }
    },
    /** Whether some part has money for calls now. */
    hasMoney: () => [...parts.values()].some((part) => leftOf(part) > 0n && part.usableUntil > now()),
  };
}
