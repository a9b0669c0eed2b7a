import { mayTake } from "./fair-share";

/**
 * So much for a holder, and for the account behind it. `most`: what each may have at a time; null: as much as there is
 * for a holder, its fair share for an account.
 */
export type Want = {
  holder: { id: string; most: number | null };
  account: { id: string; most: number | null };
  amount: number;
  /** All that a call takes, and little: it need not count towards what its holder may have. */
  isSmall?: boolean;
  /** The holder and the account are counted; what is taken is another pool's. */
  isElsewhere?: boolean;
};

/** Who has too much of it; `all`: there is no more. `hasSome`: the account has a part of it. */
export type Refused = { by: "holder" | "account" | "all"; hasSome: boolean };

/** Something of which there is so much and no more, for whoever shares it. */
export type Pool = {
  /** null: it was taken, and is to be given back, once. */
  take: (want: Want) => Promise<Refused | null>;
  give: (taken: Want) => void;
};

/** What calls share: places, places for readers of files, and bytes for bodies. */
export type PoolName = "calls" | "files" | "bodies";
export type Shares = Record<PoolName, Pool>;

/** One of each, by its name. */
export const forEachPool = <T>(make: (name: PoolName) => T): Record<PoolName, T> => ({
  calls: make("calls"),
  files: make("files"),
  bodies: make("bodies"),
});

function createCounts() {
  const counts = new Map<string, number>();
  const of = (id: string) => counts.get(id) ?? 0;
  return {
    of,
    add: (id: string, by: number) => {
      const now = of(id) + by;
      if (now > 0) {
        counts.set(id, now);
      } else {
        counts.delete(id);
      }
    },
  };
}

/** Counts a pool where it is kept. */
export function createPool(capacity: number) {
  /** By holder and account: what their limits are about. */
  const held = createCounts();
  /** By account: how much of this pool. */
  const parts = createCounts();
  let taken = 0;
  const move = ({ holder, account, isElsewhere = false }: Want, by: number) => {
    held.add(holder.id, by);
    held.add(account.id, by);
    if (!isElsewhere) {
      parts.add(account.id, by);
      taken += by;
    }
  };
  const refusalOf = ({ holder, account, amount, isElsewhere = false }: Want): Refused["by"] | null => {
    if (holder.most !== null && held.of(holder.id) + amount > holder.most) {
      return "holder";
    }
    const isFull = !isElsewhere && taken + amount > capacity;
    const own = parts.of(account.id);
    const isBeyondShare = !(isElsewhere || isFull || mayTake({ capacity, taken, own, amount }));
    if (account.most === null ? isBeyondShare : held.of(account.id) + amount > account.most) {
      return "account";
    }
    return isFull ? "all" : null;
  };
  return {
    take: (want: Want): Refused | null => {
      const by = refusalOf(want);
      if (by === null) {
        move(want, want.amount);
        return null;
      }
      return { by, hasSome: held.of(want.account.id) > 0 };
    },
    give: (want: Want) => move(want, -want.amount),
  };
}

/** A pool that nobody outside this process shares. */
export function localPool(capacity: number): Pool {
  const pool = createPool(capacity);
  return { take: async (want) => pool.take(want), give: pool.give };
}
