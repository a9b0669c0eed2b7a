/** Builds the rooms and the gateway, each with its dependencies from the process. */

import { createGatekeeper, createLiveCalls, type Gatekeeper } from "@/server/access";
import type { Cancellation } from "@/server/base/cancellation";
import type { Clock, Timers } from "@/server/base/clock";
import { type Config, chargesOf } from "@/server/base/config";
import { flatLog, type Log } from "@/server/base/log";
import type { Redact } from "@/server/base/redactor";
import type { Secrets } from "@/server/base/secrets";
import type { Tracing } from "@/server/base/tracing";
import type { Vault } from "@/server/base/vault";
import { type Billing, createBilling, type ReservedAmount } from "@/server/billing";
import {
  type Calls,
  createCalls,
  createMissedPaths,
  createModelHours,
  type MissedPaths,
  type ModelHours,
} from "@/server/calls";
import { type Catalog, createCatalog } from "@/server/catalog";
import { type Channels, createChannels, type Sightings } from "@/server/channels";
import type { Absence, Database } from "@/server/db";
import type { Metrics } from "@/server/domain/metrics";
import type { Shares } from "@/server/domain/shares";
import {
  type BackgroundRuns,
  type BodyBudget,
  createBackgroundRuns,
  createGateway,
  type Gateway,
} from "@/server/gateway";
import { createIdempotentCalls, type IdempotentCalls } from "@/server/idempotency";
import { createNotificationWork, type NotificationWork } from "@/server/notifications";
import { createPayments, type Payments } from "@/server/payments";
import {
  type BackgroundQueue,
  type ConversationStore,
  createBackgroundQueue,
  createConversationStore,
  createResponseStore,
  createThinkingStore,
  type ResponseStore,
  type ThinkingStore,
} from "@/server/responses";
import type { Upstreams } from "@/server/upstream";
import { createVideos, type Videos } from "@/server/videos";
import { limitsOf } from "./limits";
import { arrearsDirectory, outageOf } from "./watches";

/** The dependencies of rooms. */
export type Ground = {
  config: Config;
  secrets: Secrets;
  clock: Clock;
  /** Timers of streams, calls to upstreams and the worker. */
  timers: Timers;
  log: Log;
  metrics: Metrics;
  db: Database;
  /** Reports everything that it opens to the redactor. */
  vault: Vault;
  upstreams: Upstreams;
  /** The limits that this process shares with others on the same port. */
  shares: Shares;
  /** Sends this process's observations of channels to the installation's other processes. */
  sightings?: Sightings;
  /** Aborts when the process stops and open calls must end. */
  stopping: Cancellation;
  /** As for `createCache`. */
  heardAt?: (() => number) | undefined;
  /** Whether the database is away. null: nothing is served without it. */
  absence?: Absence | null;
  /** Set if this process was started without the database. */
  standIn?: Pick<StandIn, "terms" | "kept"> | undefined;
  /** Whether this machine's clock may decide the month. */
  isClockRight: () => boolean;
  /** As for `createBilling`. */
  whyNotSell: () => string | null;
  mayLoseCommits: () => boolean;
  /** Called after each write of money. */
  onWrite: (error: unknown) => void;
};

export type Rooms = {
  access: Gatekeeper;
  catalog: Catalog;
  billing: Billing;
  channels: Channels;
  videos: Videos;
  calls: Calls;
  missed: MissedPaths;
  modelHours: ModelHours;
  responses: ResponseStore;
  conversations: ConversationStore;
  thinking: ThinkingStore;
  background: BackgroundQueue;
  idempotency: IdempotentCalls;
  notifications: NotificationWork;
  payments: Payments;
};

/** What rooms read in place of the database. */
export type Kept = Pick<Parameters<typeof createGatekeeper>[0], "keptKeys"> &
  Pick<Parameters<typeof createCatalog>[0], "keptStock"> &
  Pick<Parameters<typeof createChannels>[0], "keptWays">;

/** A process that was started without the database. `isShut`: the database must not be used yet. */
export type StandIn = {
  isShut: () => boolean;
  absence: Absence;
  /** What it may sell, and for how long. */
  terms: { reserve: { holder: string; parts: ReservedAmount[] }; longestMs: number };
  kept: Kept;
  /** When the snapshot was taken. */
  takenAt: number;
};

/** Another way to charge: the bench compares with one that does nothing. */
export type MakeBilling = (deps: Pick<Ground, "db" | "clock" | "log">) => Billing;

const createAccess = ({
  db,
  clock,
  log,
  config,
  secrets,
  metrics,
  shares,
  heardAt,
  absence = null,
  standIn,
}: Ground) =>
  createGatekeeper({
    db,
    ...{ keptKeys: standIn?.kept.keptKeys },
    clock,
    pepper: secrets.keyPepper,
    previousPepper: secrets.previous.keyPepper,
    trustedProxies: config.TRUSTED_PROXIES,
    redisUrl: config.REDIS_URL,
    places: shares.calls,
    cachedKeys: limitsOf(config).cachedKeys,
    onRedisFallback: (error) => {
      metrics.redisFallbacks.inc();
      if (error !== null) {
        log.warn({ err: error }, "Redis does not answer: PostgreSQL counts rate limits until it does");
      }
    },
    log,
    videosPerMinute: config.VIDEO_RATE_LIMIT_PER_MINUTE,
    heardAt,
    absence,
  });

