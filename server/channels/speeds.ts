/** How soon the ways to a model have answered lately, as this process has seen it. */
import { LRUCache } from "lru-cache";

/** `ms`: until a stream's first event, or a whole answer. `at`: when it was measured last, by the process's clock. */
export type Speed = { ms: number; at: number };

export type Speeds = {
  note: (way: string, ms: number) => void;
  /** null: nothing has been measured lately. */
  of: (way: string) => Speed | null;
};

/** After so long an answer counts half as much as one of now. */
const HALF_LIFE_MS = 60_000;
/** So much at most what was measured before counts against what is measured now: what recovers is seen by a few calls. */
const MAX_KEPT = 9;
/** What has not been measured for so long is not known any more. */
const FORGOTTEN_MS = 15 * 60_000;
/** More than there are ways: what falls out belongs to channels that were changed or removed. */
const MAX_WAYS = 10_000;

/** `now`: milliseconds of a clock that never goes back. */
export function createSpeeds(now: () => number = () => performance.now()): Speeds {
  const known = new LRUCache<string, Speed & { weight: number }>({ max: MAX_WAYS });
  return {
    note: (way, ms) => {
      const at = now();
      const before = known.get(way);
      const aged = before ? before.weight * 2 ** ((before.at - at) / HALF_LIFE_MS) : 0;
      const kept = Math.min(aged, MAX_KEPT);
      const mean = ((before?.ms ?? 0) * kept + ms) / (kept + 1);
      known.set(way, { ms: mean, at, weight: kept + 1 });
    },
    of: (way) => {
      const speed = known.get(way);
      return speed && now() - speed.at < FORGOTTEN_MS ? speed : null;
    },
  };
}
