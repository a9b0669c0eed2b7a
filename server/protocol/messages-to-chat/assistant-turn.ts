import { details } from "@/server/base/details";
import { GatewayError } from "@/server/base/errors";
import { optionalFields, optionalText, requireText } from "../cannot-convert";
import { type JsonObject, wordOf } from "../fields";
import { toChatToolId } from "../tool-ids";
import { type Target, textOfBlock, toParts } from "./content";

/** Thinking upstreams refuse a turn with calls but without thinking (new-api#4408), not one that hardly thought. */
const NO_THINKING = " ";

const ofType = (blocks: JsonObject[], type: string): JsonObject[] =>
  blocks.filter((block) => block.type === type);

const thinkingOf = (blocks: JsonObject[]): string =>
  ofType(blocks, "thinking")
    .map((block) => optionalText(block.thinking, "messages: thinking.thinking"))
    .filter((text) => text !== "")
    .join("\n");

/**
 * What Google documents for calls whose signature is lost: without any, Gemini 3 refuses the turn ("Function call is
 * missing a thought_signature").
 */
const UNSIGNED = { extra_content: { google: { thought_signature: "skip_thought_signature_validator" } } };

function toToolCall(block: JsonObject, { names, capabilities }: Target) {
  if (typeof block.id !== "string" || block.id === "") {
    throw new GatewayError("cannotConvert", details.mustBeNonEmptyText("messages: tool_use.id"));
  }
  const name = names.toUpstream(requireText(block.name, "messages: tool_use.name"));
  const input = optionalFields(block.input, "messages: tool_use.input");
  const call = { name, arguments: JSON.stringify(input) };
  return {
    id: toChatToolId(block.id),
    type: "function",
    function: call,
    ...(capabilities.signsToolCalls && UNSIGNED),
  };
}

/** Throws cannotConvert for a block that would be lost. What the vendor's own tools did, may be. */
function refuseOthers(blocks: JsonObject[], target: Target): void {
  const known = new Set(["text", "thinking", "redacted_thinking", "tool_use"]);
  for (const block of blocks) {
    if (!known.has(wordOf(block.type)) && toParts(block, target).length > 0) {
      throw new GatewayError("cannotConvert", details.noBlock("messages: assistant", wordOf(block.type)));
    }
  }
}

/**
 * An assistant's turn, and the identifiers of its calls. null: it said nothing. Throws cannotConvert for blocks that
 * would be lost.
 */
export function toAssistantMessage(
  blocks: JsonObject[],
  target: Target,
): { message: JsonObject; callIds: string[] } | null {
  refuseOthers(blocks, target);
  const calls = ofType(blocks, "tool_use").map((block) => toToolCall(block, target));
  // Blocks of one turn are pieces of one text: citations cut it in the middle of a sentence.
  const text = ofType(blocks, "text").map(textOfBlock).join("");
  if (text === "" && calls.length === 0) {
    return null;
  }
  const thinking = thinkingOf(blocks) || (calls.length > 0 ? NO_THINKING : "");
  const message = {
    role: "assistant",
    content: text === "" ? null : text,
    ...(target.capabilities.echoesThinking && thinking !== "" && { reasoning_content: thinking }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
  return { message, callIds: calls.map((call) => call.id) };
}
