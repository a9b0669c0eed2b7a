/** The fake upstream, in a process of its own: fixed answers, as long as `max_tokens` says, and nothing else. */
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { clients, type Delivery, type Dialect, deliveryOf, dialects, STEADY_MS } from "./dialects";
import { serveBench } from "./messages";
import { answers, OTHER_WORD, WORD } from "./upstream-answers";

type Asked = { model: string; max_tokens?: number; stream?: boolean };

const both = (dialect: Dialect) => [answers[dialect].word(WORD), answers[dialect].word(OTHER_WORD)] as const;
const words: Record<Dialect, ReturnType<typeof both>> = { chat: both("chat"), messages: both("messages") };

/** One word and the other in turn: no stream that is worth it has the same event all the time. */
const wordAt = (dialect: Dialect, place: number) => words[dialect][place % 2 === 0 ? 0 : 1];

/** Events that go into one write of a flood: some ten kilobytes. */
const FLOOD_EVENTS = 64;
const floods = new Map(
  dialects.map((dialect) => [
    dialect,
    Buffer.concat(Array.from({ length: FLOOD_EVENTS }, (_, place) => wordAt(dialect, place))),
  ]),
);

const nextTurn = () => new Promise<void>((resolve) => void setImmediate(resolve));

/** A stream that is being handed out: how many events of it have gone, and when the first one is due. */
type Progress = { sent: number; beginsAt: number };

/** The clock is the whole machine's (CLOCK_MONOTONIC), so that another process can tell how old an event is. */
const timedWord = (dialect: Dialect) => ({
  bytes: answers[dialect].word(` ${process.hrtime.bigint()}`),
  events: 1,
});

/** How a stream is handed out: what comes between two writes, and what the next one of at most `left` events is. */
const manners: Record<
  Delivery,
  {
    rest: (progress: Progress) => Promise<unknown>;
    next: (dialect: Dialect, left: number) => { bytes: Buffer; events: number };
  }
> = {
  turn: { rest: nextTurn, next: (dialect, left) => ({ bytes: wordAt(dialect, left), events: 1 }) },
  paced: { rest: () => sleep(1), next: timedWord },
  // By the clock: what was held up for a while is caught up with.
  steady: {
    rest: ({ sent, beginsAt }) => sleep(Math.max(0, beginsAt + sent * STEADY_MS - performance.now())),
    next: timedWord,
  },
  flood: {
    rest: nextTurn,
    next: (dialect, left) => {
      const flood = left >= FLOOD_EVENTS ? floods.get(dialect) : undefined;
      return flood ? { bytes: flood, events: FLOOD_EVENTS } : { bytes: wordAt(dialect, left), events: 1 };
    },
  },
};

/** Streams that begin together have their events at different moments, as those of different people would. */
let streams = 0;
const nextPhase = () => ((streams++ * 0.618_033_988_7) % 1) * STEADY_MS;

/** A reader that is slow is waited for. */
async function stream(response: ServerResponse, dialect: Dialect, asked: Asked): Promise<void> {
  const { rest, next } = manners[deliveryOf(asked.model) ?? "turn"];
  const amount = amountOf(asked);
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const bytes of answers[dialect].begin) {
    response.write(bytes);
  }
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  const beginsAt = performance.now() + nextPhase();
  for (let sent = 0; sent < amount; ) {
    await rest({ sent, beginsAt });
    if (response.closed) {
      return;
    }
    const { bytes, events } = next(dialect, amount - sent);
    sent += events;
    if (!response.write(bytes)) {
      await once(response, "drain", { signal: gone.signal }).catch(() => {});
    }
  }
  const ending = answers[dialect].end(amount);
  for (const bytes of ending.slice(0, -1)) {
    response.write(bytes);
  }
  response.end(ending.at(-1));
}

const amountOf = (asked: Asked) => asked.max_tokens ?? 50;

const wholes = new Map<string, Buffer>();

function wholeAnswer(dialect: Dialect, asked: Asked): Buffer {
  const amount = amountOf(asked);
  const key = `${dialect} ${amount}`;
  const answer = wholes.get(key) ?? answers[dialect].whole(amount);
  wholes.set(key, answer);
  return answer;
}

const server = createServer((request, response) => {
  if (request.method === "GET") {
    // Whether a proxy before it is up.
    response.end();
    return;
  }
  const dialect = dialects.find((name) => clients[name].path === request.url) ?? "chat";
  let text = "";
  request.setEncoding("utf8");
  request.on("data", (chunk: string) => {
    text += chunk;
  });
  request.on("end", () => {
    const asked = JSON.parse(text) as Asked;
    if (asked.stream === true) {
      stream(response, dialect, asked).catch(() => response.destroy());
      return;
    }
    const answer = wholeAnswer(dialect, asked);
    response.writeHead(200, { "content-type": "application/json", "content-length": answer.length });
    response.end(answer);
  });
});
server.keepAliveTimeout = 75_000;
server.listen({ port: 0, host: "127.0.0.1", backlog: 2_048 });
await once(server, "listening");
serveBench((server.address() as AddressInfo).port, {});
