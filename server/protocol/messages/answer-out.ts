import type { JsonObject } from "../fields";
import type { Answer, AnswerBlock, Stop } from "../pivot/answer";
import { writeThinking } from "../signed-thinking";
import { readArguments } from "../tools/call-arguments";
import { mintToolId, toMessagesToolId } from "../tools/tool-ids";
import { type AnswerContext, type CountedUsage, costMember } from "../upstream-plan";
import { writeMessagesUsage } from "./usage";

/** The members that describe a message, whole or streamed. `id`: the upstream's. */
export function messageHead(id: string, context: AnswerContext): JsonObject {
  return {
    id: `msg_${(id || context.fallbackId).replace(/^(chatcmpl|msg)[-_]/, "")}`,
    type: "message",
    role: "assistant",
    model: context.model,
  };
}

/** A call's block without its input. `position`: its place among the answer's calls. */
export const toolUseHead = (
  { id, name }: { id: string; name: string },
  position: number,
  context: AnswerContext,
): JsonObject => ({
  type: "tool_use",
  id: id ? toMessagesToolId(id) : mintToolId(context.fallbackId, position),
  name,
});

const stopReasons = { length: "max_tokens", refusal: "refusal" };

/** Clients run their tools when they read `tool_use`, whatever the upstream calls it. */
export function writeStop({ reason, sequence }: Stop, hasCalls: boolean): JsonObject {
  if (reason === "length" || reason === "refusal") {
    return { stop_reason: stopReasons[reason], stop_sequence: null };
  }
  if (hasCalls) {
    return { stop_reason: "tool_use", stop_sequence: null };
  }
  return { stop_reason: reason === "end" ? "end_turn" : reason, stop_sequence: sequence };
}

/** Removes a last thinking block without text: Claude Code shows only the last block. */
function withoutLastSeal(blocks: AnswerBlock[]): AnswerBlock[] {
  const last = blocks.at(-1);
  const isBare = last?.type === "thinking" && last.text === "" && blocks.length > 1;
  return isBare ? blocks.slice(0, -1) : blocks;
}

/** Writes an answer as a messages answer (spec 2.3). Leaves optional members out: the AI SDK refuses null. */
export function* writeMessage(
  answer: Answer,
  { usage }: CountedUsage,
  context: AnswerContext,
): Generator<void, JsonObject> {
  let calls = 0;
  const content: JsonObject[] = [];
  for (const block of withoutLastSeal(answer.blocks)) {
    if (block.type === "call") {
      // A call that was cut off gets an empty input.
      const input = (yield* readArguments(block.arguments)) ?? {};
      content.push({ ...toolUseHead(block, calls++, context), input });
    } else if (block.type === "thinking" || block.type === "redacted") {
      content.push(writeThinking(block));
    } else {
      content.push({ type: "text", text: block.text });
    }
    yield;
  }
  return {
    ...messageHead(answer.id, context),
    // Clients read the first block without a check that there is one.
    content: content.length > 0 ? content : [{ type: "text", text: "" }],
    ...writeStop(answer.stop, calls > 0),
    usage: { ...writeMessagesUsage(usage), ...costMember(context, usage) },
  };
}
