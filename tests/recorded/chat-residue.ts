import type { JsonObject } from "./corpus";
import { unpriced } from "./json";

/** What the gateway may change: spec 2.2's own fields, which the oracle reads, and vendors' names for them. */
const changed = {
  answer: ["id", "object", "created", "model", "usage", "choices"],
  choice: ["index", "delta", "message", "finish_reason", "usage"],
  message: ["role", "content", "reasoning", "reasoning_content", "tool_calls"],
};

const omit = (value: unknown, names: string[]): JsonObject =>
  Object.fromEntries(Object.entries((value ?? {}) as JsonObject).filter(([name]) => !names.includes(name)));

/** Of a message; what Vercel's gateway says of itself tells what it cost. */
function messageOf(value: unknown): JsonObject {
  const { provider_metadata: corner, ...message } = omit(value, changed.message);
  return { ...message, ...(corner !== undefined && { provider_metadata: unpriced(corner) }) };
}

/** Everything else of an answer or of a chunk: logprobs, citations, signatures. The gateway must keep it as it is. */
export function residueOf(answer: JsonObject): JsonObject {
  const choices = (answer.choices ?? []) as JsonObject[];
  return {
    ...omit(answer, changed.answer),
    choices: choices.map((choice) => ({
      ...omit(choice, changed.choice),
      message: messageOf(choice.delta ?? choice.message),
    })),
  };
}
