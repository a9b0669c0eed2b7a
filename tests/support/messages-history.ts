/** Requests of messages clients, as an upstream of the chat dialect gets them. */

import { expect } from "vitest";
import { type Capabilities, usualCapabilities } from "@/server/protocol/capabilities";
import type { JsonObject } from "@/server/protocol/fields";
import { messagesRequestAsChat } from "./pivot-translation";
import { terms } from "./terms";

export type PartialCapabilities = Partial<Capabilities>;
export const user = (content: unknown) => ({ role: "user", content });
export const assistant = (content: unknown) => ({ role: "assistant", content });
export const text = (value: string) => ({ type: "text", text: value });
export const use = (id: string, input: object = {}) => ({ type: "tool_use", id, name: "Bash", input });
export const result = (id: string, content?: unknown, more: object = {}) => ({
  ...{ type: "tool_result", tool_use_id: id, content, ...more },
});

export function bodyOf(fields: JsonObject, takes: PartialCapabilities = {}): JsonObject {
  const capabilities = { ...usualCapabilities.chat, ...takes };
  const upstream = { dialect: "chat" as const, name: "vendor-model", capabilities };
  const request = { model: "public", messages: [user("hi")], ...fields };
  return messagesRequestAsChat(request, upstream, terms(100)).body;
}

export const messagesOf = (fields: JsonObject, takes?: PartialCapabilities) =>
  bodyOf(fields, takes).messages as JsonObject[];

/** An object that neither `String` nor a template can convert to text. */
export const unspeakable = { toString: 1, valueOf: 1 };

export function expectRefusal(field: string, ...args: Parameters<typeof bodyOf>): void {
  expect(() => bodyOf(...args)).toThrow(
    expect.objectContaining({ kind: "cannotConvert", status: 400, message: expect.stringContaining(field) }),
  );
}
