import { type JsonObject, wordOf } from "./fields";

export const isThinking = (block: JsonObject | undefined): boolean =>
  block?.type === "thinking" || block?.type === "redacted_thinking";

/**
 * Whether a block is the work of a messages-dialect vendor's own tools. No other vendor can read it, so it is not sent
 * to another one.
 */
export const isServerBlock = (block: JsonObject): boolean =>
  /^(fallback|.+_tool_use|.+_tool_result)$/.test(wordOf(block.type));
