/** The fake upstream in its own process: fixed answers, as long as `max_tokens` says, and nothing else. */
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { type DeliveryPace, deliveryOf, SLOW_MS, STEADY_MS } from "./chat";
import { serveFree } from "./messages";
import { answer, OTHER_WORD, WORD } from "./upstream-answers";

type BenchRequest = { model: string; max_tokens?: number; stream?: boolean };

const words = [answer.word(WORD), answer.word(OTHER_WORD)] as const;

/** The two words in turn, because a real stream does not repeat the same event. */
const wordAt = (place: number) => words[place % 2 === 0 ? 0 : 1];

/** Events in one write of a flood: about ten kilobytes. */
const FLOOD_EVENTS = 64;
const flood = Buffer.concat(Array.from({ length: FLOOD_EVENTS }, (_, place) => wordAt(place)));

const nextTurn = () => new Promise<void>((resolve) => void setImmediate(resolve));

/** The state of a stream: how many of its events are sent, when it began, and its place among all streams. */
type Progress = { count: number; beganAt: number; serial: number };

/** The clock is the whole machine's (CLOCK_MONOTONIC), so that another process can compute the age of an event. */
const timedWord = () => ({ bytes: answer.word(` ${process.hrtime.bigint()}`), events: 1 });

/** Streams that begin together have their events at different moments, as different users' streams would. */
const phaseOf = (serial: number) => (serial * 0.618_033_988_7) % 1;

/** Events by the clock: a stream that was delayed catches up. */
const timed = (everyMs: number) => ({
  rest: ({ count, beganAt, serial }: Progress) =>
    sleep(Math.max(0, beganAt + (count + phaseOf(serial)) * everyMs - performance.now())),
  next: timedWord,
});

/** How each kind of stream is delivered: the wait between two writes, and the next write with at most `left` events. */
const manners: Record<
  DeliveryPace,
  {
    rest: (progress: Progress) => Promise<unknown>;
    next: (left: number) => { bytes: Buffer; events: number };
  }
> = {
  turn: { rest: nextTurn, next: (left) => ({ bytes: wordAt(left), events: 1 }) },
  steady: timed(STEADY_MS),
  slow: timed(SLOW_MS),
  flood: {
    rest: nextTurn,
    next: (left) =>
      left >= FLOOD_EVENTS ? { bytes: flood, events: FLOOD_EVENTS } : { bytes: wordAt(left), events: 1 },
  },
};

let streams = 0;

/** Waits for a slow reader. */
async function stream(response: ServerResponse, body: BenchRequest): Promise<void> {
  const { rest, next } = manners[deliveryOf(body.model) ?? "turn"];
  const amount = amountOf(body);
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(answer.begin);
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  const began = { beganAt: performance.now(), serial: streams++ };
  for (let count = 0; count < amount; ) {
    await rest({ count, ...began });
    if (response.closed) {
      return;
    }
    const { bytes, events } = next(amount - count);
    count += events;
    if (!response.write(bytes)) {
      await once(response, "drain", { signal: gone.signal }).catch(() => {});
    }
  }
  const ending = answer.end(amount);
  for (const bytes of ending.slice(0, -1)) {
    response.write(bytes);
  }
  response.end(ending.at(-1));
}

const amountOf = (body: BenchRequest) => body.max_tokens ?? 50;

const wholes = new Map<number, Buffer>();

function wholeAnswer(body: BenchRequest): Buffer {
  const amount = amountOf(body);
  const whole = wholes.get(amount) ?? answer.whole(amount);
  wholes.set(amount, whole);
  return whole;
}

const server = createServer((request, response) => {
  if (request.method === "GET") {
    // A proxy in front asks whether this server is up.
    response.end();
    return;
  }
  let text = "";
  request.setEncoding("utf8");
  request.on("data", (chunk: string) => {
    text += chunk;
  });
  request.on("end", () => {
    const body = JSON.parse(text) as BenchRequest;
    if (body.stream === true) {
      stream(response, body).catch(() => response.destroy());
      return;
    }
    const whole = wholeAnswer(body);
    response.writeHead(200, { "content-type": "application/json", "content-length": whole.length });
    response.end(whole);
  });
});
server.keepAliveTimeout = 75_000;
await serveFree(server);
