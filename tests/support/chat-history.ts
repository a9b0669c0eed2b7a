/** Requests of chat clients, as an upstream of the messages dialect gets them. */

import { expect } from "vitest";
import { type Capabilities, usualCapabilities } from "@/server/protocol/capabilities";
import type { JsonObject } from "@/server/protocol/fields";
import { chatRequestAsMessages } from "./pivot-translation";
import { terms } from "./terms";

export type PartialCapabilities = Partial<Capabilities>;
export const user = (content: unknown = "hi") => ({ role: "user", content });
export const assistant = (content: unknown, more: JsonObject = {}) => ({
  role: "assistant",
  content,
  ...more,
});
export const calling = (...calls: JsonObject[]) => assistant(null, { tool_calls: calls });
export const tool = (id: string | undefined, content: unknown = "ok") => ({
  ...{ role: "tool", tool_call_id: id, content },
});
export const call = (id: string | undefined, name = "f", args: unknown = "{}") => ({
  ...(id !== undefined && { id }),
  ...{ type: "function", function: { name, arguments: args } },
});

export const text = (words: string) => ({ type: "text", text: words });
export const use = (id: string, name = "f", input: object = {}) => ({ type: "tool_use", id, name, input });
export const result = (id: string, content: unknown = "ok") => ({
  type: "tool_result",
  content,
  tool_use_id: id,
});
export const stub = (id: string) => ({ ...result(id, "(no result)"), is_error: true });
export const asks = (...content: JsonObject[]) => ({ role: "user", content });
export const says = (...content: JsonObject[]) => ({ role: "assistant", content });

export function convert(fields: JsonObject, takes: PartialCapabilities = {}, maxOutputTokens = 4_096) {
  const capabilities = { ...usualCapabilities.messages, ...takes };
  const upstream = { dialect: "messages" as const, name: "claude", capabilities };
  const request = { model: "public", messages: [user()], ...fields };
  return chatRequestAsMessages(request, upstream, terms(maxOutputTokens));
}
export const bodyOf = (...args: Parameters<typeof convert>): JsonObject => convert(...args).body;
export const messagesOf = (...messages: JsonObject[]) =>
  bodyOf({ messages }).messages as { content: JsonObject[] }[];

export const signed = (thinking: string, signature = "sig") => ({ type: "thinking", thinking, signature });
/** An object that neither `String` nor a template can convert to text. */
export const unspeakable = { toString: 1, valueOf: 1 };

export function expectRefusal(field: string, ...args: Parameters<typeof convert>): void {
  expect(() => convert(...args)).toThrow(
    expect.objectContaining({ kind: "cannotConvert", message: expect.stringContaining(field) }),
  );
}
