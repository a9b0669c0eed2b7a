import { usualCapabilities } from "@/server/protocol/capabilities";
import type { JsonObject } from "@/server/protocol/fields";
import { chatRequestAsMessages } from "./crossed";

/** A chat history as an upstream of the messages dialect gets it. */
export function convert(messages: JsonObject[], more: JsonObject = {}): JsonObject {
  const upstream = { dialect: "messages" as const, name: "claude", capabilities: usualCapabilities.messages };
  const fields = { model: "public", messages, ...more };
  return chatRequestAsMessages(fields, upstream, { maxOutputTokens: 4_096, isCapped: false }).body;
}

export const user = (content: unknown = "hi") => ({ role: "user", content });
export const text = (words: string) => ({ type: "text", text: words });
export const call = (id: string | undefined, name = "f", args: unknown = "{}") => ({
  ...(id !== undefined && { id }),
  type: "function",
  function: { name, arguments: args },
});
export const assistant = (...calls: JsonObject[]) => ({
  role: "assistant",
  content: null,
  tool_calls: calls,
});
export const tool = (id: string | undefined, content: unknown = "ok") => ({
  role: "tool",
  tool_call_id: id,
  content,
});
export const use = (id: string, name = "f", input: object = {}) => ({ type: "tool_use", id, name, input });
export const result = (id: string, content = "ok") => ({ type: "tool_result", content, tool_use_id: id });
export const stub = (id: string) => ({
  type: "tool_result",
  tool_use_id: id,
  content: "(no result)",
  is_error: true,
});
