import { type Config, gatewaysOf } from "@/server/base/config";
import { createPool, forEachPool, localPool, type PoolName, type Shares } from "@/server/base/shares";
import { FILE_PLACES, PLACES } from "@/server/upstream";
import { ownBeforeCommon } from "./own-shares";

/** How much there is of what calls share, in all processes of a server together. */
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
 * What is dealt out to the gateways in equal parts: `share` of it, where there is `enough` (of bytes so much that the
 * largest body finds room in what is left) and a part is no less than `least`.
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

/** For a process that is alone. */
export const localShares = (config: Config): Shares =>
  forEachPool((pool) => localPool(capacityOf(config, pool)));

/** Where they are counted for all: what is not dealt out. */
export const createPools = (config: Config) =>
  forEachPool((pool) => createPool(capacityOf(config, pool) - gatewaysOf(config) * partOf(config, pool)));

/** For a gateway, which has a part of its own. `common`: where it asks for the rest. */
export const gatewaysShares = (config: Config, common: Shares): Shares =>
  forEachPool((pool) => ownBeforeCommon(createPool(partOf(config, pool)), common[pool]));

/**
 * A gateway's part of the places at an upstream's address. Connections are dealt out by chance and streams last for
 * minutes, so a bare quotient would refuse an account that has no more under way than the half which is its own: each
 * gateway has room for four standard deviations more than its part of that.
 */
export function placesPerOrigin(gateways: number): number {
  const ofOneAccount = PLACES / 2;
  const deviation = Math.sqrt((ofOneAccount / gateways) * (1 - 1 / gateways));
  return 2 * Math.ceil(ofOneAccount / gateways + 4 * deviation);
}
