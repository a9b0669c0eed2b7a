import type { createPool, Pool, Want } from "@/server/base/shares";

/**
 * A pool of which this process has a part of its own, and which takes from the common part what it does not find there.
 * Of its own part nobody else hears: to ask the parent takes 0.2 ms of processor time for a lone call.
 */
export function ownBeforeCommon(
  own: ReturnType<typeof createPool>,
  common: Pool,
  mayBeOwn: (want: Want) => boolean,
): Pool {
  const takenOfOwn = new WeakSet<Want>();
  return {
    take: async (want) => {
      if (!mayBeOwn(want)) {
        return await common.take(want);
      }
      const here = own.take(want);
      if (here === null) {
        takenOfOwn.add(want);
        return null;
      }
      const refused = await common.take(want);
      return refused && { ...refused, hasSome: refused.hasSome || here.hasSome };
    },
    give: (taken) => {
      if (takenOfOwn.delete(taken)) {
        own.give(taken);
      } else {
        common.give(taken);
      }
    },
  };
}
