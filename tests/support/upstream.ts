import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { gate } from "./gate";
import { bodyOf, end, listen } from "./listen";

type ReceivedRequest = {
  path: string;
  headers: IncomingMessage["headers"];
  /** Of a JSON body; empty for any other. */
  body: Record<string, unknown>;
  raw: string;
  bytes: Buffer;
};
export type UpstreamHandler = (
  call: ReceivedRequest,
  response: ServerResponse,
  request: IncomingMessage,
) => void | Promise<void>;

export type FakeUpstream = Awaited<ReturnType<typeof startUpstreamAt>>;

/** An upstream on a real socket, which gives the answer that is set. */
export const startUpstream = (first: UpstreamHandler): Promise<FakeUpstream> =>
  startUpstreamAt("127.0.0.1", first);

/** An upstream for callers on other machines. `host`: the name of this machine there. */
export async function startUpstreamAt(host: string, first: UpstreamHandler) {
  let current = first;
  const requests: ReceivedRequest[] = [];
  const server = createServer(async (request, response) => {
    const bytes = await bodyOf(request);
    const raw = bytes.toString("utf8");
    const isForm = /^multipart\//.test(request.headers["content-type"] ?? "");
    const entry = {
      body: raw && !isForm ? (JSON.parse(raw) as Record<string, unknown>) : {},
      ...{ path: request.url ?? "", headers: request.headers, raw, bytes },
    };
    requests.push(entry);
    await current(entry, response, request);
  });
  const port = await listen(server, host === "127.0.0.1" ? undefined : { port: 0 });
  return {
    baseUrl: `http://${host}:${port}/v1`,
    requests,
    answer: (next: UpstreamHandler) => {
      current = next;
    },
    /** Ends the idle connections. */
    endIdle: () => server.closeIdleConnections(),
    close: () => end(server),
  };
}

export const usage = (prompt: number, completion: number) => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
});

/** A valid answer: JSON, or a stream if one was requested. */
export function answerWith(text: string, counts = usage(10, 5)): UpstreamHandler {
  return (call, response) => {
    const head = { id: "chatcmpl-fake", created: 1_700_000_000, model: call.body.model };
    if (call.body.stream !== true) {
      const message = { role: "assistant", content: text };
      sendJson(response, 200, {
        ...head,
        object: "chat.completion",
        choices: [{ index: 0, message, finish_reason: "stop" }],
        usage: counts,
      });
      return;
    }
    const chunk = (rest: object) => sseChunk({ ...head, object: "chat.completion.chunk", ...rest });
    const piece = (delta: object, finish_reason: string | null = null) =>
      chunk({ choices: [{ index: 0, delta, finish_reason }] });
    beginEvents(response, piece({ role: "assistant", content: "" }));
    for (const word of text.match(/\S+\s*/g) ?? []) {
      response.write(piece({ content: word }));
    }
    response.write(piece({}, "stop") + chunk({ choices: [], usage: counts }));
    response.end("data: [DONE]\n\n");
  };
}

export const sseChunk = (value: object) => `data: ${JSON.stringify(value)}\n\n`;

const chatChunk = (rest: object) =>
  sseChunk({ id: "c1", object: "chat.completion.chunk", created: 1, model: "m", ...rest });

export const chatUsage = (counts: object) => chatChunk({ choices: [], usage: counts });

export const chatDelta = (delta: object, finish: string | null = null) =>
  chatChunk({ choices: [{ index: 0, delta, finish_reason: finish }] });

/** A stream sends one word, and the rest when the test says so; an answer that is no stream comes then. */
export function heldAnswer() {
  let tell = () => {};
  const counts = usage(10, 100);
  const answer: UpstreamHandler = async (call, response, request) => {
    const { open, opened } = gate();
    tell = open;
    if (call.body.stream !== true) {
      await opened;
      await answerWith("one", counts)(call, response, request);
      return;
    }
    beginEvents(response, chatDelta({ content: "one " }));
    await opened;
    response.write(chatDelta({ content: "two" }, "stop") + chatUsage(counts));
    response.end("data: [DONE]\n\n");
  };
  return { answer, goOn: () => tell() };
}

export function sendJson(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
}

/** Streams of one word each, which are open until `finish`. `gone` waits until the latest one's client has left. */
export function openStreams(counts?: object): {
  answer: UpstreamHandler;
  finish: () => void;
  gone: () => Promise<void>;
} {
  const open = new Set<() => void>();
  let latest = Promise.resolve();
  const end = chatDelta({}, "stop") + (counts ? chatUsage(counts) : "");
  const answer: UpstreamHandler = (_asked, response) => {
    beginEvents(response, chatDelta({ content: "word" }));
    open.add(() => void response.end(`${end}data: [DONE]\n\n`));
    latest = once(response, "close").then(() => {});
  };
  const finish = () => {
    for (const release of open) {
      release();
    }
  };
  return { answer, finish, gone: () => latest };
}

/** Always answers with this JSON. */
export const answerJson =
  (value: unknown, status = 200): UpstreamHandler =>
  (_asked, response) =>
    sendJson(response, status, value);

/** Refuses with a status and OpenAI's error body. */
export const refuseWith = (status: number, message = "no"): UpstreamHandler =>
  answerJson({ error: { message, type: "error", code: null } }, status);

/** Answers with a head and these bytes. */
export const answerBytes =
  (status: number, headers: Record<string, string> = {}, body: string | Buffer = ""): UpstreamHandler =>
  (_asked, response) =>
    void response.writeHead(status, headers).end(body);

export const hangUp: UpstreamHandler = (_asked, response) => void response.destroy();

const EVENTS = { "content-type": "text/event-stream" };

/** Begins a stream of events, which the test continues. */
export const beginEvents = (response: ServerResponse, text: string, onWritten?: () => void) =>
  response.writeHead(200, EVENTS).write(text, () => onWritten?.());

/** A complete stream of these events. */
export const answerEvents = (...events: string[]): UpstreamHandler =>
  answerBytes(200, EVENTS, events.join(""));

/** A stream of events with this text, which breaks off. */
export const breakAfter =
  (text: string): UpstreamHandler =>
  (_asked, response) =>
    void beginEvents(response, text, () => response.destroy());
