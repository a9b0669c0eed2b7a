import { mayTake } from "./fair-share";

/**
 * So much for a holder, and for the account behind it. `most`: what each may have at a time; null: as much as there is
 * for a holder, its fair share for an account.
 */
export type Want = {
  holder: { id: string; most: number | null };
  account: { id: string; most: number | null };
  amount: number;
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

/** Counts a pool where it is kept. */
export function createPool(capacity: number) {
  const held = new Map<string, number>();
  let taken = 0;
  const heldBy = (id: string) => held.get(id) ?? 0;
  const move = ({ holder, account }: Want, by: number) => {
    taken += by;
    for (const { id } of [holder, account]) {
      const now = heldBy(id) + by;
      if (now > 0) {
        held.set(id, now);
      } else {
        held.delete(id);
      }
    }
  };
  const refusalOf = ({ holder, account, amount }: Want): Refused["by"] | null => {
    if (holder.most !== null && heldBy(holder.id) + amount > holder.most) {
      return "holder";
    }
    const own = heldBy(account.id);
    const isFull = taken + amount > capacity;
    const isBeyondShare = !mayTake({ capacity, taken, own, amount }) && !isFull;
    if (account.most === null ? isBeyondShare : own + amount > account.most) {
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
      return { by, hasSome: heldBy(want.account.id) > 0 };
    },
    give: (want: Want) => move(want, -want.amount),
  };
}

/** A pool that nobody outside this process shares. */
export function localPool(capacity: number): Pool {
  const pool = createPool(capacity);
  return { take: async (want) => pool.take(want), give: pool.give };
}
