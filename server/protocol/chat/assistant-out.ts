import type { JsonObject } from "../fields";
import type { Block, CallBlock } from "../pivot/conversation";
import { toChatToolId } from "../tools/tool-ids";
import type { ModelTarget } from "./content-out";
import { detailsIn } from "./reasoning-details";

/** Thinking upstreams refuse a turn with calls but without thinking (new-api#4408); they accept one with hardly any. */
const NO_THINKING = " ";

const textsOf = (blocks: Block[], type: "text" | "thinking"): string[] =>
  blocks.flatMap((block) => (block.type === type ? [block.text] : [])).filter((text) => text !== "");

/**
 * Google documents this for calls whose signature is lost: without a signature Gemini 3 refuses the turn ("Function
 * call is missing a thought_signature").
 */
const UNSIGNED = { extra_content: { google: { thought_signature: "skip_thought_signature_validator" } } };

const toToolCall = (block: CallBlock, { names, capabilities }: ModelTarget) => ({
  id: toChatToolId(block.id),
  type: "function",
  function: { name: names.toUpstream(block.name), arguments: block.arguments },
  ...(capabilities.signsToolCalls && UNSIGNED),
});

/** Writes an assistant's turn and returns it with the identifiers of its calls. null: the turn is empty. */
export function toAssistantMessage(
  blocks: Block[],
  target: ModelTarget,
): { message: JsonObject; callIds: string[] } | null {
  const calls = blocks.flatMap((block) => (block.type === "call" ? [toToolCall(block, target)] : []));
  // Blocks of one turn are parts of one text: citations split it in the middle of a sentence.
  const text = textsOf(blocks, "text").join("");
  if (text === "" && calls.length === 0) {
    return null;
  }
  const thinking = textsOf(blocks, "thinking").join("\n") || (calls.length > 0 ? NO_THINKING : "");
  const details = target.capabilities.reasoningDetails ? detailsIn(blocks) : [];
  const message = {
    role: "assistant",
    content: text === "" ? null : text,
    ...(target.capabilities.echoesThinking && thinking !== "" && { reasoning_content: thinking }),
    ...(details.length > 0 && { reasoning_details: details }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
  return { message, callIds: calls.map((call) => call.id) };
}
