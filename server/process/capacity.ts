import { type Config, gatewaysOf } from "@/server/base/config";
import {
  createPool,
  forEachPool,
  localPool,
  type PoolName,
  type Shares,
  type Want,
} from "@/server/base/shares";
import { FILE_PLACES } from "@/server/upstream";
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

/** Half of it is dealt out to the gateways in equal parts; a part of less than this is not worth to be apart. */
const LEAST_PART: Record<PoolName, number> = {
  calls: 64,
  files: Number.POSITIVE_INFINITY,
  bodies: 4 * 1024 * 1024,
};

const partOf = (config: Config, pool: PoolName): number => {
  const part = Math.floor(capacityOf(config, pool) / 2 / gatewaysOf(config));
  return part < LEAST_PART[pool] ? 0 : part;
};

/** Beside it a key's limit of bytes is a thousand times as much. */
const SMALL_BODY = 64 * 1024;

/** What a gateway may take of its own part: what no limit but the server's and an account's fair share is for. */
const MAY_BE_OWN: Record<PoolName, (want: Want) => boolean> = {
  calls: ({ holder, account }) => holder.most === null && account.most === null,
  files: () => false,
  bodies: ({ amount }) => amount <= SMALL_BODY,
};

/** For a process that is alone. */
export const localShares = (config: Config): Shares =>
  forEachPool((pool) => localPool(capacityOf(config, pool)));

/** Where they are counted for all: what is not dealt out. */
export const createPools = (config: Config) =>
  forEachPool((pool) => createPool(capacityOf(config, pool) - gatewaysOf(config) * partOf(config, pool)));

/** For a gateway, which has a part of its own. `common`: where it asks for the rest. */
export const gatewaysShares = (config: Config, common: Shares): Shares =>
  forEachPool((pool) => ownBeforeCommon(createPool(partOf(config, pool)), common[pool], MAY_BE_OWN[pool]));
