import type { Eventual } from "@/server/base/eventual";
import { mayTake, RESERVE } from "./fair-share";

/**
 * A request for an amount, for a holder and its account. `most`: the limit of each at a time; null: no limit for a
 * holder, the fair share for an account.
 */
export type Want = {
  holder: { id: string; most: number | null };
  account: { id: string; most: number | null };
  amount: number;
  /** The amount is all that a call takes, and small: it need not count toward the holder's limit. */
  isSmall?: boolean;
  /** Counts only toward the limits of the holder and the account; the amount itself comes from another pool. */
  isElsewhere?: boolean;
};

/** The limit that refused a request; `all`: the pool is empty. `hasSome`: the account holds a part of it. */
export type ShareRefusal = { by: "holder" | "account" | "all"; hasSome: boolean };

/** A limited resource shared by accounts. */
export type Pool = {
  /** Takes the amount. null: granted; call `give` once. */
  take: (want: Want) => Eventual<ShareRefusal | null>;
  give: (want: Want) => void;
};

/** The pools that calls share: slots for calls, slots for readers of files, and bytes for bodies. */
export type PoolName = "calls" | "files" | "bodies";
export type Shares = Record<PoolName, Pool>;

/** Makes one value per pool. */
export const forEachPool = <T>(make: (name: PoolName) => T): Record<PoolName, T> => ({
  calls: make("calls"),
  files: make("files"),
  bodies: make("bodies"),
});

function createCounts() {
  const counts = new Map<string, number>();
  const countOf = (id: string) => counts.get(id) ?? 0;
  return {
    countOf,
    add: (id: string, by: number) => {
      const now = countOf(id) + by;
      if (now > 0) {
        counts.set(id, now);
      } else {
        counts.delete(id);
      }
    },
  };
}

/** Counts a pool in the process that owns it. `reserve`: as for `mayTake`. */
export function createPool(capacity: number, reserve = RESERVE) {
  /** By holder and account, for their limits. */
  const held = createCounts();
  /** By account: its part of this pool. */
  const parts = createCounts();
  let used = 0;
  const move = ({ holder, account, isElsewhere = false }: Want, by: number) => {
    held.add(holder.id, by);
    held.add(account.id, by);
    if (!isElsewhere) {
      parts.add(account.id, by);
      used += by;
    }
  };
  const refusedBy = ({ holder, account, amount, isElsewhere = false }: Want): ShareRefusal["by"] | null => {
    if (holder.most !== null && held.countOf(holder.id) + amount > holder.most) {
      return "holder";
    }
    const isFull = !isElsewhere && used + amount > capacity;
    const own = parts.countOf(account.id);
    const isBeyondShare = !(isElsewhere || isFull || mayTake({ capacity, used, own, amount, reserve }));
    if (account.most === null ? isBeyondShare : held.countOf(account.id) + amount > account.most) {
      return "account";
    }
    return isFull ? "all" : null;
  };
  return {
    take: (want: Want): ShareRefusal | null => {
      const by = refusedBy(want);
      if (by === null) {
        move(want, want.amount);
        return null;
      }
      return { by, hasSome: held.countOf(want.account.id) > 0 };
    },
    give: (want: Want) => move(want, -want.amount),
  };
}

/** A pool that only this process uses. */
export function localPool(capacity: number, reserve?: number): Pool {
  const pool = createPool(capacity, reserve);
  return { take: pool.take, give: pool.give };
}
