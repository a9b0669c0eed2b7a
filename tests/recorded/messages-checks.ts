import { expect } from "vitest";
import type { JsonObject } from "./corpus";
import { checkEnvelope, refusedAs } from "./envelope";
import { fields, list, unpriced } from "./json";
import { envelopeWords, type MessagesRead } from "./messages-client";
import { eventsOf } from "./messages-events";
import type { MessagesReading } from "./messages-oracle";
import { framesOf } from "./sse";
import { act, type Stage } from "./stage";

/** An exchange of the messages dialect on its stage, and what its recording says. */
export type Scene = Stage & { reading: MessagesReading };

/**
 * What the client of a recording asked for beyond the stable API. Recorded requests have no headers, so this is ours.
 * The SDKs' beta clients rename `output_format`.
 */
export const betaOf = ({ recording: { exchange, request } }: Stage): string | null =>
  (exchange.path.includes("beta=true") || !exchange.request_recorded) && !("output_format" in request)
    ? "context-management-2025-06-27,interleaved-thinking-2025-05-14"
    : null;

/** Makes one call by `send`; the upstream must see the recorded request and the client's headers, once. */
export async function callMessages<T>(
  scene: Scene,
  { cut, beta, version }: { cut: (body: Buffer) => Buffer[]; beta: string | null; version: string },
  send: (body: JsonObject) => Promise<T>,
): Promise<T> {
  const { recording, isStream, model } = scene;
  const request = { ...recording.request, ...(isStream && { stream: true }) };
  const { result, asked } = await act(scene, cut, () => send({ ...request, model }));
  expect(
    asked.map((one) => one.body),
    "the upstream's request is the recorded one",
  ).toEqual([request]);
  expect(asked[0]?.path).toBe("/v1/messages");
  expect(asked[0]?.headers["anthropic-version"]).toBe(version);
  expect(asked[0]?.headers["anthropic-beta"]).toBe(beta ?? undefined);
  return result;
}

/**
 * Usage as the gateway hands it on: as it was, with the cache counts that spec 2.3 wants even where there are none.
 */
const withCacheCounts = (usage: unknown): JsonObject => ({
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  ...fields(unpriced(usage)),
});

const published = (message: JsonObject, model: string): JsonObject => ({
  ...message,
  model,
  usage: withCacheCounts(message.usage),
});

/** The events of a recording as the gateway hands them on. */
function publishedEvents(body: Buffer, model: string): JsonObject[] {
  return eventsOf(body.toString("utf8")).map((event) =>
    event.type === "message_start" ? { ...event, message: published(fields(event.message), model) } : event,
  );
}

const withoutPings = (events: JsonObject[]) => events.filter((event) => event.type !== "ping");

/** What the SDKs add to a message, or leave out of its counts: theirs, not the gateway's. */
function plainMessage(message: JsonObject): JsonObject {
  const { parsed_output: _parsed, _request_id: _request, usage, ...rest } = message;
  const content = list(message.content).map(({ parsed_output: _output, ...block }) => block);
  return { ...rest, content, usage };
}

/** An accumulator of an SDK copies the members that it knows. */
const knownMembers = (message: JsonObject) => {
  const { content, model, role, stop_reason, stop_sequence, type, id } = plainMessage(message);
  const usage = fields(message.usage);
  const { input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens } = usage;
  return {
    ...{ content, model, role, stop_reason, stop_sequence, type, id },
    usage: { input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens },
  };
};

/** What an SDK read is what the recording says. */
export function checkMessagesRead(scene: Scene, read: MessagesRead): void {
  const { reading, model, isStream, recording } = scene;
  if (reading.kind === "refused") {
    expect(read.error).toMatchObject({ status: reading.status });
    expect(envelopeWords(read.error)).toBe(refusedAs(reading.status, reading.words).message);
    return;
  }
  expect(read.error).toBeNull();
  const expected = published(reading.message, model);
  if (!isStream) {
    expect(plainMessage(read.message)).toEqual(expected);
    return;
  }
  expect(knownMembers(read.message)).toEqual(knownMembers(expected));
  if (read.events.length > 0) {
    // The SDKs keep pings to themselves.
    expect(read.events).toEqual(withoutPings(publishedEvents(recording.body, model)));
  }
}

/** What stands on the wire, beside what an SDK makes of it. */
export async function checkMessagesWire(scene: Scene, response: Response): Promise<void> {
  const { reading, recording, model, isStream } = scene;
  const text = await response.text();
  if (reading.kind === "refused") {
    checkEnvelope(response, text, refusedAs(reading.status, reading.words));
    return;
  }
  expect(response.status).toBe(200);
  if (!isStream) {
    expect(JSON.parse(text)).toEqual(published(reading.message, model));
    return;
  }
  const events = eventsOf(text);
  expect(events, "every event, pings too").toEqual(publishedEvents(recording.body, model));
  expect(framesOf(text).map(({ name }) => name)).toEqual(events.map(({ type }) => type));
}
