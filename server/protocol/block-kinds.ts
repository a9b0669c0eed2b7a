import { type JsonObject, wordOf } from "./fields";

export const isThinking = (block: JsonObject | undefined): boolean =>
  block?.type === "thinking" || block?.type === "redacted_thinking";

/**
 * What a messages-dialect vendor's own tools did: no other vendor can read it, and it says nothing to be told again.
 */
export const isServerBlock = (block: JsonObject): boolean =>
  /^(fallback|.+_tool_use|.+_tool_result)$/.test(wordOf(block.type));
