/** The order in which a call tries the channels of its model, and the credentials of each channel. */

import type { Nanos } from "@/server/base/money";
import type { Routing } from "@/server/domain/enums";
import type { AccountId, ChannelId } from "@/server/domain/ids";
import { drawOf, seedOf } from "./affinity";
import { order, orderByCost, orderBySpeed } from "./pick";
import type { Route } from "./routes";
import type { Speeds } from "./speeds";

/** The properties of a call that determine the choice. */
export type Chosen = {
  modelId: string;
  accountId: AccountId;
  /** The model's routing rule. Default: by weight. */
  routing?: Routing;
  /**
   * A text that this call shares with calls whose prompt the vendor may have cached. null: caching is not worth it.
   * Called only if the routing rule needs it.
   */
  affinity?: () => string | null;
  /** The highest possible cost of the call at a channel. null: unknown. Called only if the routing rule needs it. */
  costAt?: (channelId: ChannelId) => Nanos | null;
  /** The answer is a stream. Time to a stream's first event and time to a whole answer are measured separately. */
  isStream?: boolean;
};

export type RouteChoice = {
  routes: Route[];
  /** The indexes of a route's credentials, in the order in which to try them. */
  credentialsOf: (route: Route) => number[];
};

/** The key under which speeds are measured together. */
export const wayOf = (
  { modelId, isStream }: Pick<Chosen, "modelId" | "isStream">,
  { channelId, version }: Pick<Route, "channelId" | "version">,
): string => `${channelId} ${version} ${isStream ? "stream" : "whole"} ${modelId}`;

/** All credentials in their order, starting at a random one. */
function inTurn({ secrets }: Route, random: () => number): number[] {
  const first = Math.floor(random() * secrets.length);
  return secrets.map((_, step) => (first + step) % secrets.length);
}

/**
 * Orders credentials by their hash with this key, highest first. If the first one is removed, the order of the others
 * stays.
 */
const byDraw = ({ seeds }: Route, key: number): number[] =>
  [...seeds.credentials.keys()].sort(
    (left, right) =>
      drawOf(key, seeds.credentials[right] ?? 0) - drawOf(key, seeds.credentials[left] ?? 0) || left - right,
  );

type ChoiceDeps = { random: () => number; speeds: Speeds };

/** Routing rules that order the channels for each call separately. */
function inRule({ random, speeds }: ChoiceDeps, call: Chosen, routes: readonly Route[]): Route[] {
  if (call.routing === "fastest") {
    return orderBySpeed(routes, (route) => speeds.speedOf(wayOf(call, route)), random);
  }
  return call.routing === "cheapest"
    ? orderByCost(routes, ({ channelId }) => call.costAt?.(channelId) ?? null, random)
    : order(routes, random);
}

export function choose({ random, speeds }: ChoiceDeps, call: Chosen, routes: readonly Route[]): RouteChoice {
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
