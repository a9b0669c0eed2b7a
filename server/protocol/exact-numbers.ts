/**
 * Numbers that are only carried keep their digits: identifiers of 19 digits, and `1.0`, which to some is no integer. Where
 * a double would be printed otherwise, the number is `JSON.rawJSON` of its text, which `JSON.stringify` prints as it is.
 */
declare global {
  interface JSON {
    rawJSON: (text: string) => object;
    isRawJSON: (value: unknown) => boolean;
  }
}

/** Members below which everything is the client's, the tool's or the model's own: arguments, and schemas. */
const CARRIED = new Set([
  ...["arguments", "input", "args", "parameters", "input_schema", "schema"],
  ...["parametersJsonSchema", "parameters_json_schema", "responseSchema", "response_schema"],
  ...["responseJsonSchema", "response_json_schema"],
]);

/** `isList`: of several items. The input of a call to a model is a list, that of a tool an object. */
export const isCarried = (name: string, isList: boolean): boolean =>
  CARRIED.has(name) && !(isList && name === "input");

export const isExactNumber = (value: object): value is { rawJSON: string } =>
  "rawJSON" in value && JSON.isRawJSON(value);

/** A number as it is written. */
export function exactNumber(written: string): number | object {
  const value = Number(written);
  return String(value) === written ? value : JSON.rawJSON(written);
}

/** Text that may have such a number; hardly any has, and the others are read in a fraction of the time. */
const MAY_LOSE = /[:,[]\s*(?:-0(?![\d.])|-?(?:[\d.]{16}|\d+\.\d*0(?!\d)|\d[\d.]*[eE]))/;

type Source = { source?: string };

/** Whether a number of a JSON text might change when the text is parsed and printed. */
export const mayLoseDigits = (text: string): boolean => MAY_LOSE.test(text);

/** As `JSON.parse`, all numbers as they are written. */
export function parseExact(text: string): unknown {
  if (!mayLoseDigits(text)) {
    return JSON.parse(text);
  }
  // V8 tells no source where it has taken one name for another (nodejs/node#63785).
  const exact = (_name: string, value: unknown, { source }: Source = {}) =>
    typeof value === "number" && source !== undefined ? exactNumber(source) : value;
  return JSON.parse(text, exact as (name: string, value: unknown) => unknown);
}

/** The plain numbers of all that is not carried: somebody here reads them. */
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

/** As `JSON.parse`, the numbers of what is only carried as they are written. */
export const parseCarrying = (text: string): unknown =>
  mayLoseDigits(text) ? plain(parseExact(text)) : JSON.parse(text);
