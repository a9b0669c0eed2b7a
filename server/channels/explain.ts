import type { Queryable } from "@/server/db";
import type { Dialect, Operation, Upstream } from "@/server/upstream";
import type { BreakerState } from "./health";
import type { Healths } from "./healths";
import { tiersOf } from "./pick";
import { findWays } from "./routes";

/** One way to a model, as an operator wants to see it. */
type Way = {
  channelId: string;
  name: string;
  dialect: Dialect;
  upstreamName: string;
  weight: number;
  /** 0 to 1: of the calls that come to its tier, by weight, as long as all of the tier are well. */
  share: number;
  isEnabled: boolean;
  /** The worst of its operations, in this process. */
  state: BreakerState;
  /** What its dialect has words for. */
  canTake: (Operation | "videos")[];
};

/** Tried one after the other; disabled channels come in tiers of their own after all others. */
export type RouteTier = { priority: number; ways: Way[] };

const operations = ["chat", "messages", "countTokens", "embeddings", "videos"] as const;

const severity: Record<BreakerState, number> = { closed: 0, half_open: 1, open: 2 };
const worse = (left: BreakerState, right: BreakerState) => (severity[left] < severity[right] ? right : left);

/** Which channels a call for this model comes to, and in which order. */
export async function explainRoutes(
  deps: { db: Queryable; upstreams: Record<Dialect, Upstream>; healths: Healths },
  modelId: string,
): Promise<RouteTier[]> {
  const rows = await findWays(deps.db, modelId);
  const seen = deps.healths.view();
  const stateOf = ({ channelId, version }: { channelId: string; version: string }) =>
    seen
      .filter((health) => health.channelId === channelId && health.version === version)
      .map(({ state }) => state)
      .reduce(worse, "closed");
  const candidates = rows.map(({ channelId, version, name, dialect, upstreamName, ...row }) => ({
    priority: row.priority,
    weight: row.weight,
    isEnabled: row.isEnabled,
    way: {
      channelId,
      name,
      dialect,
      upstreamName,
      state: stateOf({ channelId, version }),
      canTake: operations.filter((operation) => deps.upstreams[dialect][operation] !== undefined),
    },
  }));
  return tiersOf(candidates).map(({ priority, ways }) => ({
    priority,
    ways: ways.map(({ way, weight, isEnabled, share }) => ({ ...way, weight, isEnabled, share })),
  }));
}
