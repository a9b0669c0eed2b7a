import { isJsonObject, type JsonObject } from "../fields";

const CAMEL = /[a-z][A-Z]/;

/** Names that these vendors have for counts of the dialects: of Converse, and of the AI SDK. */
const usualNames = new Map([
  ["cache_write_input_tokens", "cache_creation_input_tokens"],
  ["cached_input_tokens", "cached_tokens"],
  ["input_token_details", "input_tokens_details"],
  ["output_token_details", "output_tokens_details"],
]);

function snakeName(name: string): string {
  const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return usualNames.get(snake) ?? snake;
}

/** Of two values of one name, the one with the higher rank stays. */
const rankOf = ([name, value]: [string, unknown]): number =>
  value === null ? 0 : 2 - Number(CAMEL.test(name));

/**
 * A usage object with the names of OpenAI's and Anthropic's dialects, from gateways whose language or library writes
 * them in camelCase (AI SDK, Amazon's Converse). A name that the object has in both forms keeps its own value, unless
 * that is null.
 */
export function withSnakeNames(usage: JsonObject): JsonObject {
  const entries = Object.entries(usage);
  const isSnake = !entries.some(
    ([name, value]) =>
      CAMEL.test(name) || (isJsonObject(value) && Object.keys(value).some((each) => CAMEL.test(each))),
  );
  if (isSnake) {
    return usage;
  }
  const ordered = entries.toSorted((one, other) => rankOf(one) - rankOf(other));
  return Object.fromEntries(
    ordered.map(([name, value]) => [snakeName(name), isJsonObject(value) ? withSnakeNames(value) : value]),
  );
}
