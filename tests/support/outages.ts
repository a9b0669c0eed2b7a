/** The outages around a server: how each begins, and how it ends. */
import { sqlOf } from "@/server/db/handles";
import type { DatabaseLink } from "./database-link";
import type { Ledger } from "./ledger";
import type { NameServer } from "./name-server";
import { comment, drip, hang, redirect, reset, wholeAnswer } from "./outage-answers";
import {
  closeIdle,
  closeSlowReaders,
  endSenders,
  openIdle,
  openSlowReaders,
  sendLarge,
} from "./outage-clients";
import type { OwnDatabase } from "./own-database";
import type { ServerProcess } from "./process";
import type { ProcessControl } from "./process-control";
import { familyOf } from "./process-tree";
import type { FakeUpstream, UpstreamHandler } from "./upstream";

/** Another server on the same database, behind the balancer that calls use from then on. */
type ReplicaServer = { server: ServerProcess; close: () => Promise<void> };

export type OutageServices = {
  postgres: OwnDatabase;
  /** null if this machine does not allow one. */
  names: NameServer | null;
  database: DatabaseLink;
  redis: DatabaseLink;
  upstream: FakeUpstream;
  ledger: Ledger;
  processControl: ProcessControl;
  server: () => ServerProcess;
  addReplica: () => Promise<ReplicaServer>;
  secret: string;
  senders: string[];
  model: string;
};

/**
 * Errors of calls that an upstream had answered when the database went away and stayed away: they may be charged later.
 */
const UNCHARGED = ["billing_failed", "server_error"];

export type Outage = {
  name: string;
  /** Runs before the traffic; the function that it returns undoes it after the traffic. */
  prepare?: (world: OutageServices) => Promise<() => Promise<void>>;
  begin: (world: OutageServices) => unknown;
  end: (world: OutageServices) => unknown;
  /** Its own duration, if it differs from the others'. */
  lastsMs?: number;
  /** Its requirements on this machine; absent: it has none. */
  needs?: (world: OutageServices) => boolean;
  /**
   * The errors that clients may get meanwhile (`x-error-code`, or the code in a stream). Empty: clients notice nothing.
   */
  errors: string[];
  /** More errors, of a pause that lasts longer than calls wait: a busy machine makes a pause of two seconds longer. */
  errorsOfLongPause?: string[];
  /** The answer of `/readyz` meanwhile; absent: either. */
  isReady?: boolean;
  /** The megabytes by which its processes may grow meanwhile, if more than with others. */
  peak?: number;
};

const MONTH_MS = 31 * 24 * 3_600_000;

type Deeds = [begin: Outage["begin"], end: Outage["end"]];

const outage = (name: string, [begin, end]: Deeds, rest: Omit<Outage, "name" | "begin" | "end">): Outage => ({
  name,
  begin,
  end,
  ...rest,
});

const upstreamThat = (name: string, answer: UpstreamHandler, errors: string[]): Outage =>
  outage(
    `the upstream ${name}`,
    [({ upstream }) => upstream.answer(answer), ({ upstream }) => upstream.answer(wholeAnswer)],
    { errors },
  );

const goes = (link: "database" | "redis"): Deeds => [
  (world) => world[link].cut({ abruptly: true }),
  (world) => world[link].mend(),
];
/** Dropped bytes are lost: in the end these connections end, as a failover ends them. */
const saysNothing = (link: "database" | "redis"): Deeds => [
  (world) => world[link].silence(),
  (world) => {
    world[link].cut();
    world[link].mend();
  },
];

const signalAll = (server: ServerProcess, signal: "SIGSTOP" | "SIGCONT") => {
  for (const { pid } of familyOf(server)) {
    process.kill(pid, signal);
  }
};

let replica: ReplicaServer | null = null;
const signalReplica = (signal: "SIGSTOP" | "SIGCONT") => () => {
  if (replica) {
    signalAll(replica.server, signal);
  }
};

/** Ends the connections, so that the name is queried again. */
const unnamed = (
  host: "upstream" | "database",
  mood: "knows nothing" | "is silent",
  outage: { name: string; errors: string[]; isReady?: boolean },
): Outage => ({
  ...outage,
  needs: ({ names }) => names !== null,
  begin: ({ names, upstream, database }) => {
    names?.set(host, mood);
    if (host === "database") {
      database.cut();
      database.mend();
      return;
    }
    upstream.answer(async (call, response, request) => {
      response.shouldKeepAlive = false;
      await wholeAnswer(call, response, request);
    });
    upstream.endIdle();
  },
  end: ({ names, upstream }) => {
    names?.set(host, "answers");
    upstream.answer(wholeAnswer);
  },
});

const databaseOf = ({ database }: OutageServices) => new URL(database.directUrl).pathname.slice(1);

