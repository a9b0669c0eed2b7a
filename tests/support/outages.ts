/** What can go wrong around a server: how each begins, and how it ends. */
import { sqlOf } from "@/server/db/handles";
import type { DatabaseLink } from "./database-link";
import type { Inside } from "./inside";
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
import { familyOf } from "./process-tree";
import type { Answer, FakeUpstream } from "./upstream";

/** Another server on the same database, behind the balancer that calls go to from then on. */
type Replica = { server: ServerProcess; close: () => Promise<void> };

export type World = {
  postgres: OwnDatabase;
  /** null: this machine does not let us have one. */
  names: NameServer | null;
  database: DatabaseLink;
  redis: DatabaseLink;
  upstream: FakeUpstream;
  ledger: Ledger;
  inside: Inside;
  server: () => ServerProcess;
  addReplica: () => Promise<Replica>;
  secret: string;
  senders: string[];
  model: string;
};

/** Of calls that an upstream had answered when the database went, and stayed away: they are charged later, or not. */
const UNCHARGED = ["billing_failed", "server_error"];

export type Outage = {
  name: string;
  /** Before anybody calls; what it answers undoes it when nobody does any more. */
  prepare?: (world: World) => Promise<() => Promise<void>>;
  begin: (world: World) => unknown;
  end: (world: World) => unknown;
  /** Where it lasts for another time than others do. */
  lastsMs?: number;
  /** What it cannot do without on this machine; absent: it can always be tried. */
  needs?: (world: World) => boolean;
  /** What clients may be told meanwhile (`x-error-code`, or the code in a stream). Nothing: nobody notices. */
  told: string[];
  /** As `/readyz` says it meanwhile; absent: either. */
  isReady?: boolean;
  /** By how many megabytes its processes may have grown meanwhile, where it is by more than with others. */
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

const upstreamThat = (name: string, answer: Answer, told: string[]): Outage =>
  outage(
    `the upstream ${name}`,
    [({ upstream }) => upstream.answer(answer), ({ upstream }) => upstream.answer(wholeAnswer)],
    { told },
  );

const goes = (link: "database" | "redis"): Deeds => [
  (world) => world[link].cut({ abruptly: true }),
  (world) => world[link].mend(),
];
/** What was swallowed is lost: in the end those connections end, as a failover ends them. */
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

let replica: Replica | null = null;
const signalReplica = (signal: "SIGSTOP" | "SIGCONT") => () => {
  if (replica) {
    signalAll(replica.server, signal);
  }
};

/** Connections end, so that the name is asked for again. */
const unnamed = (
  of: "upstream" | "database",
  mood: "knows nothing" | "is silent",
  outage: { name: string; told: string[]; isReady?: boolean },
): Outage => ({
  ...outage,
  needs: ({ names }) => names !== null,
  begin: ({ names, upstream, database }) => {
    names?.set(of, mood);
    if (of === "database") {
      database.cut();
      database.mend();
      return;
    }
    upstream.answer(async (asked, response, request) => {
      response.shouldKeepAlive = false;
      await wholeAnswer(asked, response, request);
    });
    upstream.endIdle();
  },
  end: ({ names, upstream }) => {
    names?.set(of, "answers");
    upstream.answer(wholeAnswer);
  },
});

const databaseOf = ({ database }: World) => new URL(database.directUrl).pathname.slice(1);

/** As managed databases do it when their disk is full: what is there is read, and nothing is written. */
async function setReadOnly(world: World, isReadOnly: boolean): Promise<void> {
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

const unpaid = { told: ["unavailable", ...UNCHARGED] };
const notReady = { ...unpaid, isReady: false };
const unnoticed = { told: [], isReady: true };

const turnsClock = (byMs: number): Deeds => [
  ({ inside }) => inside.turnClock(byMs),
  ({ inside }) => inside.turnClock(0),
];

/** Of what a server stands on: PostgreSQL, Redis, its machine and the clock. */
const groundOutages = (isShort: boolean): Outage[] => [
  outage("PostgreSQL is away", goes("database"), notReady),
  outage("PostgreSQL says nothing", saysNothing("database"), notReady),
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
  unnamed("database", "knows nothing", { name: "there is no such name as PostgreSQL's", ...notReady }),
  unnamed("database", "is silent", { name: "the name server says nothing of PostgreSQL", ...notReady }),
  outage("Redis is away", goes("redis"), unnoticed),
  outage("Redis says nothing", saysNothing("redis"), unnoticed),
  {
    name: "the server stands still",
    begin: (world) => signalAll(world.server(), "SIGSTOP"),
    end: (world) => signalAll(world.server(), "SIGCONT"),
    ...(isShort && { lastsMs: 2_000 }),
    // Upstreams' time-outs are over when it goes on, and so is its patience with idle connections, on which a call may
    // have arrived meanwhile.
    told: isShort ? [] : ["upstreams_unavailable", "upstream_error", "ECONNRESET"],
  },
  {
    name: "one of two replicas stands still",
    prepare: async (world) => {
      replica = await world.addReplica();
      return replica.close;
    },
    begin: signalReplica("SIGSTOP"),
    end: signalReplica("SIGCONT"),
    ...(!isShort && { lastsMs: 60_000 }),
    // Of those that were on their way to it, or came before the balancer had noticed.
    told: isShort ? [] : ["TimeoutError", "upstreams_unavailable", "upstream_error"],
    isReady: true,
  },
  outage("the clock is a month ahead", turnsClock(MONTH_MS), { told: ["unavailable"], isReady: false }),
  outage("the clock is a month behind", turnsClock(-MONTH_MS), { told: ["unavailable"], isReady: false }),
];

const unresolved = { told: ["upstreams_unavailable"], isReady: true };

/** Of what it stands between: upstreams and clients. */
const trafficOutages = (isShort: boolean): Outage[] => [
  unnamed("upstream", "knows nothing", { name: "there is no such name as the upstream's", ...unresolved }),
  unnamed("upstream", "is silent", { name: "the name server says nothing of the upstream", ...unresolved }),
  upstreamThat("answers nothing", hang, ["upstreams_unavailable"]),
  upstreamThat("drips a byte at a time", drip, ["upstreams_unavailable"]),
  upstreamThat("sends comments alone", comment, ["upstreams_unavailable"]),
  upstreamThat("resets connections", reset, ["upstreams_unavailable", "upstream_error"]),
  upstreamThat("redirects to an address of the machine's own", redirect, ["upstreams_unavailable"]),
  outage(
    `${isShort ? 1_000 : 5_000} connections are idle`,
    [(world) => openIdle(world, isShort ? 1_000 : 5_000), closeIdle],
    unnoticed,
  ),
  outage(
    `${isShort ? 8 : 50} clients read nothing of 16 MB each`,
    [(world) => openSlowReaders(world, isShort ? 8 : 50), closeSlowReaders],
    // What sockets and streams hold of each.
    { ...unnoticed, peak: 150 },
  ),
  outage(
    `${isShort ? 4 : 40} bodies of 32 MB are sent at once`,
    [(world) => sendLarge(world, isShort ? 1 : 10), endSenders],
    // Of bodies there may be 256 MB at a time (BODY_MEGABYTES), each of which takes up to ten times its size.
    { ...unnoticed, peak: isShort ? 1_280 : 2_560 },
  ),
];

/** `isShort`: as many connections and clients as leave a small machine room. */
export const outages = { ground: groundOutages, traffic: trafficOutages };
