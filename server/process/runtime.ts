/**
 * The composition root: builds the rooms once per process. `server/process/main.ts` starts it with what it has
 * prepared; under plain `next start` the first request starts it from the environment.
 */
import { join } from "node:path";
import { type IdentityDeps, identityOf } from "@/server/access";
import { providerOf } from "@/server/base/call-metrics";
import { type Clock, systemClock, systemTimers, type Timers } from "@/server/base/clock";
import { type Config, ConfigError, loadConfig } from "@/server/base/config";
import { withinMs } from "@/server/base/deadline";
import { GatewayError } from "@/server/base/errors";
import { createLog, type Log } from "@/server/base/log";
import { COLLECT_MS, createMetrics, type Metrics } from "@/server/base/metrics";
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
  findEmbeddedUrl,
  HOT_CONNECTIONS,
  openDatabase,
  openReadReplica,
  type ReadReplica,
  watchChanges,
} from "@/server/db";
import { type BackgroundRuns, type BodyBudget, createBodyBudget, type Gateway } from "@/server/gateway";
import { ensureSecretChecks } from "@/server/operations";
import { createDispatcher, createUpstreams, PLACES } from "@/server/upstream";
import { localShares } from "./capacity";
import { createClockWatch } from "./clock-watch";
import { type HealthWatch, watchHealth } from "./health";
import { addProcessGauges } from "./process-gauges";
import { createRooms, type Ground, type MakeBilling, openGateway, type Rooms } from "./rooms";

export { arrearsDirectory } from "./rooms";

export type Runtime = Rooms &
  Omit<Ground, "clock" | "stopping" | "sightings" | "heardAt" | "isClockRight" | "onWrite"> & {
    /** From which lists may be read; null: there is none. */
    replica: ReadReplica | null;
    /** Whether calls can be served. */
    health: HealthWatch;
    /** What checking people needs. */
    identity: IdentityDeps;
    gateway: Gateway;
    backgroundRuns: BackgroundRuns;
    bodies: BodyBudget;
    /** Leaves out the credentials that this process has opened. */
    redact: Redact;
    /** From now on it says that it goes: `/readyz` is 503, and each answer ends its connection. It serves on. */
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
  timers?: Timers;
  log?: Log;
  billing?: MakeBilling;
} & Partial<Siblings>;

/** What a process has of the others that serve the same port. One that is alone has none. */
type Siblings = Pick<Ground, "shares"> & {
  /** As its log lines have it. */
  name: string;
  /** Calls that it may have under way at one upstream's address. */
  placesPerOrigin: number;
};

/** Of the most that a process may open, what is for lists and look-ups. */
const connectionsFor = (config: Config) => ({ connections: config.DATABASE_CONNECTIONS - HOT_CONNECTIONS });

/** How far back a start looks at what became of attempts. */
const RECALL_MS = 60 * 60_000;

/** Where generated migrations lie; both servers and the commands run from the project's folder. */
export const migrationsFolder = () => join(process.cwd(), "drizzle");

async function statesOf(channels: Channels, log: Log) {
  const states = channels.states().catch((error: unknown) => {
    log.warn({ err: error }, "the states of channels are not in the metrics");
    return [];
  });
  return ((await withinMs(states, COLLECT_MS)) ?? []).map(({ api, seen, ...standing }) => ({
    ...standing,
    provider: providerOf(api),
    seen: seen.map(({ operation, state, restingCredentials, accountsApart }) => ({
      ...{ operation, state, accountsApart },
      resting: restingCredentials.map(({ index }) => index),
    })),
  }));
}

/** What was seen of channels before this process began. Without it each is met anew. */
async function recallChannels({ channels }: Rooms, db: Database, log: Log) {
  try {
    await channels.recall(await newestAttempts(db, new Date(Date.now() - RECALL_MS)));
  } catch (error) {
    log.warn({ err: error }, "how channels were before the start is not known");
  }
}

function lookAgain(runs: BackgroundRuns | null, log: Log): void {
  runs?.lookAgain().catch((err: unknown) => log.warn({ err }, "background responses run on"));
}

/** Keeps what rooms remember of their rows true. `onBarred`: a key, or what is made in the background, may have been ended. */
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
    onGap: () => Object.values(heard).forEach((hear) => void hear()),
  });
}

