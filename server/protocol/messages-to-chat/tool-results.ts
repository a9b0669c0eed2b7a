import { optionalText } from "../cannot-convert";
import type { JsonObject } from "../fields";
import { toChatToolId } from "../tool-ids";
import { blocksOf, type Part, type Target, textParts, toParts } from "./content";

/** What a tool answered: the chat dialect's tool messages hold text only, the rest follows in a user message. */
type ToolResult = { text: string; media: Part[] };

const placeholders = { image_url: "[image]", file: "[document]" };

/** Reads a `tool_result` block. Throws cannotConvert as `toParts` does. */
export function readToolResult(block: JsonObject, target: Target): ToolResult {
  const content = blocksOf(block.content, "messages: tool_result.content");
  const parts = content.flatMap((inner) => toParts(inner, target));
  const media = parts.filter((part) => part.type !== "text");
  const lines = parts.map((part) => (part.type === "text" ? part.text : placeholders[part.type]));
  return {
    text: (block.is_error === true ? "[tool_error] " : "") + lines.join("\n"),
    media: media.length > 0 ? [...textParts(`[tool_result ${toolUseId(block)}]`), ...media] : [],
  };
}

/** Which call a `tool_result` block answers, as the chat dialect names it. "": none. */
export const toolUseId = (block: JsonObject): string =>
  toChatToolId(optionalText(block.tool_use_id, "messages: tool_result.tool_use_id"));

/** A result that answers no call of the turn before it: an upstream would refuse it as a tool message. */
export function toOrphanParts(block: JsonObject, target: Target): Part[] {
  const { text, media } = readToolResult(block, target);
  return [...textParts(`[tool_result] ${text}`), ...media];
}

/** What stands for the result of a call that got none: an upstream wants one for each. */
export const NO_RESULT = "[no result]";
