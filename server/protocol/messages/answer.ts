import { atOnce } from "@/server/base/turns";
import { isJsonObject, type JsonObject, objects, textOf, wordOf } from "../fields";
import { type Finish, finishKind } from "../finish";
import { printText } from "../json/print";
import { isBlankCall, withoutBlankCalls } from "../tools/blank-calls";
import { isObjectText, readArguments } from "../tools/call-arguments";
import { mintToolId } from "../tools/tool-ids";
import { type AnswerContext, costMember, noteFinish, noteUsage, type ReadWhole } from "../upstream-plan";
import { countAllSaid, countParts, countSaid, type SaidTokens } from "../usage/estimate";
import { withSnakeNames } from "../usage/snake-names";
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
    ([name, value]) => typeof part[name] !== typeof value || part[name] === null || Array.isArray(part[name]),
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

/** The types of blocks by a member that no other block has, for vendors that leave the type out. */
const blockTypes = { text: "text", thinking: "thinking", input: "tool_use" };

/** The type by a member that has content, or else by one that is there. */
function typeIn(part: JsonObject, types: Record<string, string>): string | undefined {
  const names = Object.keys(types);
  const name = names.find((each) => part[each]) ?? names.find((each) => (part[each] ?? null) !== null);
  return name === undefined ? undefined : types[name];
}

/** Types of texts in the Responses dialect, from vendors that serve both. */
const textTypes = new Set<unknown>(["output_text", "input_text"]);

/** A block, which some vendors send as its text, without a type, or with another dialect's. */
export function typedBlock(block: unknown): unknown {
  if (typeof block === "string") {
    return { type: "text", text: block };
  }
  if (!isJsonObject(block) || (textOf(block.type) !== "" && !textTypes.has(block.type))) {
    return block;
  }
  const type = typeIn(block, blockTypes);
  return type === undefined ? block : { ...block, type };
}

/** The blocks of a content; some vendors send one without the list around it. null: there are none. */
export function blocksOf(content: unknown): JsonObject[] | null {
  const one = typedBlock(content);
  const blocks = isJsonObject(one) && typeof one.type === "string" ? [one] : content;
  return Array.isArray(blocks)
    ? objects(blocks.map(typedBlock)).filter(({ type }) => typeof type === "string")
    : null;
}

/** Whether an end leaves a call incomplete. */
export const isCutEnd = (reason: unknown): boolean =>
  ["length", "refusal"].includes(finishKind(reason) ?? "");

/** A call without a name belongs to the only tool, if there is one. */
export const namedUse = (block: JsonObject, soleName: string | null): JsonObject =>
  block.type === "tool_use" && soleName !== null && textOf(block.name) === ""
    ? { ...block, name: soleName }
    : block;

/** Whether a whole block calls nothing. */
const isBlankUse = ({ type, name, input }: JsonObject): boolean =>
  type === "tool_use" && isBlankCall({ name, args: input });

/** Whether a client can use a block. */
const isUsable = ({ type, text }: JsonObject): boolean =>
  type === "tool_use" || (type === "text" && textOf(text) !== "");

/** Whether a whole call has no name, or an input that was cut off. */
function* isHalfCall(block: JsonObject): Generator<void, boolean> {
  if (block.type !== "tool_use") {
    return false;
  }
  const { name, input } = block;
  return textOf(name) === "" || (typeof input === "string" && !(yield* isObjectText(input)));
}

/** Whether an answer whose content is a bare text says that it is a message: errors may have such a text, too. */
const isMessage = ({ content, type, role, usage, stop_reason: reason }: JsonObject): boolean =>
  typeof content !== "string" ||
  type === "message" ||
  role === "assistant" ||
  isJsonObject(usage) ||
  finishKind(reason) !== null;

/** The types of deltas by their only member, for vendors that leave the type out. */
const deltaTypes = {
  text: "text_delta",
  thinking: "thinking_delta",
  signature: "signature_delta",
  partial_json: "input_json_delta",
};

/** The delta of an event; some vendors send only its text, or leave that level out. */
export function deltaIn({ delta, text }: JsonObject): JsonObject | null {
  const said = [delta, text].find((each) => typeof each === "string");
  const sent = said === undefined ? delta : { type: "text_delta", text: said };
  return isJsonObject(sent) ? typedDelta(sent) : null;
}

