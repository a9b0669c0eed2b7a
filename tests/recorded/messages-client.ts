/** The official clients of the messages dialect and their readings. */
import { Anthropic } from "@anthropic-ai/sdk";
import { Anthropic as Anthropic0 } from "anthropic-sdk-0";
import type { JsonObject } from "./corpus";
import { fields, string } from "./json";

/** The part of both majors that the tests use; their own types differ. */
type Messages = {
  create: (body: unknown) => Promise<unknown>;
  stream: (body: unknown) => { finalMessage: () => Promise<unknown> };
};

const majors = { 0: Anthropic0, 1: Anthropic };

export type MessagesRead = {
  message: JsonObject;
  /** The error that the SDK threw. */
  error: { status: unknown; message: string; body: unknown } | null;
};

/** Sends a request through one SDK and reads the whole answer or error. */
export async function askMessages(
  {
    major,
    url,
    secret,
    fetch,
  }: { major: keyof typeof majors; url: string; secret: string; fetch?: typeof globalThis.fetch },
  body: JsonObject,
): Promise<MessagesRead> {
  // An explicit deadline: without one, the SDK refuses large outputs that are not streamed.
  const options = { baseURL: url, apiKey: secret, maxRetries: 0, timeout: 30_000, ...(fetch && { fetch }) };
  const client = new majors[major](options);
  const api = client.messages as unknown as Messages;
  try {
    const message = await (body.stream === true ? api.stream(body).finalMessage() : api.create(body));
    return { message: fields(message), error: null };
  } catch (thrown) {
    const { status, message, error } = thrown as { status?: unknown; message: string; error?: unknown };
    return { message: {}, error: { status, message, body: error } };
  }
}

/** The words of the envelope in a client's error. */
export const envelopeWords = (error: MessagesRead["error"]): string => string(fields(error?.body).message);

/** Sends a request without an SDK, to the address that Claude Code uses. */
export const postMessages = (
  { url, secret, headers }: { url: string; secret: string; headers: Record<string, string> },
  body: JsonObject,
): Promise<Response> =>
  fetch(`${url}/v1/messages?beta=true`, {
    method: "POST",
    headers: { "x-api-key": secret, "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
