import { mapInSteps } from "@/server/base/turns";
import type { JsonObject } from "../fields";
import { ThinkingBefore } from "../kept-thinking";
import type { Answer, AnswerBlock, Stop } from "../pivot/answer";
import { type Citation, lengthInSteps, moved, writeUrlCitation } from "../pivot/citations";
import { freeTextOf } from "../pivot/free-text";
import { type TokenLogprob, writeLogprobs } from "../pivot/logprobs";
import { writeThinking } from "../signed-thinking";
import { signToolId, toChatToolId } from "../tools/tool-ids";
import { type AnswerContext, type CountedUsage, costMember } from "../upstream-plan";
import { writeChatUsage } from "../usage/chat-usage";

/**
 * `usesLegacyFunctions`: the client knows only `function_call`, not `tool_calls`. `customTools`: tools whose input is
 * free text.
 */
export type AnswerForm = { usesLegacyFunctions: boolean; customTools?: ReadonlySet<string> };

/**
 * The callback that keeps thinking which this client does not hand back. Legacy functions have none: their calls have
 * no identifiers.
 */
export const keeperOf = ({ onThinking }: AnswerContext, { usesLegacyFunctions }: AnswerForm) =>
  usesLegacyFunctions ? undefined : onThinking;

const cutReasons = { length: "length", refusal: "content_filter" };

/** `callCount`: an answer that calls only the vendor's own tools ends like any other. */
export function finishReason({ reason }: Stop, callCount: number, form: AnswerForm): string {
  if (reason === "length" || reason === "refusal") {
    return cutReasons[reason];
  }
  if (callCount === 0) {
    return "stop";
  }
  return form.usesLegacyFunctions ? "function_call" : "tool_calls";
}

/** The members that every object of one chat answer starts with. `id`: the upstream's. */
export function answerHead(
  id: string,
  context: AnswerContext,
): { id: string; created: number; model: string } {
  const isOurs = id === "" || id === context.fallbackId;
  return {
    id: isOurs ? context.fallbackId : `chatcmpl-${id.replace(/^msg_/, "")}`,
    created: Math.floor(context.now.getTime() / 1000),
    model: context.model,
  };
}

/** `position`: the call's place among those of the answer, from 0. */
export const callId = (id: string, position: number, { fallbackId }: AnswerContext): string =>
  toChatToolId(id || `${fallbackId}_${position}`);

/** The identifier, with the signature of the thinking right before its call if Google made that signature. */
export const signedCallId = (id: string, before: AnswerBlock | undefined): string =>
  before?.type === "thinking" && before.seal?.origin === "google" ? signToolId(id, before.seal.data) : id;

/**
 * Thinking that its vendor wants back, in the messages dialect's form, for clients that hand it back, as LiteLLM's do.
 * A tool loop with thinking continues only with its signatures. null: no vendor wants it back.
 */
export const writeSigned = (block: AnswerBlock): JsonObject | null =>
  block.type === "redacted" || (block.type === "thinking" && block.seal !== null)
    ? writeThinking(block)
    : null;

/** A single text stays as it is: to copy a long one takes half a millisecond for each megabyte. */
function joined(blocks: AnswerBlock[], type: "text" | "thinking" | "refusal"): string {
  const texts = blocks.flatMap((block) => (block.type === type && block.text !== "" ? [block.text] : []));
  return texts.length === 1 ? String(texts[0]) : texts.join("");
}

export const annotationOf = (citation: Citation): JsonObject => ({
  type: "url_citation",
  url_citation: writeUrlCitation(citation),
});

/** Positions count through all texts of a message. */
function* writeAnnotations(blocks: AnswerBlock[]): Generator<void, JsonObject[]> {
  if (!blocks.some((block) => block.type === "text" && block.citations?.length)) {
    return [];
  }
  const written: JsonObject[][] = [];
  let before = 0;
  for (const block of blocks) {
    if (block.type === "text") {
      const from = before;
      const { text, citations = [] } = block;
      written.push(yield* mapInSteps(citations, (citation) => annotationOf(moved(citation, from))));
      before += yield* lengthInSteps(text);
    }
  }
  return written.flat();
}

/** null: the answer has no token probabilities. */
export function* logprobsObject(tokens: readonly TokenLogprob[]): Generator<void, JsonObject | null> {
  return tokens.length > 0 ? { content: yield* writeLogprobs(tokens), refusal: null } : null;
}

/** A call in the form that its client knows. Agents fail to parse arguments that are "". */
function* writeCall(
  { name, arguments: text }: { name: string; arguments: string },
  form: AnswerForm,
): Generator<void, JsonObject> {
  return form.customTools?.has(name)
    ? { type: "custom", custom: { name, input: yield* freeTextOf(text) } }
    : { type: "function", function: { name, arguments: text || "{}" } };
}

function* writeCalls(
  blocks: AnswerBlock[],
  context: AnswerContext,
  form: AnswerForm,
): Generator<void, JsonObject> {
  const thinking = new ThinkingBefore(keeperOf(context, form));
  const calls: JsonObject[] = [];
  for (const [index, block] of blocks.entries()) {
    if (block.type === "call") {
      const id = thinking.idOf(signedCallId(callId(block.id, calls.length, context), blocks[index - 1]));
      calls.push({ id, ...(yield* writeCall(block, form)) });
    } else {
      thinking.add(block);
    }
  }
  if (calls.length === 0) {
    return {};
  }
  // Before tools existed, an answer had at most one call.
  return form.usesLegacyFunctions ? { function_call: calls[0]?.function } : { tool_calls: calls };
}

function* writeMessage(
  blocks: AnswerBlock[],
  context: AnswerContext,
  form: AnswerForm,
): Generator<void, JsonObject> {
  const text = joined(blocks, "text");
  const thinking = joined(blocks, "thinking");
  const signed = blocks.map(writeSigned).filter((block) => block !== null);
  const annotations = yield* writeAnnotations(blocks);
  const hasCalls = blocks.some((block) => block.type === "call");
  return {
    role: "assistant",
    // Spec 4.2 rule 1: if thinking used up the budget, the content is an empty string; null is only for answers with
    // calls.
    content: text === "" && hasCalls ? null : text,
    refusal: joined(blocks, "refusal") || null,
    ...(annotations.length > 0 && { annotations }),
    ...(thinking !== "" && { reasoning_content: thinking }),
    ...(signed.length > 0 && { thinking_blocks: signed }),
    ...(yield* writeCalls(blocks, context, form)),
  };
}

/** Writes an answer as a chat completion object (spec 2.2). */
export function* writeCompletion(
  answer: Answer,
  { usage }: CountedUsage,
  { context, ...form }: AnswerForm & { context: AnswerContext },
): Generator<void, JsonObject> {
  const callCount = answer.blocks.filter((block) => block.type === "call").length;
  const choice = {
    index: 0,
    message: yield* writeMessage(answer.blocks, context, form),
    logprobs: yield* logprobsObject(
      answer.blocks.flatMap((block) => (block.type === "text" ? (block.logprobs ?? []) : [])),
    ),
    finish_reason: finishReason(answer.stop, callCount, form),
  };
  const { id, ...head } = answerHead(answer.id, context);
  return {
    id,
    object: "chat.completion",
    ...head,
    choices: [choice],
    usage: { ...writeChatUsage(usage), ...costMember(context, usage) },
  };
}
