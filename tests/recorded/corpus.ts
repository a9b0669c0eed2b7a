import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

export type Fields = Record<string, unknown>;

/** One line of the corpus's index: an exchange between somebody and a provider. */
export type Exchange = {
  endpoint: string;
  provider: string;
  status: number;
  stream: boolean;
  model: string;
  request_recorded: boolean;
  response_body: string;
  dir: string;
};

export type Recording = {
  exchange: Exchange;
  /** The recorded request; a minimal one where only the answer was recorded. */
  request: Fields;
  status: number;
  contentType: string;
  body: Buffer;
};

/** The corpus is not part of the project: it may be absent. */
export const corpusDirectory = resolve(process.env.CORPUS_DIR || "../shared/corpus");

const readJson = (path: string): unknown => JSON.parse(readFileSync(path, "utf8"));

/** The exchanges of one endpoint; null when there is no corpus. */
export function listExchanges(endpoint: string): Exchange[] | null {
  const index = join(corpusDirectory, "index.json");
  return existsSync(index)
    ? (readJson(index) as Exchange[]).filter((exchange) => exchange.endpoint === endpoint)
    : null;
}

const usualTypes: Record<string, string> = { json: "application/json", sse: "text/event-stream" };

export function loadRecording(exchange: Exchange): Recording {
  const path = (name: string) => join(corpusDirectory, exchange.dir, name);
  const meta = readJson(path("meta.json")) as { response_headers?: Record<string, string> };
  const extension = exchange.response_body.split(".").at(-1) ?? "";
  return {
    exchange,
    request: exchange.request_recorded
      ? (readJson(path("request.json")) as Fields)
      : {
          model: exchange.model,
          messages: [{ role: "user", content: "Say something." }],
          stream: exchange.stream,
        },
    status: exchange.status,
    contentType: meta.response_headers?.["content-type"] ?? usualTypes[extension] ?? "text/plain",
    body: readFileSync(path(exchange.response_body)),
  };
}
