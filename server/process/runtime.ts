/**
 * The composition root: builds the rooms once per process. `server/process/main.ts` starts it with what it has
 * prepared; under plain `next start` the first request starts it from the environment.
 */
import { join, resolve } from "node:path";
import { createGatekeeper, createLiveCalls, type Gatekeeper } from "@/server/access";
import { type Clock, systemClock } from "@/server/base/clock";
import { type Config, ConfigError, loadConfig } from "@/server/base/config";
import { withinMs } from "@/server/base/deadline";
import { GatewayError } from "@/server/base/errors";
import { createLog, type Log } from "@/server/base/log";
import { createMetrics, type Metrics } from "@/server/base/metrics";
import { createRedactor, type Redact } from "@/server/base/redactor";
import { loadSecrets, type Secrets } from "@/server/base/secrets";
import { type Vault, vaultOf } from "@/server/base/vault";
import { type Billing, createBilling } from "@/server/billing";
import { type Calls, createCalls } from "@/server/calls";
import { type Catalog, createCatalog } from "@/server/catalog";
import { type Channels, createChannels } from "@/server/channels";
import { type Database, findEmbeddedUrl, openDatabase, watchChanges } from "@/server/db";
import { type BodyBudget, createBodyBudget, createGateway, type Gateway } from "@/server/gateway";
import { ensureSecretChecks } from "@/server/operations";
import { createDispatcher, createUpstreams, FILE_PLACES } from "@/server/upstream";
import { createVideos, type Videos } from "@/server/videos";

export type Runtime = {
  config: Config;
  secrets: Secrets;
  db: Database;
  vault: Vault;
  log: Log;
  metrics: Metrics;
  access: Gatekeeper;
  catalog: Catalog;
  billing: Billing;
  channels: Channels;
  upstreams: ReturnType<typeof createUpstreams>;
  videos: Videos;
  calls: Calls;
  gateway: Gateway;
  bodies: BodyBudget;
  /** Leaves out the credentials that this process has opened. */
  redact: Redact;
  /** From now on every endpoint answers 503. */
  drain: () => void;
  isDraining: () => boolean;
  /**
   * Ends the calls under way with an error that their clients understand: a stream pays for what it delivered, an
   * answer that has not come costs nothing.
   */
  endCalls: () => void;
  close: () => Promise<void>;
};

export type RuntimeOptions = {
  config: Config;
  databaseUrl: string;
  clock?: Clock;
  log?: Log;
  /** Another way to spend: the bench compares with one that does nothing. */
  billing?: (deps: { db: Database; clock: Clock; log: Log }) => Billing;
};

/** Where generated migrations lie; both servers and the commands run from the project's folder. */
export const migrationsFolder = () => join(process.cwd(), "drizzle");

/** Where this machine's processes keep the charges that the database would not take yet. */
export const arrearsDirectory = (config: Config) => join(resolve(config.TOLLGATE_DATA_DIR), "charges");

/** What the metrics wait for the database's word on which channels there are. */
const STATES_TIMEOUT_MS = 2_000;

