import { withinMs } from "@/server/base/deadline";
import type { EventGroup } from "@/server/protocol/sse";

type Next = IteratorResult<EventGroup, unknown>;

/** An upstream's events as the network delivers them, of which none is lost to who stops waiting for it. */
export type EventGroups = {
  /**
   * The next group, or null when it takes longer than `ms` or the wait is interrupted. Throws what the upstream broke
   * with.
   */
  next: (ms: number) => Promise<Next | null>;
  /** Ends the wait under way, if there is one. */
  interrupt: () => void;
};

export function createEventGroups(groups: AsyncGenerator<EventGroup>): EventGroups {
  let pending: Promise<Next> | null = null;
  let interrupt = () => {};
  return {
    next: async (ms) => {
      if (pending === null) {
        pending = groups.next();
        // Whoever stops waiting leaves it pending.
        pending.catch(() => {});
      }
      const interrupted = new Promise<null>((resolve) => {
        interrupt = () => resolve(null);
      });
      const next = await withinMs(Promise.race([pending, interrupted]), Math.max(0, ms));
      if (next !== null) {
        pending = null;
      }
      return next;
    },
    interrupt: () => interrupt(),
  };
}
