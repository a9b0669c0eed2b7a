/** In which order a call tries the channels of its model, and the credentials of each. */
import type { Routing } from "@/server/base/facts";
import type { AccountId, ChannelId } from "@/server/base/ids";
import type { Nanos } from "@/server/base/money";
import { drawOf, seedOf } from "./affinity";
import { order, orderByCost, orderBySpeed } from "./pick";
import type { Route } from "./routes";
import type { Speeds } from "./speeds";

/** What of a call the choice depends on. */
export type Chosen = {
  modelId: string;
  accountId: AccountId;
  /** Of its model; by weight, unless said. */
  routing?: Routing;
  /**
   * What it has in common with the calls whose prompt its vendor may have kept. null: nothing that is worth it. Asked
   * for only where it decides.
   */
  affinity?: () => string | null;
  /** The most that it can cost at a channel; null: nobody has said that. Asked for only where it decides. */
  costAt?: (channelId: ChannelId) => Nanos | null;
  /** Its answer is a stream: how soon that begins, and how soon a whole answer is there, are measured apart. */
  isStream?: boolean;
};

export type Choice = {
  routes: Route[];
  /** The places of a route's credentials, in the order in which to try them. */
  credentialsOf: (route: Route) => number[];
};

/** What is measured as one. */
export const wayOf = (
  { modelId, isStream }: Pick<Chosen, "modelId" | "isStream">,
  { channelId, version }: Pick<Route, "channelId" | "version">,
): string => `${channelId} ${version} ${isStream ? "stream" : "whole"} ${modelId}`;

/** In turn, from a random one on. */
function inTurn({ secrets }: Route, random: () => number): number[] {
  const first = Math.floor(random() * secrets.length);
  return secrets.map((_, step) => (first + step) % secrets.length);
}

/** The one that this key draws first, before what it would draw without it. */
const byDraw = ({ seeds }: Route, key: number): number[] =>
  [...seeds.credentials.keys()].sort(
    (left, right) =>
      drawOf(key, seeds.credentials[right] ?? 0) - drawOf(key, seeds.credentials[left] ?? 0) || left - right,
  );

type Deps = { random: () => number; speeds: Speeds };

/** By whatever each call decides anew. */
function inRule({ random, speeds }: Deps, call: Chosen, routes: readonly Route[]): Route[] {
  if (call.routing === "fastest") {
    return orderBySpeed(routes, (route) => speeds.of(wayOf(call, route)), random);
  }
  return call.routing === "cheapest"
    ? orderByCost(routes, ({ channelId }) => call.costAt?.(channelId) ?? null, random)
    : order(routes, random);
}

export function choose({ random, speeds }: Deps, call: Chosen, routes: readonly Route[]): Choice {
  const shared = call.routing === "affinity" ? (call.affinity?.() ?? null) : null;
  if (shared !== null) {
    const key = seedOf(`${call.accountId} ${call.modelId} ${shared}`);
    return {
      routes: order(routes, ({ seeds }) => drawOf(key, seeds.channel)),
      credentialsOf: (route) => byDraw(route, key),
    };
  }
  return {
    routes: inRule({ random, speeds }, call, routes),
    credentialsOf: (route) => inTurn(route, random),
  };
}
