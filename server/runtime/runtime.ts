/**
 * The composition root: builds the rooms over one database, and watches what they depend on.
 */

import { join } from "node:path";
import { type IdentityDeps, identityOf } from "@/server/access";
import { CancellationSource } from "@/server/base/cancellation";
import { type Clock, systemClock, systemTimers, type Timers } from "@/server/base/clock";
import type { Config } from "@/server/base/config";
import { withinMs } from "@/server/base/deadline";
import { GatewayError } from "@/server/base/errors";
import { createLog, type Log } from "@/server/base/log";
import { createRedactor, type Redact } from "@/server/base/redactor";
import { loadSecrets, type Secrets } from "@/server/base/secrets";
import { openTracing } from "@/server/base/tracing";
import { type Vault, vaultOf } from "@/server/base/vault";
import { newestAttempts } from "@/server/calls";
import { type Channels, openSightings } from "@/server/channels";
import {
  type Changes,
  type Database,
  findDistribution,
  HOT_CONNECTIONS,
  openDatabase,
  openReadReplica,
  type ReadReplica,
  watchChanges,
} from "@/server/db";
import { providerOf } from "@/server/domain/call-metrics";
import { COLLECT_MS, createMetrics, type Metrics } from "@/server/domain/metrics";
import { type BackgroundRuns, type BodyBudget, createBodyBudget, type Gateway } from "@/server/gateway";
import { ensureSecretChecks } from "@/server/operations";
import { createDispatcher, createUpstreams, type OriginLimits } from "@/server/upstream";
import { limitsPerOrigin, localShares } from "./capacity";
import { type HealthWatch, watchHealth } from "./health";
import { limitsOf } from "./limits";
import { addProcessGauges } from "./process-gauges";
import { createRooms, type Ground, type MakeBilling, openGateway, type Rooms } from "./rooms";
import { openWatches } from "./watches";

export { arrearsDirectory } from "./rooms";

export type Runtime = Rooms &
  Omit<
    Ground,
    | "clock"
    | "stopping"
    | "sightings"
    | "heardAt"
    | "isClockRight"
    | "whyNotSell"
    | "mayLoseCommits"
    | "onWrite"
    | "absence"
  > & {
    /** The standby from which lists may be read; null: none. */
    replica: ReadReplica | null;
    /** Whether calls can be served. */
    health: HealthWatch;
    /** The dependencies of checks of users. */
    identity: IdentityDeps;
    gateway: Gateway;
    backgroundRuns: BackgroundRuns;
    bodies: BodyBudget;
    /** Removes the credentials that this process has opened from a text. */
    redact: Redact;
    /** Announces the end: `/readyz` becomes 503, and each answer closes its connection. Calls are still served. */
    drain: () => void;
    isDraining: () => boolean;
    /**
     * Ends open calls with an error that their clients understand: a stream is charged for what it delivered, an answer
     * that has not come costs nothing.
     */
    endCalls: () => void;
    close: () => Promise<void>;
  };

export type RuntimeOptions = {
  config: Config;
  databaseUrl: string;
  clock?: Clock;
  timers?: Timers;
  log?: Log;
  billing?: MakeBilling;
} & Partial<Siblings>;

/** The settings of a process that has siblings on the same port. A lone process has none. */
type Siblings = Pick<Ground, "shares"> & {
  /** The name in its log lines. */
  name: string;
  /** Of the calls to one upstream's address. */
  originLimits: OriginLimits;
};

/** Connections for lists and look-ups, out of the most that a process may open. */
const connectionsFor = (config: Config) => ({ connections: config.DATABASE_CONNECTIONS - HOT_CONNECTIONS });

/** How far back a start reads attempts. */
const RECALL_MS = 60 * 60_000;

/** The folder of generated migrations; both servers and the commands run from the project's folder. */
export const migrationsFolder = () => join(process.cwd(), "drizzle");

async function statesOf(channels: Channels, log: Log) {
  const states = channels.states().catch((error: unknown) => {
    log.warn({ err: error }, "the states of channels are not in the metrics");
    return [];
  });
  return ((await withinMs(states, COLLECT_MS)) ?? []).map(({ api, seen: operations, ...standing }) => ({
    ...standing,
    provider: providerOf(api),
    operations: operations.map(({ operation, state, restingCredentials, accountsApart }) => ({
      ...{ operation, state, accountsApart },
      resting: restingCredentials.map(({ index }) => index),
    })),
  }));
}

/**
 * Restores the observations of channels from before this process began. Without them every channel starts as unknown.
 */
async function recallChannels({ channels }: Rooms, db: Database, log: Log) {
  try {
    channels.restoreHealth(await newestAttempts(db, new Date(Date.now() - RECALL_MS)));
  } catch (error) {
    log.warn({ err: error }, "channel states from before the start could not be loaded");
  }
}

function lookAgain(runs: BackgroundRuns | null, log: Log): void {
  runs?.lookAgain().catch((err: unknown) => log.warn({ err }, "background responses run on"));
}

/**
 * Clears the rooms' caches when rows change, and doubts them when a change may have been missed. `onBarred`: a key, or a response in the background, may have been ended.
 */
