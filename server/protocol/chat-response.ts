import { callsFinish, type Fields, isFields, normaliseMessage, objects, readFinish } from "./chat-normalise";
import { countTokens } from "./estimate";
import { estimatedUsage, readChatUsage, type Usage, writeChatUsage } from "./usage";

export type ChatAnswer = {
  /** The body for the client (spec 2.2). */
  body: string;
  usage: Usage;
  source: "upstream" | "estimated";
};

/** Tokens of a message's text, thinking and tool calls. */
export function countMessage(message: Record<string, unknown>): { output: number; reasoning: number } {
  const texts = [message.content, message.refusal].filter((text) => typeof text === "string");
  for (const call of objects(message.tool_calls)) {
    const target = isFields(call.function) ? call.function : {};
    texts.push(...[target.name, target.arguments].filter((text) => typeof text === "string"));
  }
  const thinking = message.reasoning_content;
  return {
    output: texts.reduce((sum, text) => sum + countTokens(text), 0),
    reasoning: typeof thinking === "string" ? countTokens(thinking) : 0,
  };
}

/** A choice's message. Azure's content filter leaves it out, and names its reason. null: no choice of this dialect. */
function readMessage(choice: Fields): Fields | null {
  if (isFields(choice.message)) {
    return choice.message;
  }
  return choice.message === undefined && readFinish(choice) !== null ? {} : null;
}

/**
 * Turns an upstream's answer into the client's. null: not an answer in this dialect. Fields that we do not know are
 * kept; `model` becomes the public name.
 */
export function toChatAnswer(
  answer: unknown,
  call: { model: string; inputTokens: number; fallbackId: string; now: Date },
): ChatAnswer | null {
  if (!isFields(answer) || !Array.isArray(answer.choices) || answer.choices.length === 0) {
    return null;
  }
  const estimate = { input: call.inputTokens, output: 0, reasoning: 0 };
  for (const [position, choice] of (answer.choices as unknown[]).entries()) {
    const message = isFields(choice) ? readMessage(choice) : null;
    if (!isFields(choice) || !message) {
      return null;
    }
    choice.index ??= position;
    choice.message = message;
    normaliseMessage(message);
    message.role ??= "assistant";
    const implied = callsFinish(message);
    // Spec 4.2 rule 1: a budget that thinking used up leaves an empty string, not null.
    message.content ??= implied !== null || typeof message.refusal === "string" ? null : "";
    choice.finish_reason = readFinish(choice) ?? implied ?? "stop";
    const counted = countMessage(message);
    estimate.output += counted.output;
    estimate.reasoning += counted.reasoning;
  }
  const reported = readChatUsage(answer.usage);
  const usage =
    reported ??
    estimatedUsage({
      input: estimate.input,
      output: Math.ceil(estimate.output),
      reasoning: Math.ceil(estimate.reasoning),
    });
  answer.model = call.model;
  answer.id ||= call.fallbackId;
  answer.object ||= "chat.completion";
  answer.created ||= Math.floor(call.now.getTime() / 1000);
  answer.usage = writeChatUsage(usage, answer.usage);
  return { body: JSON.stringify(answer), usage, source: reported ? "upstream" : "estimated" };
}
