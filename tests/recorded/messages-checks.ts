import { expect } from "vitest";
import type { JsonObject } from "./corpus";
import { checkEnvelope, refusedAs } from "./envelope";
import { fields, unpriced } from "./json";
import { eventsOf } from "./messages-events";
import type { MessagesReading } from "./messages-oracle";
import { framesOf } from "./sse";
import { act, type Stage } from "./stage";

/** An exchange of the messages dialect on its stage, and the reading of its recording. */
export type MessagesScene = Stage & { reading: MessagesReading };

/** The version headers of both SDK majors, and the beta features of the recording's client: the SDKs send none. */
export const headersOf = ({ recording: { exchange, request }, isStream }: Stage): Record<string, string> => ({
  "anthropic-version": isStream ? "2026-10-21" : "2023-06-01",
  ...((exchange.path.includes("beta=true") || !exchange.request_recorded) &&
    !("output_format" in request) && {
      "anthropic-beta": "context-management-2025-06-27,interleaved-thinking-2025-05-14",
    }),
});

/** Makes one call by `send`. Checks that the upstream sees the recorded request and the client's headers, once. */
export async function callMessages<T>(
  scene: MessagesScene,
  cut: (body: Buffer) => Buffer[],
  send: (body: JsonObject) => Promise<T>,
): Promise<T> {
  const { recording, isStream, model } = scene;
  const request = { ...recording.request, ...(isStream && { stream: true }) };
  const { result, requests } = await act(scene, cut, () => send({ ...request, model }));
  expect(
    requests.map((call) => call.body),
    "the upstream's request is the recorded one",
  ).toEqual([request]);
  expect(requests[0]?.path).toBe("/v1/messages");
  const { "anthropic-beta": beta, ...version } = headersOf(scene);
  expect(requests[0]?.headers).toMatchObject(version);
  expect(requests[0]?.headers["anthropic-beta"]).toBe(beta);
  return result;
}

/** Usage as the gateway forwards it: unchanged, with the cache counts of spec 2.3 even if the vendor sent none. */
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

/** The events of a recording as the gateway forwards them. */
function publishedEvents(body: Buffer, model: string): JsonObject[] {
  return eventsOf(body.toString("utf8")).map((event) =>
    event.type === "message_start" ? { ...event, message: published(fields(event.message), model) } : event,
  );
}

/** Checks the answer on the wire. */
export async function checkMessagesWire(scene: MessagesScene, response: Response): Promise<void> {
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
