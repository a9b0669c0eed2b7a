import type { ResultBlock } from "../pivot/conversation";
import { toChatToolId } from "../tools/tool-ids";
import { type ChatPart, type ModelTarget, textParts, toParts } from "./content-out";

/** A tool's result: the chat dialect's tool messages hold text only; media follow in a user message. */
type ToolResult = { text: string; media: ChatPart[] };

const placeholders = { image_url: "[image]", file: "[document]" };

/** Throws cannotConvert as `toParts` does. */
export function writeResult({ callId, content, isError }: ResultBlock, target: ModelTarget): ToolResult {
  const parts = content.flatMap((inner) => toParts(inner, target));
  const media = parts.filter((part) => part.type !== "text");
  const lines = parts.map((part) => (part.type === "text" ? part.text : placeholders[part.type]));
  return {
    text: (isError ? "[tool_error] " : "") + lines.join("\n"),
    media: media.length > 0 ? [...textParts(`[tool_result ${toChatToolId(callId)}]`), ...media] : [],
  };
}

/** Writes a result without a call in the turn before it: an upstream would refuse it as a tool message. */
export function toOrphanParts(block: ResultBlock, target: ModelTarget): ChatPart[] {
  const { text, media } = writeResult(block, target);
  return [...textParts(`[tool_result] ${text}`), ...media];
}
