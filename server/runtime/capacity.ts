import { type Config, gatewaysOf } from "@/server/base/config";
import { createPool, forEachPool, localPool, type PoolName, type Shares } from "@/server/domain/shares";
import { FILE_PLACES, PLACES } from "@/server/upstream";
import { ownBeforeCommon } from "./own-shares";

/** The capacity that calls share in all processes of a server together. */
function capacityOf(config: Config, pool: PoolName): number {
  const capacities: Record<PoolName, number> = {
    calls: config.MAX_CONCURRENT_CALLS,
    files: FILE_PLACES,
    bodies: config.BODY_MEGABYTES * 1024 * 1024,
  };
  return capacities[pool];
}

const MEGABYTE = 1024 * 1024;

/**
 * The part of a pool that gateways get in advance: `share` of it in equal parts, if the pool has `enough` (for bytes:
 * so much that the largest body fits into the rest) and each part is at least `least`.
 */
const DEALT: Record<PoolName, { share: number; enough: number; least: number }> = {
  calls: { share: 1 / 2, enough: 0, least: 64 },
  files: { share: 0, enough: 0, least: 1 },
  bodies: { share: 1 / 16, enough: 128 * MEGABYTE, least: MEGABYTE },
};

function partOf(config: Config, pool: PoolName): number {
  const { share, enough, least } = DEALT[pool];
  const capacity = capacityOf(config, pool);
  const part = Math.floor((capacity * share) / gatewaysOf(config));
  return capacity < enough || part < least ? 0 : part;
}

/** For a process without siblings. */
export const localShares = (config: Config): Shares =>
  forEachPool((pool) => localPool(capacityOf(config, pool)));

/** The pools that are counted over all processes, without the parts of the gateways. */
export const createPools = (config: Config) =>
  forEachPool((pool) => createPool(capacityOf(config, pool) - gatewaysOf(config) * partOf(config, pool)));

/** The pools of a gateway: a reserved part for this process, and `common` for the rest. */
export const gatewaysShares = (config: Config, common: Shares): Shares =>
  forEachPool((pool) => ownBeforeCommon(createPool(partOf(config, pool)), common[pool]));

/**
 * A gateway's part of the places at an upstream's address. Connections reach gateways by chance and streams last for
 * minutes, so a bare quotient would refuse an account that uses no more than its half of all places: each gateway has
 * room for its part of that half plus four standard deviations.
 */
export function placesPerOrigin(gateways: number): number {
  const ofOneAccount = PLACES / 2;
  const deviation = Math.sqrt((ofOneAccount / gateways) * (1 - 1 / gateways));
  return 2 * Math.ceil(ofOneAccount / gateways + 4 * deviation);
}
