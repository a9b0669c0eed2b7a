import { isJsonObject, type JsonObject } from "../fields";

/** Names that have another usual name: errors in the middle of Tencent's streams. */
const usualNames = new Map([["ErrorMsg", "error"]]);

const usualName = (name: string): string =>
  usualNames.get(name) ??
  name.replace(
    /(^|[a-z])([A-Z])/g,
    (_all, before: string, letter: string) => `${before}${before && "_"}${letter.toLowerCase()}`,
  );

/** As deep as an answer's own members are. */
const MAX_DEPTH = 8;

/** The names of an answer's members. Those of a call's arguments are the model's own. */
function renamed(value: unknown, depth: number): unknown {
  if (depth > MAX_DEPTH || typeof value !== "object" || value === null) {
    return value;
  }
  if (Array.isArray(value)) {
    return (value as unknown[]).map((each) => renamed(each, depth + 1));
  }
  return isJsonObject(value)
    ? Object.fromEntries(
        Object.entries(value).map(([name, inner]) => [
          usualName(name),
          name === "Arguments" ? inner : renamed(inner, depth + 1),
        ]),
      )
    : value;
}

/** An answer or an event of a vendor that begins all names with a capital (Tencent's own API), with the usual names. */
export const withoutPascalNames = (value: JsonObject): JsonObject =>
  value.Choices !== undefined || isJsonObject(value.Response) || value.ErrorMsg !== undefined
    ? (renamed(value, 0) as JsonObject)
    : value;
