import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

export type JsonObject = Record<string, unknown>;

/** One line of the corpus's index: an exchange between a client and a provider. */
export type RecordedExchange = {
  endpoint: string;
  provider: string;
  path: string;
  status: number;
  stream: boolean;
  model: string | null;
  request_recorded: boolean;
  response_body: string;
  dir: string;
};

export type Recording = {
  exchange: RecordedExchange;
  /** The recorded request; a minimal one if only the answer was recorded. */
  request: JsonObject;
  status: number;
  contentType: string;
  body: Buffer;
};

/** The corpus is not part of the project, so it may be absent. */
export const corpusDirectory = resolve(process.env.CORPUS_DIR || "../shared/corpus");

const readJson = (path: string): unknown => JSON.parse(readFileSync(path, "utf8"));

/** The exchanges of these endpoints; null if there is no corpus. */
export function listExchanges(endpoints: string[]): RecordedExchange[] | null {
  const index = join(corpusDirectory, "index.json");
  return existsSync(index)
    ? (readJson(index) as RecordedExchange[]).filter((exchange) => endpoints.includes(exchange.endpoint))
    : null;
}

const usualTypes: Record<string, string> = { json: "application/json", sse: "text/event-stream" };

/** A request that any gateway of the dialect forwards, for an answer that was recorded without a usable request. */
export function minimalRequest({ endpoint, model, stream }: RecordedExchange): JsonObject {
  if (endpoint === "openai.embeddings") {
    return { model: model ?? "unknown", input: "Say something." };
  }
  if (endpoint === "openai.responses") {
    return { model: model ?? "unknown", input: "Say something.", stream };
  }
  const messages = [{ role: "user", content: "Say something." }];
  return { model, messages, stream, ...(endpoint !== "openai.chat" && { max_tokens: 1_000 }) };
}

const LAST_EVENT = /^data: *\{"type": *"(?:message_stop|response\.(?:completed|incomplete))".*\n\n/m;

/**
 * A recorder may have stored several streams of a conversation as one. An upstream sends only one: the first counts.
 */
function firstMessage(body: Buffer): Buffer {
  const last = LAST_EVENT.exec(body.toString("latin1"));
  return last ? body.subarray(0, last.index + last[0].length) : body;
}

export function loadRecording(exchange: RecordedExchange): Recording {
  const path = (name: string) => join(corpusDirectory, exchange.dir, name);
  const meta = readJson(path("meta.json")) as { response_headers?: Record<string, string> };
  const extension = exchange.response_body.split(".").at(-1) ?? "";
  // The index also marks the request of a GET as recorded.
  const recorded = existsSync(path("request.json")) ? (readJson(path("request.json")) as JsonObject) : null;
  return {
    exchange,
    // If the address names the model, the body does not.
    request: recorded ? { model: exchange.model, ...recorded } : minimalRequest(exchange),
    status: exchange.status,
    contentType: meta.response_headers?.["content-type"] ?? usualTypes[extension] ?? "text/plain",
    body: firstMessage(readFileSync(path(exchange.response_body))),
  };
}
