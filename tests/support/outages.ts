/** What can go wrong around a server: how each begins, and how it ends. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { sqlOf } from "@/server/db/handles";
import type { DatabaseLink } from "./database-link";
import type { Ledger } from "./ledger";
import type { ServerProcess } from "./process";
import { familyOf } from "./process-tree";
import { type Answer, answerWith, chatDelta, chatUsage, type FakeUpstream, usage } from "./upstream";

export type World = {
  database: DatabaseLink;
  redis: DatabaseLink;
  upstream: FakeUpstream;
  ledger: Ledger;
  server: () => ServerProcess;
  secret: string;
  model: string;
};

/** Of calls that an upstream had answered when the database went, and stayed away: they are charged later, or not. */
const UNCHARGED = ["billing_failed", "server_error"];

export type Outage = {
  name: string;
  begin: (world: World) => unknown;
  end: (world: World) => unknown;
  /** What clients may be told meanwhile (`x-error-code`, or the code in a stream). Nothing: nobody notices. */
  told: string[];
  /** As `/readyz` says it meanwhile; absent: either. */
  isReady?: boolean;
};

/** Three words in about a third of a second; a JSON answer takes as long. */
export const wholeAnswer: Answer = async (asked, response, request) => {
  const counts = usage(10, 3);
  if (asked.body.stream !== true) {
    await sleep(200);
    await answerWith("one two three", counts)(asked, response, request);
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const word of ["one ", "two ", "three"]) {
    response.write(chatDelta({ content: word }));
    await sleep(100);
  }
  response.end(`${chatDelta({}, "stop")}${chatUsage(counts)}data: [DONE]\n\n`);
};

const hang: Answer = async (_asked, response) => {
  await once(response, "close");
};

/** A byte at a time: alive to whoever watches a connection, and never done. */
const drip: Answer = async (_asked, response) => {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const byte of chatDelta({ content: "drop by drop" }).repeat(100)) {
    if (response.destroyed) {
      return;
    }
    response.write(byte);
    await sleep(50);
  }
};

const comment: Answer = async (_asked, response) => {
  response.writeHead(200, { "content-type": "text/event-stream" });
  while (!response.destroyed) {
    response.write(": still here\n\n");
    await sleep(200);
  }
};

const reset: Answer = async (asked, response) => {
  if (asked.body.stream === true) {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(chatDelta({ content: "one " }));
    await sleep(50);
  }
  response.socket?.resetAndDestroy();
};

const redirect: Answer = (_asked, response) =>
  void response.writeHead(302, { location: "http://169.254.169.254/latest/meta-data" }).end();

const upstreamThat = (name: string, answer: Answer, told: string[]): Outage => ({
  name: `the upstream ${name}`,
  begin: ({ upstream }) => upstream.answer(answer),
  end: ({ upstream }) => upstream.answer(wholeAnswer),
  told,
});

const signalAll = (signal: "SIGSTOP" | "SIGCONT") => (world: World) => {
  for (const { pid } of familyOf(world.server())) {
    process.kill(pid, signal);
  }
};

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

const idle: Socket[] = [];
async function openIdle({ server }: World, count: number): Promise<void> {
  const { hostname, port } = new URL(server().url);
  for (let opened = 0; opened < count; opened++) {
    const socket = connect(Number(port), hostname);
    socket.on("error", () => {});
    idle.push(socket);
    if (opened % 100 === 99) {
      await once(socket, "connect");
    }
  }
}
const closeIdle = () => idle.splice(0).forEach((socket) => void socket.destroy());

const busy = new Set<AbortController>();
/** Streams of megabytes whose clients read nothing, beside the others. */
async function openSlowReaders({ server, secret, model, upstream }: World, count: number): Promise<void> {
  upstream.answer(async (asked, response, request) => {
    if (JSON.stringify(asked.body.messages).includes("very much")) {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const words = chatDelta({ content: "x".repeat(16_000) });
      for (let sent = 0; sent < 1_000 && !response.destroyed; sent++) {
        if (!response.write(words)) {
          await Promise.race([once(response, "drain"), once(response, "close")]);
        }
      }
      response.end("data: [DONE]\n\n");
      return;
    }
    await wholeAnswer(asked, response, request);
  });
  for (let opened = 0; opened < count; opened++) {
    const controller = new AbortController();
    busy.add(controller);
    await fetch(`${server().url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
      body: JSON.stringify({
        model,
        stream: true,
        max_tokens: 50,
        messages: [{ role: "user", content: "very much" }],
      }),
      signal: controller.signal,
    }).catch(() => {});
  }
}
const closeSlowReaders = ({ upstream }: World) => {
  for (const controller of busy) {
    controller.abort();
  }
  busy.clear();
  upstream.answer(wholeAnswer);
};

/** `isShort`: as many connections as leave a small machine room. */
export const outages = (isShort: boolean): Outage[] => [
  {
    name: "PostgreSQL is away",
    begin: ({ database }) => database.cut({ abruptly: true }),
    end: ({ database }) => database.mend(),
    told: ["unavailable", ...UNCHARGED],
    isReady: false,
  },
  {
    name: "PostgreSQL says nothing",
    begin: ({ database }) => database.silence(),
    end: ({ database }) => {
      // What was swallowed is lost: those connections end, as a failover ends them.
      database.cut();
      database.mend();
    },
    told: ["unavailable", ...UNCHARGED],
    isReady: false,
  },
  {
    name: "PostgreSQL has no connection left",
    begin: ({ database }) => database.crowd(),
    end: ({ database }) => database.mend(),
    told: ["unavailable", ...UNCHARGED],
    isReady: false,
  },
  {
    name: "PostgreSQL only reads, as where a disk is full",
    begin: (world) => setReadOnly(world, true),
    end: (world) => setReadOnly(world, false),
    told: ["unavailable", ...UNCHARGED],
  },
  {
    name: "Redis is away",
    begin: ({ redis }) => redis.cut({ abruptly: true }),
    end: ({ redis }) => redis.mend(),
    told: [],
    isReady: true,
  },
  {
    name: "Redis says nothing",
    begin: ({ redis }) => redis.silence(),
    end: ({ redis }) => {
      redis.cut();
      redis.mend();
    },
    told: [],
    isReady: true,
  },
  {
    name: "the server stands still",
    begin: signalAll("SIGSTOP"),
    end: signalAll("SIGCONT"),
    // Upstreams' time-outs are over when it goes on, and so is its patience with idle connections, on which a call may
    // have arrived meanwhile.
    told: isShort ? [] : ["upstreams_unavailable", "upstream_error", "ECONNRESET"],
  },
  upstreamThat("answers nothing", hang, ["upstreams_unavailable"]),
  upstreamThat("drips a byte at a time", drip, ["upstreams_unavailable"]),
  upstreamThat("sends comments alone", comment, ["upstreams_unavailable"]),
  upstreamThat("resets connections", reset, ["upstreams_unavailable", "upstream_error"]),
  upstreamThat("redirects to an address of the machine's own", redirect, ["upstreams_unavailable"]),
  {
    name: `${isShort ? 1_000 : 5_000} connections are idle`,
    begin: (world) => openIdle(world, isShort ? 1_000 : 5_000),
    end: closeIdle,
    told: [],
    isReady: true,
  },
  {
    name: "fifty clients read nothing of 16 MB each",
    begin: (world) => openSlowReaders(world, 50),
    end: closeSlowReaders,
    told: [],
    isReady: true,
  },
];
