/**
 * Numbers that the gateway only passes on keep their digits: identifiers of 19 digits, and `1.0`, which some parsers do
 * not read as an integer. If a double would print differently, the number is a `JSON.rawJSON` of its text, which
 * `JSON.stringify` prints unchanged.
 */
declare global {
  interface JSON {
    rawJSON: (text: string) => object;
    isRawJSON: (value: unknown) => boolean;
  }
}

/** Members whose whole content belongs to the client, the tool or the model: arguments, and schemas. */
const CARRIED = new Set([
  ...["arguments", "input", "args", "parameters", "input_schema", "schema"],
  ...["parametersJsonSchema", "parameters_json_schema", "responseSchema", "response_schema"],
  ...["responseJsonSchema", "response_json_schema"],
]);

/** `isList`: the value is a list. The input of a call to a model is a list, that of a tool an object. */
export const isCarried = (name: string, isList: boolean): boolean =>
  CARRIED.has(name) && !(isList && name === "input");

export const isExactNumber = (value: object): value is { rawJSON: string } =>
  "rawJSON" in value && JSON.isRawJSON(value);

/** A number as it is written. */
export function exactNumber(written: string): number | object {
  const value = Number(written);
  return String(value) === written ? value : JSON.rawJSON(written);
}

/** Text that may have such a number. Hardly any text does, and other texts are read in a fraction of the time. */
const MAY_LOSE = /[:,[]\s*(?:-0(?![\d.])|-?(?:[\d.]{16}|\d+\.\d*0(?!\d)|\d[\d.]*[eE]))/;

type ReviverContext = { source?: string };

/** Whether a number of a JSON text might change when the text is parsed and printed. */
export const mayLoseDigits = (text: string): boolean => MAY_LOSE.test(text);

/** As `JSON.parse`, with all numbers as they are written. */
export function parseExact(text: string): unknown {
  if (!mayLoseDigits(text)) {
    return JSON.parse(text);
  }
  // V8 passes no source where it has mistaken one name for another (nodejs/node#63785).
  const exact = (_name: string, value: unknown, { source }: ReviverContext = {}) =>
    typeof value === "number" && source !== undefined ? exactNumber(source) : value;
  return JSON.parse(text, exact as (name: string, value: unknown) => unknown);
}

/** Converts numbers outside the carried members to plain numbers: the gateway reads them. */
function plain(value: unknown): unknown {
  if (typeof value !== "object" || value === null) {
    return value;
  }
  if (Array.isArray(value)) {
    return value.map(plain);
  }
  if (isExactNumber(value)) {
    return Number(value.rawJSON);
  }
  for (const [name, member] of Object.entries(value)) {
    const isWhole = typeof member === "object" && member !== null && !isExactNumber(member);
    if (!isWhole || !isCarried(name, Array.isArray(member))) {
      Object.defineProperty(value, name, {
        ...{ value: plain(member), enumerable: true, configurable: true, writable: true },
      });
    }
  }
  return value;
}

/** As `JSON.parse`, with the numbers of carried members as they are written. */
export const parseCarrying = (text: string): unknown =>
  mayLoseDigits(text) ? plain(parseExact(text)) : JSON.parse(text);