const createLedgerBilling = ({
  db,
  clock,
  log,
  config,
  metrics,
  isClockRight,
  whyNotSell,
  mayLoseCommits,
  onWrite,
  absence = null,
  standIn,
}: Ground) => {
  const outage = outageOf(config);
  return createBilling({
    db,
    clock,
    log,
    timeZone: config.BILLING_TIMEZONE,
    arrearsDirectory: arrearsDirectory(config),
    storesCharges: chargesOf(config) === "file",
    outage: outage && absence ? { ...outage, ...standIn?.terms, absence } : null,
    observe: (kind) => metrics.billingIncidents.inc({ kind }),
    isClockRight,
    whyNotSell,
    mayLoseCommits,
    onWrite,
    onSwept: (count) => metrics.sweptHolds.inc(count),
    onArrears: (waiting) => metrics.chargesWaiting.set(waiting),
  });
};

export function createRooms(ground: Ground, makeBilling?: MakeBilling): Rooms {
  const { config, db, clock, log, metrics, upstreams, vault, heardAt } = ground;
  const lastKnown = ground.absence;
  const catalog = createCatalog({ db, clock, heardAt, lastKnown, ...ground.standIn?.kept });
  const billing = makeBilling?.({ db, clock, log }) ?? createLedgerBilling(ground);
  const channels = createChannels({
    db,
    vault,
    log,
    timers: ground.timers,
    upstreams,
    timeoutMs: config.UPSTREAM_TIMEOUT_SECONDS * 1000,
    stopping: ground.stopping,
    heardAt,
    lastKnown,
    ...{ keptWays: ground.standIn?.kept.keptWays },
    ...(ground.sightings && { sightings: ground.sightings }),
    observe: (attempt) => {
      metrics.attempts.inc({ channel: attempt.channelId, outcome: attempt.outcome });
      metrics.attemptEnded(attempt);
    },
  });
  const videos = createVideos({
    db,
    catalog,
    billing,
    channels,
    upstreams,
    vault,
    clock,
    isClockRight: ground.isClockRight,
    log,
    metrics,
    timeoutMs: config.VIDEO_TIMEOUT_SECONDS * 1000,
    debounceMs: config.VIDEO_POLL_SECONDS * 1000,
    random: Math.random,
  });
  const calls = createCalls({ db, log, metrics, clock, keepDays: config.REQUEST_LOG_DAYS });
  const missed = createMissedPaths({ db, log });
  const modelHours = createModelHours({ db, log, clock });
  const { encryptionKey, previous } = ground.secrets;
  const secrets = [encryptionKey, previous.encryptionKey].filter((secret) => secret !== undefined);
  const retentionDays = config.RESPONSES_RETENTION_DAYS;
  const background = createBackgroundQueue({ db, clock, billing, secrets, retentionDays });
  const responses = createResponseStore({
    ...{ db, clock, log, secrets, retentionDays },
    mostBytes: config.RESPONSES_MEGABYTES_PER_ACCOUNT * 1024 * 1024,
  });
  const conversations = createConversationStore({ db, clock, log, secrets, retentionDays, responses });
  const thinking = createThinkingStore({
    ...{ db, clock, secrets, hours: config.THINKING_RETENTION_HOURS },
    mostBytes: config.THINKING_MEGABYTES_PER_ACCOUNT * 1024 * 1024,
  });
  const notifications = createNotificationWork({
    ...{ db, channels, vault, clock, log, config, secrets: ground.secrets, period: billing.period },
  });
  const idempotency = createIdempotentCalls({ db, log, secrets });
  const payments = createPayments({ db, config, log, period: billing.period });
  const kept = { responses, conversations, thinking, background, idempotency, notifications, payments };
  const logs = { calls, missed, modelHours };
  return { access: createAccess(ground), catalog, billing, channels, videos, ...logs, ...kept };
}

type GatewayOptions = {
  bodies: BodyBudget;
  redact: Redact;
  tracing: Tracing | null;
  isDraining: () => boolean;
};

/** The endpoints, and the runs of responses in the background. */
export function openGateway(
  { config, secrets, clock, timers, log, metrics, shares, stopping, absence = null }: Ground,
  rooms: Rooms,
  door: GatewayOptions,
): { gateway: Gateway; backgroundRuns: BackgroundRuns } {
  const deps = {
    ...rooms,
    ...door,
    fileReaders: createLiveCalls(shares.files),
    log,
    callLog: flatLog(log),
    metrics,
    clock,
    timers,
    compatErrors: config.COMPAT_ERRORS,
    corsOrigins: config.CORS_ORIGINS,
    keepAliveMs: config.KEEP_ALIVE_SECONDS * 1000,
    longestWaitMs: config.MAX_WAIT_SECONDS * 1000,
    videoPollMs: config.VIDEO_POLL_SECONDS * 1000,
    idleTimeoutMs: config.UPSTREAM_IDLE_TIMEOUT_SECONDS * 1000,
    stopping,
    keyPepper: secrets.keyPepper,
    previousKeyPepper: secrets.previous.keyPepper,
    publicUrl: config.PUBLIC_URL ?? null,
    isAlone: () => absence?.mayServe() ?? false,
    currency: config.CURRENCY,
  };
  const maxRuns = config.BACKGROUND_RESPONSES;
  return { gateway: createGateway(deps), backgroundRuns: createBackgroundRuns({ ...deps, maxRuns }) };
}
