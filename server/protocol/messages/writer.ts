import { anthropicErrorType } from "@/server/base/anthropic-error-type";
import { namedEventFrame } from "../answers/sse";
import type { JsonObject } from "../fields";
import { eventParts } from "../json/print";
import type { StreamError, StreamWriter } from "../upstream-plan";

/** The text of one messages-dialect event. */
export const messagesEvent = (event: JsonObject): string =>
  namedEventFrame(String(event.type), JSON.stringify(event));

/** The dialect's keep-alive: its SDKs ignore it anywhere in a stream. */
export const PING_FRAME = messagesEvent({ type: "ping" });

/** The last event of a messages stream that broke off: the envelope, and `error`, which SDKs read. */
export function messagesErrorFrame({ sentence, ...envelope }: StreamError): string {
  const message = sentence ?? envelope.message;
  return messagesEvent({
    type: "error",
    error: { type: anthropicErrorType(envelope.code), message },
    ...envelope,
  });
}

/** Passes messages events to a client of the same dialect unchanged. */
export const messagesWriter: StreamWriter<JsonObject> = {
  keepAlive: () => PING_FRAME,
  isVerbatim: true,
  write: messagesEvent,
  writeParts: (event) => eventParts(event, `event: ${String(event.type)}\n`),
  end: () => messagesEvent({ type: "message_stop" }),
  fail: messagesErrorFrame,
};
