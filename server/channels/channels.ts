import { createCache, type LastKnown } from "@/server/base/cache";
import { type Cancellation, CancellationSource } from "@/server/base/cancellation";
import { systemTimers, type Timers } from "@/server/base/clock";
import type { Eventual } from "@/server/base/eventual";
import type { Log } from "@/server/base/log";
import type { Vault } from "@/server/base/vault";
import type { Db } from "@/server/db";
import type { ChannelId } from "@/server/domain/ids";
import { Refusal } from "@/server/domain/refusal";
import type { Upstreams } from "@/server/upstream";
import type { AttemptPlan, Dispatch, Dispatched } from "./dispatch/attempt";
import type { Attempt } from "./dispatch/attempts";
import { dispatch } from "./dispatch/dispatch";
import { type HealthEvents, type PastAttempt, toHealthEvents } from "./health/events";
import { createHealthRegistry } from "./health/registry";
import { listChannelModels, listDraftModels, type ModelList, type ModelSource } from "./model-lists";
import { explainRoutes, type RouteTier } from "./routing/explain";
import { order } from "./routing/pick";
import {
  findRoute,
  findRoutes,
  findServedModels,
  type Route,
  routesAmong,
  servedAmong,
  type Way,
} from "./routing/routes";
import { createSpeeds } from "./routing/speeds";
import { capabilitiesOf, dialectOf } from "./settings/capabilities";
import { checkCredentials } from "./settings/credentials";
import { checkDraft, type NewChannel } from "./settings/draft";
import type { Channel } from "./settings/view";
import { createStandings, type Standings } from "./standings";
import { type TestCall, type TestOptions, type TestResult, testChannel } from "./testing/test-channel";

export type Channels = Standings & {
  dispatch: <T, P extends AttemptPlan>(call: Dispatch<T, P>) => Promise<Dispatched<T>>;
  /** The enabled routes to a model, with opened credentials, in the order to try them. */
  routes: (modelId: string) => Promise<Route[]>;
  /**
   * Sends one small real call, or for videos a free request that shows as much, and returns the upstream's answer. It
   * also tests a disabled channel, because operators test before they enable. Throws Refusal if there is nothing to
   * send.
   */
  test: (channel: Pick<Channel, "id" | "name" | "models">, options?: TestOptions) => Promise<TestResult>;
  /** The same for a channel that is not stored yet. Throws Refusal if storing it would. */
  testDraft: (draft: NewChannel, options?: TestOptions) => Promise<TestResult>;
  /** The models that a stored channel's vendor lists. Throws Refusal. */
  listModels: (channelId: ChannelId) => Promise<ModelList>;
  /** The same for a channel that is not stored yet. */
  listDraftModels: (source: ModelSource) => Promise<ModelList>;
  /** Replays attempts from before this process started, in order. */
  restoreHealth: (attempts: PastAttempt[]) => void;
  /** The channels that take calls for this model, in the order in which they are tried. */
  explainRoutes: (modelId: string) => Promise<RouteTier[]>;
  /** The models that an enabled channel serves. */
  servedModels: () => Eventual<ReadonlySet<string>>;
  forget: () => void;
  /** As of `createCache`. */
  doubt: () => void;
};

function modelToTest(models: Record<string, string>, choice: string | undefined): string {
  const modelId = choice ?? Object.keys(models)[0];
  if (modelId === undefined || !Object.hasOwn(models, modelId)) {
    throw new Refusal(
      modelId === undefined ? "the channel serves no models" : `the channel does not serve ${modelId}`,
      "channelServesNoSuchModel",
    );
  }
  return modelId;
}

function secretToTest(secrets: string[], place = 0): string {
  const secret = secrets[place];
  if (secret === undefined) {
    throw new Refusal(`the channel has no credential ${place}`, "channelChanged");
  }
  return secret;
}