async function watchRooms(
  { access, catalog, channels }: Rooms,
  db: Database,
  onBarred: () => void,
): Promise<Changes> {
  const heard = {
    access: () => {
      access.forget();
      onBarred();
    },
    catalog: catalog.forget,
    channels: channels.forget,
    background: onBarred,
  };
  return await watchChanges(db, {
    onChange: (topic) => heard[topic](),
    onGap: () => {
      [access, catalog, channels].forEach(({ doubt }) => void doubt());
      onBarred();
    },
  });
}

/** Ends the rooms' open work, and writes what they have in memory. */
async function closeRooms(rooms: Rooms, { backgroundRuns, log }: Pick<Runtime, "backgroundRuns" | "log">) {
  await rooms.videos.close();
  await rooms.notifications.close();
  await backgroundRuns.close();
  await rooms.billing.close();
  // After the last streams have been settled.
  rooms.idempotency.close();
  await Promise.all([rooms.calls.close(), rooms.missed.close(), rooms.modelHours.close()]);
  await rooms.access.flushUses().catch((error: unknown) => log.warn({ err: error }, "last uses are lost"));
  rooms.access.close();
}

const replicaOf = (db: Database, config: Config, log: Log): ReadReplica | null =>
  config.DATABASE_READ_URL === undefined
    ? null
    : openReadReplica(db, { url: config.DATABASE_READ_URL, ...connectionsFor(config), log });

/** Opens the database, and checks that it was used with our secrets. Throws if it was not. */
async function openWarm({ config, databaseUrl }: RuntimeOptions, secrets: Secrets): Promise<Database> {
  const isDistributed = await findDistribution(databaseUrl);
  const db = openDatabase(databaseUrl, { ...connectionsFor(config), isDistributed });
  await ensureSecretChecks(db, secrets).catch(async (error: unknown) => {
    await db.close();
    throw error;
  });
  // The first call then finds open connections.
  await db.keepWarm();
  return db;
}

/** Builds the rooms over one database and watches it for changes. */
export async function createRuntime(options: RuntimeOptions): Promise<Runtime> {
  const { config, clock = systemClock, timers = systemTimers } = options;
  const secrets = loadSecrets(config);
  const log = options.log ?? createLog(config.LOG_LEVEL, undefined, options.name);
  const metrics: Metrics = createMetrics(() => statesOf(rooms.channels, log));
  const db = await openWarm(options, secrets);
  const { originLimits = limitsPerOrigin(config, 1) } = options;
  const dispatcher = createDispatcher(originLimits.places + limitsOf(config).fileReaders);
  const upstreams = createUpstreams(dispatcher, { limits: originLimits, clock });
  const vault = vaultOf(secrets);
  const { learn, redact } = createRedactor();
  // A credential that is opened for an upstream may come back in the upstream's words.
  const credentials: Vault = { ...vault, open: (sealed) => learn(vault.open(sealed)) };
  const stopping = new CancellationSource();
  const { shares = localShares(config) } = options;
  const { clock: right, standbys, absence, ...watches } = await openWatches(db, config, log);
  const process = { config, secrets, clock, timers, log, metrics, db, upstreams, shares };
  let changes: Changes | null = null;
  let backgroundRuns: BackgroundRuns | null = null;
  let health: HealthWatch | null = null;
  const ground = {
    ...process,
    vault: credentials,
    stopping,
    heardAt: () => changes?.heardAt() ?? 0,
    ...watches.conditions,
    onWrite: (error: unknown) => {
      health?.noteWrite(error);
      absence?.noteWrite(error);
    },
    sightings: await openSightings(db),
  };
  const rooms = createRooms(ground, options.billing);
  const replica = replicaOf(db, config, log);
  await recallChannels(rooms, db, log);
  changes = await watchRooms(rooms, db, () => lookAgain(backgroundRuns, log));
  const watched = watchHealth({
    ...{ db, secrets, log, clock: right, heardAt: ground.heardAt, replica },
    migrations: migrationsFolder(),
    standbys: config.SYNC_STANDBY === "require" ? standbys : null,
    servesAlone: () => (absence?.mayServe() ?? false) && rooms.billing.sellsAlone(),
    askRedis: rooms.access.askRedis,
  });
  health = watched;
  addProcessGauges({ metrics, db, changes, health: watched, standbys, absence });

  let draining = false;
  const bodies = createBodyBudget(shares.bodies, {
    perHolder: config.BODY_MEGABYTES_PER_KEY * 1024 * 1024,
  });
  const isDraining = () => draining;
  const tracing = await openTracing(config, log);
  const opened = openGateway(ground, rooms, { bodies, redact, tracing, isDraining });
  backgroundRuns = opened.backgroundRuns;
  return {
    ...process,
    ...rooms,
    health: watched,
    replica,
    vault,
    identity: identityOf({ db, secrets, vault }),
    ...opened,
    bodies,
    redact,
    drain: () => {
      draining = true;
    },
    isDraining,
    endCalls: () => stopping.cancel(new GatewayError("unavailable")),
    close: async () => {
      watched.stop();
      watches.stop();
      await closeRooms(rooms, { backgroundRuns: opened.backgroundRuns, log });
      await Promise.all([
        changes?.stop().catch(() => {}),
        tracing?.close(),
        replica?.close(),
        dispatcher.destroy(),
      ]);
      await db.close();
      log.flush();
    },
  };
}
