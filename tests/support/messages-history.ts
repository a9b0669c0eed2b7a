import { type Capabilities, usualCapabilities } from "@/server/protocol/capabilities";
import { toChatMessages } from "@/server/protocol/chat/history-out";
import { readConversation } from "@/server/protocol/messages/request-in";
import { mapToolNames } from "@/server/protocol/tool-names";

/** A messages history as an upstream of the chat dialect gets it. */
export const convert = (fields: object, capabilities: Partial<Capabilities> = {}) =>
  toChatMessages(readConversation({ ...fields }), {
    names: mapToolNames([], 64),
    capabilities: { ...usualCapabilities.chat, ...capabilities },
  });

export const user = (content: unknown) => ({ role: "user", content });
export const assistant = (content: unknown) => ({ role: "assistant", content });
export const text = (value: string) => ({ type: "text", text: value });
export const use = (id: string, input: object = {}) => ({ type: "tool_use", id, name: "Bash", input });
export const result = (id: string, content?: unknown, more: object = {}) => ({
  type: "tool_result",
  tool_use_id: id,
  content,
  ...more,
});
export const called = (id: string, args = "{}") => ({
  id,
  type: "function",
  function: { name: "Bash", arguments: args },
});
export const png = { type: "image", source: { type: "base64", media_type: "image/png", data: "AAA=" } };
export const pngPart = { type: "image_url", image_url: { url: "data:image/png;base64,AAA=" } };
export const pdf = {
  type: "document",
  source: { type: "base64", media_type: "application/pdf", data: "JVBE" },
};
