import type { JsonObject } from "./corpus";
import { unpriced } from "./json";

/** Members that the gateway may change: the fields of spec 2.2, which the oracle reads, and vendors' names for them. */
const changed = {
  answer: ["id", "object", "created", "model", "usage", "choices"],
  choice: ["index", "delta", "message", "finish_reason", "usage"],
  message: ["role", "content", "reasoning", "reasoning_content", "tool_calls"],
};

const omit = (value: unknown, names: string[]): JsonObject =>
  Object.fromEntries(Object.entries((value ?? {}) as JsonObject).filter(([name]) => !names.includes(name)));

/** The rest of a message. Members of Vercel's gateway about itself contain the cost. */
function messageOf(value: unknown): JsonObject {
  const { provider_metadata: corner, ...message } = omit(value, changed.message);
  return { ...message, ...(corner !== undefined && { provider_metadata: unpriced(corner) }) };
}

/**
 * All other members of an answer or chunk, such as logprobs, citations and signatures. The gateway must not change
 * them.
 */
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
