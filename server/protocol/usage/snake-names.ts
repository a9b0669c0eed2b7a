import { isJsonObject, type JsonObject } from "../fields";

const CAMEL = /[a-z][A-Z]/;

const snakeName = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/**
 * A usage object with the names of OpenAI's and Anthropic's dialects, from gateways whose language or library writes
 * them in camelCase (AI SDK, Amazon's Converse). A name that the object has in both forms keeps its own value.
 */
export function withSnakeNames(usage: JsonObject): JsonObject {
  const entries = Object.entries(usage);
  const isSnake = !entries.some(
    ([name, value]) =>
      CAMEL.test(name) || (isJsonObject(value) && Object.keys(value).some((each) => CAMEL.test(each))),
  );
  return isSnake
    ? usage
    : {
        ...Object.fromEntries(
          entries.map(([name, value]) => [
            snakeName(name),
            isJsonObject(value) ? withSnakeNames(value) : value,
          ]),
        ),
        ...Object.fromEntries(entries.filter(([name, value]) => !CAMEL.test(name) && !isJsonObject(value))),
      };
}
