import type { VendorApi } from "@/server/base/facts";
import type { ChannelId } from "@/server/base/ids";
import type { Db } from "@/server/db";
import { forwardedOperations, type Operation, type Upstream } from "@/server/upstream";
import type { HealthRegistry } from "./health-registry";
import { tiersOf } from "./pick";
import { findWays } from "./routes";
import { type ChannelState, stateOf } from "./state";

/** One way to a model, as an operator wants to see it. */
type Way = {
  channelId: ChannelId;
  name: string;
  dialect: VendorApi;
  upstreamName: string;
  weight: number;
  /** 0 to 1: of the calls that come to its tier, by weight, as long as all of the tier are well. */
  share: number;
  isEnabled: boolean;
  /** As this process has seen it. */
  state: ChannelState;
  /** What its dialect has words for. */
  canTake: (Operation | "videos")[];
};

/**
 * Tried one after the other, those that traffic was moved off last; disabled channels come in tiers of their own after
 * all others.
 */
export type RouteTier = { isMovedOff: boolean; priority: number; ways: Way[] };

const operations = [
  "chat",
  "messages",
  "responses",
  "gemini",
  "countTokens",
  "embeddings",
  ...forwardedOperations,
  "videos",
] as const;

/** Which channels a call for this model comes to, and in which order. */
export async function explainRoutes(
  deps: { db: Db; upstreams: Record<VendorApi, Upstream>; healths: HealthRegistry },
  modelId: string,
): Promise<RouteTier[]> {
  const rows = await findWays(deps.db, modelId);
  const seen = deps.healths.view();
  const seenOf = ({ channelId, version }: { channelId: ChannelId; version: string }) =>
    seen.filter((health) => health.channelId === channelId && health.version === version);
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
