/** What endpoints of one call and one answer have in common: they are forwarded in the client's words (spec 4.10). */
import type { UnitPrice, Units } from "@/server/base/units";
import type { JsonObject } from "../fields";
import { readModel } from "../json-object";
import { type JsonSource, type JsonText, readJsonText } from "../json-text";
import type { Counted } from "../upstream-plan";
import type { Usage } from "../usage";

/**
 * How many pictures are asked for, and of what size and quality; `auto`: the vendor is to choose. `given`: how many come
 * with the call. `sketches`: how many are streamed on the way to each.
 */
type Pictures = { count: number; size: string; quality: string; given: number; sketches: number };

/**
 * What a request itself says of its price, as plain data: large bodies are counted in a thread. `tokens`: our estimate
 * of what is read, 0 where no text is paid for by the token.
 */
export type Asked = { tokens: number; units: Units; pictures?: Pictures; isStream?: boolean };

/** What must be known of a request before it is paid for. */
export type KnownForwarded = { model: string; asked: Asked };

/** A request, read as far as we act on it; its text is what goes to the upstream. */
export type ForwardedRequest = JsonText & KnownForwarded;

/** What a model of such an endpoint is sold at, as far as counting goes by it. */
export type SoldAt = {
  prices: { input: bigint; output: bigint };
  unitPrices: readonly UnitPrice[];
  maxOutputTokens: number;
};

/** `choices`: outputs that each may be as long as the limit. */
export type Most = { inputTokens: number; maxOutputTokens: number; choices: number; units: Units };

/** One endpoint. Throws the 400s of spec section 7 where it is said. */
export type ForwardedEndpoint = {
  /** Throws. What is forwarded is the text as it came. */
  read: (fields: JsonObject) => Asked;
  /** The most that the call can come to. Throws where the model has no price for what is asked for. */
  most: (known: KnownForwarded, model: SoldAt) => Most;
  /** The client's answer for an upstream's, and what it came to. null: malformed. */
  readAnswer: (
    answer: JsonObject,
    known: KnownForwarded,
    model: SoldAt,
  ) => (Counted & { body: JsonObject }) | null;
};

/** A call of which all that is paid for is in its request. */
export const mostAsAsked: ForwardedEndpoint["most"] = ({ asked: { tokens, units } }) => ({
  inputTokens: tokens,
  maxOutputTokens: 0,
  choices: 1,
  units,
});

/** `asked`: of the same text, from an earlier time. Throws the 400s of spec section 7. */
export function parseForwarded(
  source: JsonSource,
  read: ForwardedEndpoint["read"],
  asked?: Asked,
): ForwardedRequest {
  const text = readJsonText(source);
  const model = readModel(text.fields);
  return { ...text, model, asked: asked ?? read(text.fields) };
}

/** Without units of which there are none. */
export const withoutNone = (units: Units): Units =>
  Object.fromEntries(Object.entries(units).filter(([, count]) => count > 0));

/** Tokens of text, and what else is paid for; units of none are left out. */
export function usageOf(tokens: { input: number; output: number }, units: Units): Usage {
  const used = withoutNone(units);
  return {
    inputTokens: tokens.input,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    cacheWrite1hTokens: 0,
    outputTokens: tokens.output,
    reasoningTokens: 0,
    ...(Object.keys(used).length > 0 && { units: used }),
  };
}
