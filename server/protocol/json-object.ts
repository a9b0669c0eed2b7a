import { details } from "@/server/details";
import { GatewayError } from "@/server/errors";
import type { Texts } from "@/server/language";
import type { Fields } from "./fields";
import { isFields } from "./fields";
import { memberNames } from "./json-splice";

/** Far above what any client sends, far below what overflows a stack or keeps the process busy. */
const MAX_FIELDS = 1_000;
const MAX_DEPTH = 200;

function exceedsDepth(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) {
    return false;
  }
  return levels === 0 || Object.values(value).some((inner) => exceedsDepth(inner, levels - 1));
}

/** The members that bound what a call can cost. */
const limitNames = ["max_tokens", "max_completion_tokens", "n"];

/** As Go compares the names of members: without case, and with the two letters that fold into ASCII. */
const folded = (name: string) => name.toUpperCase().toLowerCase();

/** A letter of a name may be written as an escape, which no serialiser does. */
const letterEscape = /\\u00[4-7]/;

/** Precise only where a look at the text does not rule it out: a body may have 32 MB. */
function isRepeated(raw: string, name: string): boolean {
  const quoted = `"${name}"`;
  const isMaybe = raw.indexOf(quoted) !== raw.lastIndexOf(quoted) || letterEscape.test(raw);
  return isMaybe && memberNames(raw).filter((member) => member === name).length > 1;
}

/**
 * A limit that stands there twice, or in another case, is one to us and another to an upstream: what is frozen must be
 * what the upstream obeys. Throws invalidParameters.
 */
function refuseAmbiguousLimits(raw: string, fields: Fields): void {
  for (const name of limitNames) {
    const isMisspelt = Object.keys(fields).some((key) => key !== name && folded(key) === name);
    if (isMisspelt || (Object.hasOwn(fields, name) && isRepeated(raw, name))) {
      throw new GatewayError("invalidParameters", details.onceInLowerCase(name));
    }
  }
}

/** The JSON object of a request body. Throws the 400s for anything else, and for one that is built to hurt. */
export function parseJsonObject(raw: string): Fields {
  let value: unknown;
  try {
    value = JSON.parse(raw);
  } catch (error) {
    throw new GatewayError("invalidJson", "", { cause: error });
  }
  if (!isFields(value)) {
    throw new GatewayError("invalidJson");
  }
  if (Object.keys(value).length > MAX_FIELDS || exceedsDepth(value, MAX_DEPTH)) {
    throw new GatewayError(
      "invalidParameters",
      details.tooManyFields({ fields: MAX_FIELDS, depth: MAX_DEPTH }),
    );
  }
  refuseAmbiguousLimits(raw, value);
  return value;
}

/** The first 400 of spec section 7 that all POST endpoints share. */
export function requireModel(fields: Fields): void {
  if (fields.model === undefined || fields.model === null || fields.model === "") {
    throw new GatewayError("missingModel");
  }
}

type ParseFailure = { issues: readonly { path: readonly PropertyKey[] }[] };

/** The 400 for the first field that a schema refused, in the words of `explanations`. */
export function explainFailure(error: ParseFailure, explanations: Record<string, Texts>): GatewayError {
  const field = String(error.issues[0]?.path[0]);
  return new GatewayError(
    "invalidParameters",
    (Object.hasOwn(explanations, field) && explanations[field]) || details.invalid(field),
  );
}
