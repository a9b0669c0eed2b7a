import type { Config } from "@/server/base/config";
import { createPool, forEachPool, localPool, type PoolName, type Shares } from "@/server/base/shares";
import { FILE_PLACES } from "@/server/upstream";

/** How much there is of what calls share, in all processes of a server together. */
function capacityOf(config: Config, pool: PoolName): number {
  const capacities: Record<PoolName, number> = {
    calls: config.MAX_CONCURRENT_CALLS,
    files: FILE_PLACES,
    bodies: config.BODY_MEGABYTES * 1024 * 1024,
  };
  return capacities[pool];
}

/** For a process that is alone. */
export const localShares = (config: Config): Shares =>
  forEachPool((pool) => localPool(capacityOf(config, pool)));

/** Where they are counted for all. */
export const createPools = (config: Config) => forEachPool((pool) => createPool(capacityOf(config, pool)));
