import { countTokens } from "../estimate";
import { isJsonObject, type JsonObject, objects, wordOf } from "../fields";
import { type AnswerContext, type Counted, costMember } from "../upstream-plan";
import { countedAs, readCount } from "../usage";
import { withoutVendorPrice } from "../vendor-price";
import { promptOf, readMessagesUsage } from "./usage";

/** Tokens of what a content block holds, as fractions. Blocks of server tools are the vendor's to count. */
export function countBlock(block: JsonObject): { output: number; reasoning: number } {
  if (block.type === "thinking") {
    return { output: 0, reasoning: typeof block.thinking === "string" ? countTokens(block.thinking) : 0 };
  }
  if (block.type === "tool_use") {
    const input = isJsonObject(block.input) && Object.keys(block.input).length > 0 ? block.input : null;
    return {
      output: countTokens(wordOf(block.name ?? "")) + (input ? countTokens(JSON.stringify(input)) : 0),
      reasoning: 0,
    };
  }
  return { output: typeof block.text === "string" ? countTokens(block.text) : 0, reasoning: 0 };
}

/**
 * The usage object of an answer with every field that spec 2.3 and the SDKs count on; `standIn` for those it lacks.
 */
export function completeUsage(
  sent: unknown,
  standIn: { inputTokens: number; outputTokens: number },
): JsonObject {
  const kept: JsonObject = isJsonObject(sent) ? withoutVendorPrice(sent) : {};
  const input = promptOf(kept) > 0 ? readCount(kept.input_tokens) : null;
  return {
    ...kept,
    input_tokens: input ?? standIn.inputTokens,
    cache_creation_input_tokens: readCount(kept.cache_creation_input_tokens) ?? 0,
    cache_read_input_tokens: readCount(kept.cache_read_input_tokens) ?? 0,
    output_tokens: readCount(kept.output_tokens) || standIn.outputTokens,
  };
}

/**
 * Reads a messages-dialect answer (spec 2.3) under the public model name. null: not an answer in this dialect. Members
 * and blocks that we do not know are kept. Changes the object that it is given.
 */
export function readMessagesAnswer(
  answer: unknown,
  context: AnswerContext,
): (Counted & { answer: JsonObject }) | null {
  if (!isJsonObject(answer) || !Array.isArray(answer.content)) {
    return null;
  }
  const counts = objects(answer.content).map(countBlock);
  const estimate = {
    input: context.inputTokens,
    output: Math.ceil(counts.reduce((total, count) => total + count.output, 0)),
    reasoning: Math.ceil(counts.reduce((total, count) => total + count.reasoning, 0)),
  };
  const counted = countedAs(readMessagesUsage(answer.usage, estimate, answer.model), estimate);
  answer.id ||= context.fallbackId;
  answer.type = "message";
  answer.role ??= "assistant";
  answer.model = context.model;
  answer.stop_reason ??= "end_turn";
  answer.stop_sequence ??= null;
  answer.usage = { ...completeUsage(answer.usage, counted.usage), ...costMember(context, counted.usage) };
  return { answer, ...counted };
}
