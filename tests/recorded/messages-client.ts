/** The official clients of the messages dialect, and what they read. */
import { Anthropic } from "@anthropic-ai/sdk";
import { Anthropic as Anthropic0 } from "anthropic-sdk-0";
import type { JsonObject } from "./corpus";
import { fields, string } from "./json";
import { foldEvents } from "./messages-events";

/** The part of both majors that is used here; their own types differ. */
type Messages = {
  create: (body: unknown, options: object) => Promise<unknown>;
  stream: (body: unknown, options: object) => { finalMessage: () => Promise<unknown> };
};

const majors = { 0: Anthropic0, 1: Anthropic };
export type Major = keyof typeof majors;

/** The `anthropic-version` that each sends. */
export const versionOf: Record<Major, string> = { 0: "2023-06-01", 1: "2026-10-21" };

/** How a client takes a stream: event by event, or by the SDK's own accumulator. */
export type Manner = "events" | "accumulated";

export type Client = {
  major: Major;
  url: string;
  secret: string;
  /** What it asks for in `anthropic-beta`; null: the client of the stable API. */
  beta: string | null;
};

export type MessagesRead = {
  message: JsonObject;
  /** Of a stream that was taken event by event. */
  events: JsonObject[];
  /** What the SDK threw. */
  error: { status: unknown; message: string; body: unknown } | null;
};

function messagesOf({ major, url, secret, beta }: Client): { api: Messages; options: object } {
  // A deadline of ours: without one, the SDK refuses large outputs that are not streamed.
  const client = new majors[major]({ baseURL: url, apiKey: secret, maxRetries: 0, timeout: 30_000 });
  const api = (beta === null ? client.messages : client.beta.messages) as unknown as Messages;
  return { api, options: beta === null ? {} : { headers: { "anthropic-beta": beta } } };
}

function errorOf(thrown: unknown): MessagesRead["error"] {
  const { status, message, error } = thrown as { status?: unknown; message: string; error?: unknown };
  return { status, message, body: error };
}

/** Sends a request through one SDK and reads all of the answer, or of the error. */
export async function askMessages(
  client: Client & { manner: Manner },
  body: JsonObject,
): Promise<MessagesRead> {
  const { api, options } = messagesOf(client);
  const events: JsonObject[] = [];
  try {
    if (body.stream !== true) {
      return { message: fields(await api.create(body, options)), events, error: null };
    }
    if (client.manner === "accumulated") {
      return { message: fields(await api.stream(body, options).finalMessage()), events, error: null };
    }
    for await (const event of (await api.create(body, options)) as AsyncIterable<JsonObject>) {
      events.push(structuredClone(event));
    }
    return { message: foldEvents(events), events, error: null };
  } catch (thrown) {
    return { message: foldEvents(events), events, error: errorOf(thrown) };
  }
}

/** The words of the envelope that a client was given. */
export const envelopeWords = (error: MessagesRead["error"]): string => string(fields(error?.body).message);

/** Sends a request without an SDK, as Claude Code addresses it. */
export const postMessages = (
  { url, secret }: Pick<Client, "url" | "secret">,
  body: JsonObject,
): Promise<Response> =>
  fetch(`${url}/v1/messages?beta=true`, {
    method: "POST",
    headers: { "x-api-key": secret, "content-type": "application/json", "anthropic-version": versionOf[0] },
    body: JSON.stringify(body),
  });
