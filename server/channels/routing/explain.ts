import type { Db } from "@/server/db";
import type { VendorApi } from "@/server/domain/enums";
import type { ChannelId } from "@/server/domain/ids";
import { forwardedNames } from "@/server/endpoints";
import type { Operation, Upstream } from "@/server/upstream";
import type { HealthRegistry } from "../health/registry";
import { type ChannelState, stateOf } from "../health/state";
import { tiersOf } from "./pick";
import { findWays } from "./routes";

/** One route to a model, as operators see it. */
type RouteView = {
  channelId: ChannelId;
  name: string;
  dialect: VendorApi;
  upstreamName: string;
  weight: number;
  /** 0 to 1: its share by weight of the calls in its tier, if all channels of the tier are healthy. */
  share: number;
  isEnabled: boolean;
  /** As seen by this process. */
  state: ChannelState;
  /** The operations that its dialect supports. */
  canTake: (Operation | "videos")[];
};

/**
 * Tiers in the order in which they are tried. Channels that traffic was moved off are last among the enabled ones;
 * disabled channels have their own tiers after all others.
 */
export type RouteTier = { isMovedOff: boolean; priority: number; ways: RouteView[] };

const operations = [
  "chat",
  "messages",
  "responses",
  "gemini",
  "countTokens",
  "embeddings",
  ...forwardedNames,
  "videos",
] as const;

/** Returns the channels that take calls for this model, in the order in which they are tried. */
export async function explainRoutes(
  deps: { db: Db; upstreams: Record<VendorApi, Upstream>; healths: HealthRegistry },
  modelId: string,
): Promise<RouteTier[]> {
  const rows = await findWays(deps.db, modelId);
  const samples = deps.healths.view();
  const seenOf = ({ channelId, version }: { channelId: ChannelId; version: string }) =>
    samples.filter((health) => health.channelId === channelId && health.version === version);
  const candidates = rows.map(({ channelId, version, name, dialect, upstreamName, ...row }) => ({
    isMovedOff: row.isMovedOff,
    priority: row.priority,
    weight: row.weight,
    isEnabled: row.isEnabled,
    way: {
      channelId,
      name,
      dialect,
      upstreamName,
      state: stateOf(row, seenOf({ channelId, version })),
      canTake: operations.filter((operation) => deps.upstreams[dialect][operation] !== undefined),
    },
  }));
  return tiersOf(candidates).map(({ ways, ...tier }) => ({
    ...tier,
    ways: ways.map(({ way, weight, isEnabled, share }) => ({ ...way, weight, isEnabled, share })),
  }));
}
