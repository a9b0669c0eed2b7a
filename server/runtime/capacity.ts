import { type Config, gatewaysOf } from "@/server/base/config";
import { RESERVE } from "@/server/domain/fair-share";
import { createPool, forEachPool, localPool, type PoolName, type Shares } from "@/server/domain/shares";
import type { OriginLimits } from "@/server/upstream";
import { limitsOf } from "./limits";
import { ownBeforeCommon } from "./own-shares";

/** The capacity that calls share in all processes of a server together. */
function capacityOf(config: Config, pool: PoolName): number {
  const { calls, fileReaders } = limitsOf(config);
  const capacities: Record<PoolName, number> = {
    calls,
    files: fileReaders,
    bodies: config.BODY_MEGABYTES * 1024 * 1024,
  };
  return capacities[pool];
}

/** The part of its own amount that an account leaves free. For bytes it is all of it: the largest body needs room. */
const RESERVES: Record<PoolName, number> = { calls: RESERVE, files: RESERVE, bodies: 1 };

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
  forEachPool((pool) => localPool(capacityOf(config, pool), RESERVES[pool]));

/** The pools that are counted over all processes, without the parts of the gateways. */
export const createPools = (config: Config) =>
  forEachPool((pool) =>
    createPool(capacityOf(config, pool) - gatewaysOf(config) * partOf(config, pool), RESERVES[pool]),
  );

/** The pools of a gateway: a reserved part for this process, and `common` for the rest. */
export const gatewaysShares = (config: Config, common: Shares): Shares =>
  forEachPool((pool) => ownBeforeCommon(createPool(partOf(config, pool), RESERVES[pool]), common[pool]));

/**
 * A gateway's part of the places at an upstream's address, and of the calls that wait for one. Connections reach
 * gateways by chance and streams last for minutes, so a bare quotient would refuse calls while other gateways have room:
 * each has room for its part plus four standard deviations. The calls of all are counted over the whole server.
 */
export function limitsPerOrigin(config: Config, gateways: number): OriginLimits {
  const { upstreamCalls, waitingCalls } = limitsOf(config);
  const deviation = Math.sqrt((upstreamCalls / gateways) * (1 - 1 / gateways));
  return {
    places: Math.min(upstreamCalls, Math.ceil(upstreamCalls / gateways + 4 * deviation)),
    waiting: Math.ceil(waitingCalls / gateways),
    patienceMs: config.MAX_WAIT_SECONDS * 1_000,
  };
}