/** Whether a delta carries anything: some are missing, or are citations without a citation. */
export const saysSomething = (delta: unknown): boolean =>
  isJsonObject(delta) && (delta.type !== "citations_delta" || isJsonObject(delta.citation));

/** A delta with its type, and with its JSON as text. */
function typedDelta(delta: JsonObject): JsonObject {
  const type = typeIn(delta, deltaTypes);
  const isTyped = typeof delta.type === "string" && delta.type.endsWith("_delta");
  const { partial_json: input } = delta;
  // Some vendors begin with an empty object and send the input after it.
  const isEmpty = isJsonObject(input) && Object.keys(input).length === 0;
  const json = isJsonObject(input) ? { partial_json: isEmpty ? "" : atOnce(printText(input)) } : null;
  return isTyped && json === null
    ? delta
    : { ...delta, ...(!isTyped && type !== undefined && { type }), ...json };
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
  const kept: JsonObject = isJsonObject(usage) ? withSnakeNames(usage) : {};
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

/** Gives a call without an identifier one: otherwise its client could not name it in the result. */
export function identifyUse(block: JsonObject, { fallbackId }: AnswerContext, place: number): JsonObject {
  return block.type === "tool_use" && !block.id ? { ...block, id: mintToolId(fallbackId, place) } : block;
}

/** Anthropic's own words, which stay as they are. */
const ownStops = new Set<unknown>([
  ...["end_turn", "max_tokens", "stop_sequence", "tool_use", "pause_turn", "refusal", "compaction"],
  "model_context_window_exceeded",
]);

/** The dialect's word for each kind of end. */
const stops: Record<Exclude<Finish, "unknown" | "failure">, string> = {
  ...{ end: "end_turn", length: "max_tokens", stop_sequence: "stop_sequence", refusal: "refusal" },
  calls: "tool_use",
};

/**
 * Why a message ended, in the dialect's word; an unknown word stays. `hasCalls`: it has calls of the client's tools, for
 * which some vendors send a normal end; without them it does not end for calls. null: the message has not ended.
 */
export function usualStop(word: unknown, hasCalls: boolean): string | null {
  const kind = finishKind(word);
  if (kind === null || kind === "unknown" || kind === "failure") {
    return kind && textOf(word);
  }
  if (kind === "calls" && !hasCalls) {
    // Agents whose model names calls that it did not make ask it again without end.
    return "end_turn";
  }
  if (hasCalls && stops[kind] === "end_turn" && word !== "pause_turn" && word !== "compaction") {
    return "tool_use";
  }
  return ownStops.has(word) ? textOf(word) : stops[kind];
}

/**
 * Reads a messages-dialect answer (spec 2.3) under the public model name. Keeps unknown members and blocks. Changes the
 * object that it is given. `soleName`: the name of the only tool that a call without a name can mean. null: not an
 * answer in this dialect.
 */
export function* readMessagesAnswer(
  answer: unknown,
  context: AnswerContext,
  soleName: string | null = null,
): Generator<void, ReadWhole | null> {
  const content = isJsonObject(answer) ? blocksOf(answer.content) : null;
  if (!isJsonObject(answer) || content === null || !isMessage(answer)) {
    return null;
  }
  const blocks: JsonObject[] = [];
  let hasHalfCall = false;
  const named = content.map((block) => namedUse(block, soleName));
  const kept = withoutBlankCalls(named, { isBlank: isBlankUse, isUsable });
  for (const [place, block] of kept.entries()) {
    hasHalfCall ||= !isCutEnd(answer.stop_reason) && (yield* isHalfCall(block));
    blocks.push(identifyUse(yield* completeBlock(block), context, place));
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
  const hasCalls = blocks.some(({ type }) => type === "tool_use");
  answer.stop_reason = usualStop(answer.stop_reason, hasCalls) ?? (hasCalls ? "tool_use" : "end_turn");
  answer.stop_sequence = textOf(answer.stop_sequence) || null;
  answer.usage = { ...completeUsage(answer.usage, counted.usage), ...costMember(context, counted.usage) };
  return { answer, ...counted, ...(hasHalfCall && { hasHalfCall }) };
}