export function createChannels(deps: {
  db: Db;
  vault: Vault;
  upstreams: Upstreams;
  timeoutMs: number;
  /** Aborts when the process stops. Its reason is the error for calls that wait for an answer. */
  stopping?: Cancellation;
  log: Log;
  timers?: Timers;
  random?: () => number;
  /** Called with each attempt when it has ended. */
  observe?: (attempt: Attempt) => void;
  /** Exchanges health events with the other processes of this server. */
  sightings?: HealthEvents;
  /** As for `createCache`. */
  heardAt?: (() => number) | undefined;
  lastKnown?: LastKnown | null | undefined;
  /** Reads the enabled channels in place of the database. */
  keptWays?: (() => Promise<readonly Way[]>) | undefined;
}): Channels {
  const { db, keptWays, vault } = deps;
  const readRoutes = async (modelId: string) =>
    keptWays ? routesAmong(await keptWays(), modelId, vault) : await findRoutes(db, modelId, vault);
  const readServed = async () => (keptWays ? servedAmong(await keptWays()) : await findServedModels(db));
  const routes = createCache(readRoutes, {
    maxAgeMs: 30_000,
    maxEntries: 5_000,
    heardAt: deps.heardAt,
    lastKnown: deps.lastKnown,
  });
  const served = createCache(readServed, {
    maxAgeMs: 30_000,
    maxEntries: 1,
    heardAt: deps.heardAt,
    lastKnown: deps.lastKnown,
  });
  const random = deps.random ?? Math.random;
  const { timers = systemTimers } = deps;
  const healths = createHealthRegistry(deps.sightings, deps.log, timers);
  const dispatching = {
    upstreams: deps.upstreams,
    findRoutes: routes.get,
    healths,
    speeds: createSpeeds(timers.now),
    timers,
    timeoutMs: deps.timeoutMs,
    stopping: deps.stopping ?? new CancellationSource(),
    random,
    log: deps.log,
    observe: deps.observe ?? (() => {}),
  };
  const run = async (modelId: string, call: TestCall): Promise<TestResult> => ({
    ...(await testChannel(deps.upstreams[call.api], call)),
    modelId,
    upstreamName: call.upstreamName,
  });
  const standings = createStandings(db, healths);
  return {
    dispatch: (call) => dispatch(dispatching, call),
    routes: async (modelId) => order(await routes.get(modelId), random),
    test: async (channel, options = {}) => {
      const modelId = modelToTest(channel.models, options.modelId);
      const route = await findRoute(db, { channelId: channel.id, modelId }, deps.vault);
      if (route === null) {
        throw new Refusal(`channel "${channel.name}" was changed in the meantime`, "channelChanged");
      }
      const secret = secretToTest(route.secrets, options.credential);
      return await run(modelId, { ...route, secret, kind: options.kind });
    },
    testDraft: async (draft, options = {}) => {
      const { dialect, settings, models } = checkDraft(draft);
      const modelId = modelToTest(draft.models, options.modelId);
      const overrides = models.find((model) => model.modelId === modelId)?.capabilities ?? null;
      const upstreamName = draft.models[modelId] ?? modelId;
      return await run(modelId, {
        api: dialect,
        dialect: dialectOf(dialect),
        baseUrl: settings.baseUrl,
        upstreamName,
        capabilities: capabilitiesOf({ dialect, ...settings, upstreamName, overrides }),
        secret: secretToTest(checkCredentials(draft.secrets, dialect), options.credential),
        kind: options.kind,
      });
    },
    listModels: (channelId) => listChannelModels(deps, channelId),
    listDraftModels: (source) => listDraftModels(deps.upstreams, source),
    ...standings,
    restoreHealth: (attempts) => healths.hear(attempts.flatMap(toHealthEvents)),
    explainRoutes: (modelId) => explainRoutes({ db, upstreams: deps.upstreams, healths }, modelId),
    servedModels: () => served.get("models"),
    forget: () => {
      routes.forget();
      served.forget();
    },
    doubt: () => {
      routes.doubt();
      served.doubt();
    },
  };
}