/** As managed databases do when their disk is full: reads work, writes do not. */
async function setReadOnly(world: OutageServices, isReadOnly: boolean): Promise<void> {
  const sql = sqlOf(world.ledger.db);
  const name = databaseOf(world);
  await sql`set default_transaction_read_only = off`;
  await sql.unsafe(
    `alter database "${name}" set default_transaction_read_only = ${isReadOnly ? "on" : "off"}`,
  );
  await sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = ${name} and pid <> pg_backend_pid() and application_name = 'tollgate'`;
}

const unpaid = { errors: ["unavailable", ...UNCHARGED] };
const notReady = { ...unpaid, isReady: false };
const unnoticed = { errors: [], isReady: true };

const turnsClock = (byMs: number): Deeds => [
  ({ processControl }) => processControl.turnClock(byMs),
  ({ processControl }) => processControl.turnClock(0),
];

/** Outages of the services below a server: PostgreSQL, Redis, its machine and the clock. */
const groundOutages = (isShort: boolean): Outage[] => [
  outage("PostgreSQL is away", goes("database"), notReady),
  outage("PostgreSQL does not answer", saysNothing("database"), notReady),
  outage(
    "PostgreSQL has no connection left",
    [({ postgres }) => postgres.crowd(), ({ postgres }) => postgres.leave()],
    notReady,
  ),
  outage(
    "PostgreSQL's disk is full",
    [({ postgres }) => postgres.disk?.fill(), ({ postgres }) => postgres.disk?.free()],
    { ...unpaid, needs: ({ postgres }) => postgres.disk !== null },
  ),
  outage(
    "PostgreSQL only reads, as a managed one whose disk is full",
    [(world) => setReadOnly(world, true), (world) => setReadOnly(world, false)],
    unpaid,
  ),
  unnamed("database", "knows nothing", { name: "PostgreSQL's name does not exist", ...notReady }),
  unnamed("database", "is silent", { name: "the name server does not answer for PostgreSQL", ...notReady }),
  outage("Redis is away", goes("redis"), unnoticed),
  outage("Redis does not answer", saysNothing("redis"), unnoticed),
  {
    name: "the server is paused",
    begin: (world) => signalAll(world.server(), "SIGSTOP"),
    end: (world) => signalAll(world.server(), "SIGCONT"),
    ...(isShort && { lastsMs: 2_000 }),
    // When it continues, the upstreams' time-outs are over, and so is its time limit for idle connections, on which a
    // call may have arrived meanwhile.
    errors: [],
    errorsOfLongPause: ["upstreams_unavailable", "upstream_error", "ECONNRESET"],
  },
  {
    name: "one of two replicas is paused",
    prepare: async (world) => {
      replica = await world.addReplica();
      return replica.close;
    },
    begin: signalReplica("SIGSTOP"),
    end: signalReplica("SIGCONT"),
    ...(!isShort && { lastsMs: 60_000 }),
    // Errors of calls that were on their way to it, or arrived before the balancer had noticed.
    errors: [],
    errorsOfLongPause: ["TimeoutError", "upstreams_unavailable", "upstream_error"],
    isReady: true,
  },
  outage("the clock is a month ahead", turnsClock(MONTH_MS), { errors: ["unavailable"], isReady: false }),
  outage("the clock is a month behind", turnsClock(-MONTH_MS), { errors: ["unavailable"], isReady: false }),
];

const unresolved = { errors: ["upstreams_unavailable"], isReady: true };

/** Outages of upstreams and clients. */
const trafficOutages = (isShort: boolean): Outage[] => [
  unnamed("upstream", "knows nothing", { name: "the upstream's name does not exist", ...unresolved }),
  unnamed("upstream", "is silent", {
    name: "the name server does not answer for the upstream",
    ...unresolved,
  }),
  upstreamThat("does not answer", hang, ["upstreams_unavailable"]),
  upstreamThat("drips a byte at a time", drip, ["upstreams_unavailable"]),
  upstreamThat("sends only comments", comment, ["upstreams_unavailable"]),
  upstreamThat("resets connections", reset, ["upstreams_unavailable", "upstream_error"]),
  upstreamThat("redirects to an address of the machine itself", redirect, ["upstreams_unavailable"]),
  outage(
    `${isShort ? 1_000 : 5_000} connections are idle`,
    [(world) => openIdle(world, isShort ? 1_000 : 5_000), closeIdle],
    unnoticed,
  ),
  outage(
    `${isShort ? 8 : 50} clients read nothing of 16 MB each`,
    [(world) => openSlowReaders(world, isShort ? 8 : 50), closeSlowReaders],
    // The buffers of sockets and streams for each.
    { ...unnoticed, peak: 150 },
  ),
  outage(
    `${isShort ? 4 : 40} bodies of 32 MB are sent at once`,
    [(world) => sendLarge(world, isShort ? 1 : 10), endSenders],
    // At most 256 MB of bodies are admitted at a time (BODY_MEGABYTES), and each takes up to ten times its size.
    { ...unnoticed, peak: isShort ? 1_280 : 2_560 },
  ),
];

/** `isShort`: fewer connections and clients, for a small machine. */
export const outages = { ground: groundOutages, traffic: trafficOutages };