/** Ends what rooms have under way, and writes what they have in memory. */
async function closeRooms(rooms: Rooms, { backgroundRuns, log }: Pick<Runtime, "backgroundRuns" | "log">) {
  await rooms.videos.close();
  await rooms.notifications.close();
  await backgroundRuns.close();
  await rooms.billing.close();
  // After the last streams have been settled.
  rooms.idempotency.close();
  await Promise.all([rooms.calls.close(), rooms.missed.close()]);
  await rooms.access.flushUses().catch((error: unknown) => log.warn({ err: error }, "last uses are lost"));
  rooms.access.close();
}

const replicaOf = (db: Database, config: Config, log: Log): ReadReplica | null =>
  config.DATABASE_READ_URL === undefined
    ? null
    : openReadReplica(db, { url: config.DATABASE_READ_URL, ...connectionsFor(config), log });

/** The database, whose secrets are ours. Throws where they are not. */
async function openWarm({ config, databaseUrl }: RuntimeOptions, secrets: Secrets): Promise<Database> {
  const isDistributed = await findDistribution(databaseUrl);
  const db = openDatabase(databaseUrl, { ...connectionsFor(config), isDistributed });
  await ensureSecretChecks(db, secrets).catch(async (error: unknown) => {
    await db.close();
    throw error;
  });
  // The first call finds its connections open.
  await db.keepWarm();
  return db;
}

/** Builds the rooms over one database and begins to watch it for changes. */
export async function createRuntime(options: RuntimeOptions): Promise<Runtime> {
  const { config, clock = systemClock, timers = systemTimers } = options;
  const secrets = loadSecrets(config);
  const log = options.log ?? createLog(config.LOG_LEVEL, undefined, options.name);
  const metrics: Metrics = createMetrics(() => statesOf(rooms.channels, log));
  const db = await openWarm(options, secrets);
  const dispatcher = createDispatcher();
  const upstreams = createUpstreams(dispatcher, { places: options.placesPerOrigin ?? PLACES, clock });
  const vault = vaultOf(secrets);
  const { learn, redact } = createRedactor();
  // What is opened to be sent to an upstream may come back in its words.
  const credentials: Vault = { ...vault, open: (sealed) => learn(vault.open(sealed)) };
  const stopping = new AbortController();
  const { shares = localShares(config) } = options;
  const right = createClockWatch(db);
  // Before the first call asks which month it is.
  await right.measure();
  const process = { config, secrets, clock, timers, log, metrics, db, upstreams, shares };
  let changes: Changes | null = null;
  let backgroundRuns: BackgroundRuns | null = null;
  let health: HealthWatch | null = null;
  const ground = {
    ...process,
    vault: credentials,
    stopping: stopping.signal,
    heardAt: () => changes?.heardAt() ?? 0,
    isClockRight: right.isRight,
    onWrite: (error: unknown) => health?.noteWrite(error),
    sightings: await openSightings(db),
  };
  const rooms = createRooms(ground, options.billing);
  const replica = replicaOf(db, config, log);
  await recallChannels(rooms, db, log);
  changes = await watchRooms(rooms, db, () => lookAgain(backgroundRuns, log));
  const watched = watchHealth({
    ...{ db, secrets, log, clock: right, heardAt: ground.heardAt, replica },
    migrations: migrationsFolder(),
    askRedis: rooms.access.askRedis,
  });
  health = watched;
  addProcessGauges({ metrics, db, changes, health: watched });

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
    endCalls: () => stopping.abort(new GatewayError("unavailable")),
    close: async () => {
      watched.stop();
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

/** Throws ConfigError where there is no database yet. */
export function databaseUrlOf(config: Config): string {
  const databaseUrl = config.DATABASE_URL ?? findEmbeddedUrl(config.TOLLGATE_DATA_DIR);
  if (!databaseUrl) {
    throw new ConfigError("There is no database yet: set DATABASE_URL, or run `npm start` once.");
  }
  return databaseUrl;
}

async function startFromEnvironment(): Promise<Runtime> {
  const config = loadConfig();
  return await createRuntime({ config, databaseUrl: databaseUrlOf(config) });
}
