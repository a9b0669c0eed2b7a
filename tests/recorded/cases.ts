/**
 * Small answers of upstreams that gateways have handled wrongly, each from a public report. They are not part of the
 * project.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { text as textOf } from "node:stream/consumers";
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import type { CapabilityOverrides } from "@/server/channels";
import { money } from "@/tests/support/customer";
import { eventually } from "@/tests/support/eventually";
import { connectTo } from "@/tests/support/raw-request";
import { answerBytes, type UpstreamHandler } from "@/tests/support/upstream";
import type { ReplayWorld } from "./suite";

type JsonRecord = Record<string, unknown>;

/** The value at a path such as `choices.0.delta`. */
export const at = (value: unknown, path: string): unknown =>
  path.split(".").reduce((node, name) => (node as JsonRecord | undefined)?.[name], value);

export type Case = {
  name: string;
  request: {
    path: string;
    headers?: Record<string, string>;
    body: JsonRecord;
    body_text?: string;
    raw?: string;
  };
  upstream: {
    dialect: string;
    status: number;
    content_type?: string;
    events?: unknown[];
    body?: unknown;
    body_text?: string;
    content_encoding?: string;
  } | null;
  /** The operator's settings for the upstream's model; the files do not have this member. */
  capabilities?: CapabilityOverrides;
};

export const casesDirectory = resolve(process.env.CASES_DIR || "../shared/cases");

/** The cases by their names; null if there are none here. */
export function listCases(): Map<string, Case> | null {
  const folder = join(casesDirectory, "answers");
  if (!existsSync(folder)) {
    return null;
  }
  const files = readdirSync(folder).filter((file) => file.endsWith(".json"));
  const cases = files.map((file) => JSON.parse(readFileSync(join(folder, file), "utf8")) as Case);
  return new Map(cases.map((entry) => [entry.name, entry]));
}

const encodings: Record<string, (body: Buffer) => Buffer> = {
  ...{ gzip: gzipSync, br: brotliCompressSync, deflate: deflateSync, zstd: zstdCompressSync },
};

const eventOf = (event: unknown) => {
  const data = typeof event === "string" ? event : JSON.stringify(event);
  return data.startsWith("event:") || data.startsWith("data:") ? data : `data: ${data}\n\n`;
};

/** An upstream that answers as the case says. */
function answerOf({ upstream }: Case): UpstreamHandler {
  const {
    status = 200,
    content_type: type,
    events,
    body,
    body_text: bodyText,
    content_encoding: encoding,
  } = upstream ?? {};
  const isChat = upstream?.dialect.startsWith("chat") && events !== undefined;
  const text = events ? events.map(eventOf).join("") : (bodyText ?? JSON.stringify(body));
  const bytes = Buffer.from(isChat ? `${text}data: [DONE]\n\n` : text);
  const headers = {
    "content-type": type ?? (events ? "text/event-stream" : "application/json"),
    ...(encoding && { "content-encoding": encoding }),
  };
  return answerBytes(status, headers, encodings[encoding ?? ""]?.(bytes) ?? bytes);
}

const dialects: Record<string, "openai" | "anthropic" | "gemini" | "openai-responses"> = {
  ...{ chat: "openai", messages: "anthropic", gemini: "gemini", responses: "openai-responses" },
};

/** The prices in the cases' README, per million tokens. */
const PRICES = {
  ...{ inputPrice: money("1"), outputPrice: money("100"), cacheReadPrice: money("0.01") },
  ...{ cacheWritePrice: money("7"), cacheWrite1hPrice: money("13") },
};

export type CaseResult = {
  status: number;
  text: string;
  /** The whole answer; {} for a stream. */
  json: JsonRecord;
  /** The `data` of each event that is JSON. */
  events: JsonRecord[];
  /** The requests to its upstream, as text. */
  requests: string[];
  /** The ledger's entries, newest first. */
  entries: Awaited<ReturnType<ReplayWorld["gateway"]["entries"]>>;
};

const jsonOf = (text: string): JsonRecord => {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
};

/** The result of a case for its own client, or for a request of another path with its own body. */
export async function playCase(
  { gateway, upstream }: ReplayWorld,
  played: Case,
  request = played.request,
): Promise<CaseResult> {
  if (request.raw !== undefined) {
    const socket = connectTo(gateway.url);
    socket.write(request.raw);
    const text = await textOf(socket);
    return { status: Number(text.split(" ")[1]), text, json: {}, events: [], requests: [], entries: [] };
  }
  upstream.answer(answerOf(played));
  const before = upstream.requests.length;
  const model = await gateway.model(PRICES);
  const [, speaks = "chat", preset = null] =
    /^(\w+)(?: \(preset (\w+)\))?/.exec(played.upstream?.dialect ?? "") ?? [];
  const channel = {
    ...{ model, models: { [model]: "up" }, capabilities: { [model]: played.capabilities ?? {} } },
    ...{ dialect: dialects[speaks] ?? "openai", vendor: preset },
  };
  await gateway.channel({ ...channel, baseUrl: upstream.baseUrl });
  const { secret, accountId } = await gateway.customer();
  const { path, headers = {}, body, body_text: bodyText } = request;
  const fields = JSON.stringify({ ...body, ...(body && "model" in body && { model }) });
  const response = await fetch(`${gateway.url}${path.replace("/M:", `/${model}:`)}`, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json", ...headers },
    body: bodyText?.replace('"model":"M"', `"model":"${model}"`) ?? fields,
  });
  const text = await response.text();
  await eventually(async () => (await gateway.balance(accountId)).frozen).toBe(0n);
  const entries = await gateway.entries(accountId);
  const events = [...text.matchAll(/^data: (\{.*)$/gm)].map(([, data = ""]) => jsonOf(data));
  const bodies = upstream.requests.slice(before).map(({ raw }) => raw);
  return { status: response.status, text, json: jsonOf(text), events, requests: bodies, entries };
}
