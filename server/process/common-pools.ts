import type { Config } from "@/server/base/config";
import type { PoolName, ShareRefusal, Want } from "@/server/domain/shares";
import { createPools } from "../runtime/capacity";

/** An amount taken from a pool. */
type Taking = { pool: PoolName; want: Want };

/** The amounts that a server's processes have taken from its pools. `who`: a process. */
export type CommonPools = {
  take: (who: string, taking: Taking) => ShareRefusal | null;
  give: (who: string, taking: Taking) => void;
  /** The process has ended: everything that it had is free again. */
  end: (who: string) => void;
};

export function createCommonPools(config: Config): CommonPools {
  const pools = createPools(config);
  const takings = new Map<string, Map<string, Taking>>();

  /** Keeps sums, so that returning a dead process's amounts takes as many steps as it has holders, not calls. */
  const note = (who: string, { pool, want: { amount, ...parties } }: Taking, by: 1 | -1) => {
    const own = takings.get(who) ?? new Map<string, Taking>();
    takings.set(who, own);
    const key = `${pool} ${parties.isElsewhere ?? false} ${parties.holder.id} ${parties.account.id}`;
    const sum = (own.get(key)?.want.amount ?? 0) + by * amount;
    if (sum > 0) {
      own.set(key, { pool, want: { ...parties, amount: sum } });
    } else {
      own.delete(key);
    }
  };

  return {
    take: (who, taking) => {
      const refused = pools[taking.pool].take(taking.want);
      if (refused === null) {
        note(who, taking, 1);
      }
      return refused;
    },
    give: (who, taking) => {
      pools[taking.pool].give(taking.want);
      note(who, taking, -1);
    },
    end: (who) => {
      for (const { pool, want } of takings.get(who)?.values() ?? []) {
        pools[pool].give(want);
      }
      takings.delete(who);
    },
  };
}
