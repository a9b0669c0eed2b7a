import { isJsonObject, type JsonObject, objects, textOf, wordOf } from "../fields";
import { printText } from "../json/print";
import { readArguments } from "../tools/call-arguments";
import { type AnswerContext, type CountedUsage, costMember, noteFinish, noteUsage } from "../upstream-plan";
import { countAllSaid, countParts, countSaid, type SaidTokens } from "../usage/estimate";
import { countedAs, type Estimate, estimateOf, readCount } from "../usage/usage";
import { inputBesideCache, promptOf, readMessagesUsage } from "./usage";

/**
 * Tokens of a content block. Yields, so that long work can pause. Blocks of server tools count 0: the vendor counts
 * them.
 */
export function* countBlock(block: JsonObject): Generator<void, SaidTokens> {
  if (block.type === "thinking") {
    return { output: 0, reasoning: typeof block.thinking === "string" ? countSaid(block.thinking) : 0 };
  }
  if (block.type === "tool_use") {
    const input = isJsonObject(block.input) && Object.keys(block.input).length > 0 ? block.input : null;
    const texts = [wordOf(block.name ?? ""), input ? yield* printText(input) : ""];
    return { output: yield* countAllSaid(texts), reasoning: 0 };
  }
  return { output: typeof block.text === "string" ? countSaid(block.text) : 0, reasoning: 0 };
}

/** The defaults of members that a vendor leaves out, by the block's type. */
const blank: Record<string, JsonObject> = {
  text: { text: "" },
  thinking: { thinking: "", signature: "" },
  redacted_thinking: { data: "" },
  tool_use: { id: "", name: "", input: {} },
};

const blankDeltas: Record<string, JsonObject> = {
  text_delta: { text: "" },
  thinking_delta: { thinking: "" },
  signature_delta: { signature: "" },
  input_json_delta: { partial_json: "" },
};

function complete(part: JsonObject, usual: Record<string, JsonObject>): JsonObject {
  const lacks = Object.entries(usual[textOf(part.type)] ?? {}).filter(
    ([name, value]) => typeof part[name] !== typeof value || part[name] === null,
  );
  return lacks.length > 0 ? { ...part, ...Object.fromEntries(lacks) } : part;
}

/** Some vendors send the input object as text; returns the block with the object. */
function* readInput(block: JsonObject): Generator<void, JsonObject> {
  if (block.type !== "tool_use" || typeof block.input !== "string") {
    return block;
  }
  const input = yield* readArguments(block.input);
  return input === null ? block : { ...block, input };
}

/** Adds the members that clients expect in a block of this type. */
export function* completeBlock(block: JsonObject): Generator<void, JsonObject> {
  return complete(yield* readInput(block), blank);
}

/** As `completeBlock`, for a delta. */
export const completeDelta = (delta: JsonObject): JsonObject => complete(delta, blankDeltas);

/**
 * The usage object of an answer with every field that spec 2.3 and the SDKs expect; `standIn` fills the missing ones.
 */
export function completeUsage(
  usage: unknown,
  standIn: { inputTokens: number; outputTokens: number },
): JsonObject {
  const kept: JsonObject = isJsonObject(usage) ? usage : {};
  const input = inputBesideCache(kept) ?? (promptOf(kept) > 0 ? readCount(kept.input_tokens) : null);
  return {
    ...kept,
    input_tokens: input ?? standIn.inputTokens,
    cache_creation_input_tokens: readCount(kept.cache_creation_input_tokens) ?? 0,
    cache_read_input_tokens: readCount(kept.cache_read_input_tokens) ?? 0,
    output_tokens: readCount(kept.output_tokens) || standIn.outputTokens,
  };
}

/** An estimate for any answer that is not empty: an output of zero is no count of it. */
const SOMETHING: Estimate = { input: 1, output: 1, reasoning: 0 };

/**
 * Reads a messages-dialect answer (spec 2.3) under the public model name. Keeps unknown members and blocks. Changes the
 * object that it is given. null: not an answer in this dialect.
 */
export function* readMessagesAnswer(
  answer: unknown,
  context: AnswerContext,
): Generator<void, (CountedUsage & { answer: JsonObject }) | null> {
  if (!isJsonObject(answer) || !Array.isArray(answer.content)) {
    return null;
  }
  const blocks: JsonObject[] = [];
  for (const block of objects(answer.content).filter(({ type }) => typeof type === "string")) {
    blocks.push(yield* completeBlock(block));
    yield;
  }
  answer.content = blocks;
  // If the upstream's counts are complete, the gateway counts only the thinking, which few vendors count separately.
  const isTold = readMessagesUsage(answer.usage, SOMETHING)?.isWhole === true;
  const uncounted = isTold ? blocks.filter(({ type }) => type === "thinking") : blocks;
  const estimate = estimateOf(context.inputTokens, yield* countParts(uncounted, countBlock));
  const reported = readMessagesUsage(answer.usage, estimate, answer.model);
  noteUsage(context, answer.usage, reported !== null);
  const counted = countedAs(reported, estimate);
  answer.id = textOf(answer.id) || context.fallbackId;
  answer.type = "message";
  answer.role = "assistant";
  context.onModel?.(answer.model);
  answer.model = context.model;
  noteFinish(context, answer.stop_reason);
  answer.stop_reason = textOf(answer.stop_reason) || "end_turn";
  answer.stop_sequence = textOf(answer.stop_sequence) || null;
  answer.usage = { ...completeUsage(answer.usage, counted.usage), ...costMember(context, counted.usage) };
  return { answer, ...counted };
}
