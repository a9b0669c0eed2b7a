import type { JsonObject } from "./corpus";

/** What the gateway may change: spec 2.2's own fields, which the oracle reads, and vendors' names for them. */
const changed = {
  answer: ["id", "object", "created", "model", "usage", "choices"],
  choice: ["index", "delta", "message", "finish_reason", "usage"],
  message: ["role", "content", "reasoning", "reasoning_content", "tool_calls"],
};

const omit = (value: unknown, names: string[]): JsonObject =>
  Object.fromEntries(Object.entries((value ?? {}) as JsonObject).filter(([name]) => !names.includes(name)));

/** Everything else of an answer or of a chunk: logprobs, citations, signatures. The gateway must keep it as it is. */
export function residueOf(answer: JsonObject): JsonObject {
  const choices = (answer.choices ?? []) as JsonObject[];
  return {
    ...omit(answer, changed.answer),
    choices: choices.map((choice) => ({
      ...omit(choice, changed.choice),
      message: omit(choice.delta ?? choice.message, changed.message),
    })),
  };
}