/** Builds the rooms over one database and begins to watch it for changes. */
export async function createRuntime(options: RuntimeOptions): Promise<Runtime> {
  const { config, clock = systemClock } = options;
  const secrets = loadSecrets(config);
  const log = options.log ?? createLog(config.LOG_LEVEL);
  const metrics = createMetrics(async () => {
    const states = await withinMs(
      channels.states().catch((error: unknown) => {
        log.warn({ err: error }, "the states of channels are not in the metrics");
        return [];
      }),
      STATES_TIMEOUT_MS,
    );
    return states ?? [];
  });
  const db = openDatabase(options.databaseUrl);
  await ensureSecretChecks(db, secrets).catch(async (error: unknown) => {
    await db.close();
    throw error;
  });
  const dispatcher = createDispatcher();
  const vault = vaultOf(secrets);
  const { learn, redact } = createRedactor();
  // What is opened to be sent to an upstream may come back in its words.
  const credentials: Vault = { ...vault, open: (sealed) => learn(vault.open(sealed)) };
  const access = createGatekeeper({
    db,
    clock,
    pepper: secrets.keyPepper,
    previousPepper: secrets.previous.keyPepper,
    trustedProxies: config.TRUSTED_PROXIES,
    redisUrl: config.REDIS_URL,
    maxCalls: config.MAX_CONCURRENT_CALLS,
    onRedisFallback: (error) => {
      metrics.redisFallbacks.inc();
      if (error !== null) {
        log.warn({ err: error }, "Redis does not answer: PostgreSQL counts rate limits until it does");
      }
    },
    log,
    videosPerMinute: config.VIDEO_RATE_LIMIT_PER_MINUTE,
  });
  const catalog = createCatalog({ db });
  const billing =
    options.billing?.({ db, clock, log }) ??
    createBilling({
      db,
      clock,
      log,
      timeZone: config.BILLING_TIMEZONE,
      arrearsDirectory: arrearsDirectory(config),
      observe: (kind) => metrics.billingIncidents.inc({ kind }),
      onArrears: (waiting) => metrics.chargesWaiting.set(waiting),
    });
  const upstreams = createUpstreams(dispatcher);
  const stopping = new AbortController();
  const channels: Channels = createChannels({
    db,
    vault: credentials,
    log,
    upstreams,
    timeoutMs: config.UPSTREAM_TIMEOUT_SECONDS * 1000,
    stopping: stopping.signal,
    observe: ({ channelId, outcome }) => metrics.attempts.inc({ channel: channelId, outcome }),
  });
  const videos = createVideos({
    db,
    catalog,
    billing,
    channels,
    upstreams,
    vault: credentials,
    clock,
    log,
    metrics,
    timeoutMs: config.VIDEO_TIMEOUT_SECONDS * 1000,
    debounceMs: config.VIDEO_POLL_SECONDS * 1000,
    random: Math.random,
  });
  const calls = createCalls({ db, log, metrics, clock, keepDays: config.REQUEST_LOG_DAYS });
  const forget = { access: access.forget, catalog: catalog.forget, channels: channels.forget };
  const changes = await watchChanges(db, {
    onChange: (topic) => forget[topic](),
    onGap: () => Object.values(forget).forEach((clear) => void clear()),
  });

  let draining = false;
  const bodies = createBodyBudget({
    perProcess: config.BODY_MEGABYTES * 1024 * 1024,
    perHolder: config.BODY_MEGABYTES_PER_KEY * 1024 * 1024,
  });
  const gateway = createGateway({
    access,
    fileReaders: createLiveCalls(FILE_PLACES),
    bodies,
    catalog,
    billing,
    channels,
    videos,
    calls,
    log,
    metrics,
    clock,
    redact,
    isDraining: () => draining,
    compatErrors: config.COMPAT_ERRORS,
    keepAliveMs: config.KEEP_ALIVE_SECONDS * 1000,
    idleTimeoutMs: config.UPSTREAM_IDLE_TIMEOUT_SECONDS * 1000,
    stopping: stopping.signal,
    keyPepper: secrets.keyPepper,
    previousKeyPepper: secrets.previous.keyPepper,
    publicUrl: config.PUBLIC_URL ?? null,
  });
  return {
    config,
    secrets,
    db,
    vault,
    log,
    metrics,
    access,
    catalog,
    billing,
    channels,
    upstreams,
    videos,
    calls,
    gateway,
    bodies,
    redact,
    drain: () => {
      draining = true;
    },
    isDraining: () => draining,
    endCalls: () => stopping.abort(new GatewayError("unavailable")),
    close: async () => {
      await videos.close();
      await billing.close();
      // After the last streams have been settled.
      await calls.close();
      await access.flushUses().catch((error: unknown) => log.warn({ err: error }, "last uses are lost"));
      access.close();
      await Promise.all([changes.stop().catch(() => {}), dispatcher.destroy()]);
      await db.close();
      log.flush();
    },
  };
}

const KEY = Symbol.for("tollgate.runtime");
const shared = globalThis as typeof globalThis & { [KEY]?: Promise<Runtime> };

const FRONT = Symbol.for("tollgate.front");
const front = globalThis as typeof globalThis & { [FRONT]?: true };

/** Says that whatever reaches Next in this process has come through our server, which knows the client's address. */
export function standInFront(): void {
  front[FRONT] = true;
}

/** Plain `next start` has nobody in front of it who could vouch for `x-forwarded-*`. */
export const isFronted = (): boolean => front[FRONT] === true;

/** Makes a runtime the one that route modules use. */
export function shareRuntime(runtime: Runtime): void {
  shared[KEY] = Promise.resolve(runtime);
}

/** The process's runtime, built from the environment when nobody has shared one. */
export function getRuntime(): Promise<Runtime> {
  shared[KEY] ??= startFromEnvironment().catch((error: unknown) => {
    delete shared[KEY];
    throw error;
  });
  return shared[KEY];
}

async function startFromEnvironment(): Promise<Runtime> {
  const config = loadConfig();
  const databaseUrl = config.DATABASE_URL ?? findEmbeddedUrl(config.TOLLGATE_DATA_DIR);
  if (!databaseUrl) {
    throw new ConfigError("There is no database yet: set DATABASE_URL, or run `npm start` once.");
  }
  return await createRuntime({ config, databaseUrl });
}
