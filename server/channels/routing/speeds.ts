/** How fast the routes to a model have answered lately, as measured by this process. */
import { createRecent } from "@/server/base/recent";

/**
 * `ms`: time to a stream's first event, or to a whole answer. `at`: when it was last measured, by the process's clock.
 */
export type Speed = { ms: number; at: number };

export type Speeds = {
  note: (way: string, ms: number) => void;
  /** null: no recent measurement. */
  speedOf: (way: string) => Speed | null;
};

/** After this time, a measurement counts half as much as a new one. */
const HALF_LIFE_MS = 60_000;
/** Highest weight of the old measurements against a new one, so that a few calls show a recovery. */
const MAX_KEPT = 9;
/** Age at which a measurement expires. */
const FORGOTTEN_MS = 15 * 60_000;
/** More than there are routes: evicted entries belong to channels that were changed or removed. */
const MAX_WAYS = 10_000;

/** `now`: milliseconds of a clock that never goes back. */
export function createSpeeds(now: () => number = () => performance.now()): Speeds {
  const speeds = createRecent<string, Speed & { weight: number }>(MAX_WAYS);
  return {
    note: (way, ms) => {
      const at = now();
      const before = speeds.get(way);
      const aged = before ? before.weight * 2 ** ((before.at - at) / HALF_LIFE_MS) : 0;
      const kept = Math.min(aged, MAX_KEPT);
      const mean = ((before?.ms ?? 0) * kept + ms) / (kept + 1);
      speeds.set(way, { ms: mean, at, weight: kept + 1 });
    },
    speedOf: (way) => {
      const speed = speeds.get(way);
      return speed && now() - speed.at < FORGOTTEN_MS ? speed : null;
    },
  };
}
