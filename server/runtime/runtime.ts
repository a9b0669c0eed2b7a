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
import { type Channels, openSightings } from "@/server/channels";
import {
  type Absence,
  type Changes,
  type Database,
  findDistribution,
  HOT_CONNECTIONS,
  openDatabase,
  openReadReplica,
  type ReadReplica,
} from "@/server/db";
import { providerOf } from "@/server/domain/call-metrics";
import { COLLECT_MS, createMetrics, type Metrics } from "@/server/domain/metrics";
import { type BackgroundRuns, type BodyBudget, createBodyBudget, type Gateway } from "@/server/gateway";
import { ensureSecretChecks } from "@/server/operations";
import { createDispatcher, createUpstreams, type OriginLimits } from "@/server/upstream";
import { limitsPerOrigin, localShares } from "./capacity";
import { closeRooms, followRooms } from "./follow-rooms";
import { type HealthWatch, watchHealth } from "./health";
import { limitsOf } from "./limits";
import { addProcessGauges } from "./process-gauges";
import { createRooms, type Ground, type MakeBilling, openGateway, type Rooms, type StandIn } from "./rooms";
import { findKeptAge, snapshotMs, withdrawing } from "./snapshot";
import { openWatches } from "./watches";

export { arrearsDirectory } from "./watches";

export type Runtime = Rooms &
  Omit<
    Ground,
    | "clock"
    | "stopping"
    | "sightings"
    | "heardAt"
    | "whyNotSell"
    | "mayLoseCommits"
    | "onWrite"
    | "absence"
    | "standIn"
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
  /** Set if the database is away, and this process serves without it until it ends. */
  standIn?: StandIn;
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

const replicaOf = (db: Database, config: Config, log: Log): ReadReplica | null =>
  config.DATABASE_READ_URL === undefined
    ? null
    : openReadReplica(db, { url: config.DATABASE_READ_URL, ...connectionsFor(config), log });

/** Opens the database, and checks that it was used with our secrets. Throws if it was not. */
async function openWarm(
  { config, databaseUrl, standIn }: RuntimeOptions,
  secrets: Secrets,
): Promise<Database> {
  if (standIn) {
    return openDatabase(databaseUrl, { ...connectionsFor(config), isShut: standIn.isShut });
  }
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

type Watched = Pick<Parameters<typeof watchHealth>[0], "clock" | "heardAt" | "replica" | "standbys"> &
  Pick<Parameters<typeof addProcessGauges>[0], "changes"> &
  Pick<RuntimeOptions, "standIn"> & { rooms: Rooms; absence: Absence | null };

/** Watches whether calls can be served, and adds this to the metrics. */
function watchProcess(
  { config, db, secrets, log, metrics }: Pick<Ground, "config" | "db" | "secrets" | "log" | "metrics">,
  { rooms, absence, standIn, changes, standbys, ...seen }: Watched,
): HealthWatch {
  const snapshotAt = standIn?.takenAt ?? null;
  const health = watchHealth({
    ...{ db, secrets, log, ...seen, snapshotAt },
    migrations: migrationsFolder(),
    standbys: config.SYNC_STANDBY === "require" ? standbys : null,
    servesAlone: () => (absence?.mayServe() ?? false) && rooms.billing.sellsAlone(),
    askRedis: rooms.access.askRedis,
  });
  const keptAge = snapshotMs(config) > 0 ? () => findKeptAge(config) : null;
  addProcessGauges({ metrics, db, changes, health, standbys, absence, snapshotAt, keptAge });
  return health;
}

/** Builds the rooms over one database and watches it for changes. */
export async function createRuntime(options: RuntimeOptions): Promise<Runtime> {
  const { config, clock = systemClock, timers = systemTimers } = options;
  const secrets = loadSecrets(config);
  const log = options.log ?? createLog(config.LOG_LEVEL, undefined, options.name);
  const metrics: Metrics = createMetrics(() => statesOf(rooms.channels, log));
  const db = await openWarm(options, secrets);
  const { originLimits = limitsPerOrigin(config, 1), shares = localShares(config), standIn } = options;
  const dispatcher = createDispatcher(originLimits.places + limitsOf(config).fileReaders);
  const upstreams = createUpstreams(dispatcher, { limits: originLimits, clock });
  const vault = vaultOf(secrets);
  const { learn, redact } = createRedactor();
  // A credential that is opened for an upstream may come back in the upstream's words.
  const credentials: Vault = { ...vault, open: (sealed) => learn(vault.open(sealed)) };
  const stopping = new CancellationSource();
  const seen = { config, log, away: standIn?.absence };
  const { clock: right, standbys, absence, ...watches } = await openWatches(db, seen);
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
    ...(standIn === undefined && { sightings: await openSightings(db) }),
    standIn,
  };
  const rooms = createRooms(ground, options.billing);
  const replica = replicaOf(db, config, log);
  if (standIn === undefined) {
    const withdrawal = withdrawing(config, log);
    changes = await followRooms(rooms, { db, log, withdrawal, runs: () => backgroundRuns });
  }
  const watched = watchProcess(process, {
    ...{ rooms, replica, changes, standbys, absence, standIn },
    ...{ clock: right, heardAt: ground.heardAt },
  });
  health = watched;

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
    isClockRight: right.isRight,
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
