import { createCache } from "@/server/cache";
import type { Database } from "@/server/db";
import type { Log } from "@/server/log";
import type { Dialect, Upstream } from "@/server/upstream";
import { createDispatch, type Dispatch, type Dispatched, type Plan } from "./dispatch";
import { order } from "./pick";
import { type Channel, findRoutes, getChannel, type Route } from "./store";
import { type TestResult, testChannel } from "./test-channel";
import type { Vault } from "./vault";

export type Channels = {
  dispatch: <T, P extends Plan>(call: Dispatch<T, P>) => Promise<Dispatched<T>>;
  /** The enabled ways to a model, credentials opened, in an order to try them. */
  routes: (modelId: string) => Promise<Route[]>;
  /** Sends one small real call, or what tells as much of an upstream of videos for nothing, and says what came back. */
  test: (channel: Channel) => Promise<TestResult>;
  forget: () => void;
};

export function createChannels(deps: {
  db: Database;
  vault: Vault;
  upstreams: Record<Dialect, Upstream>;
  timeoutMs: number;
  log: Log;
  random?: () => number;
  observe?: (attempt: { channelId: string; outcome: string }) => void;
}): Channels {
  const routes = createCache((modelId) => findRoutes(deps.db.orm, modelId, deps.vault), {
    maxAgeMs: 30_000,
    maxEntries: 5_000,
  });
  const random = deps.random ?? Math.random;
  const { dispatch } = createDispatch({
    upstreams: deps.upstreams,
    findRoutes: routes.get,
    timeoutMs: deps.timeoutMs,
    random,
    log: deps.log,
    observe: deps.observe ?? (() => {}),
  });
  return {
    dispatch,
    routes: async (modelId) => order(await routes.get(modelId), random),
    test: async (channel) => {
      const { id } = await getChannel(deps.db.orm, channel.id);
      const [modelId] = Object.keys(channel.models);
      const all = modelId === undefined ? [] : await findRoutes(deps.db.orm, modelId, deps.vault);
      const route = all.find((candidate) => candidate.channelId === id);
      return route
        ? await testChannel(deps.upstreams[route.dialect], route)
        : { ok: false, status: null, latencyMs: 0, message: "the channel is disabled or serves no model" };
    },
    forget: routes.forget,
  };
}
