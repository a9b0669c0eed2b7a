/**
 * Shared parts of endpoints with one call and one answer: the gateway forwards them in the client's words (spec 4.10).
 */
import type { Units } from "@/server/domain/units";
import { eachCount, type PriceSheet, tokenPrice } from "@/server/pricing";
import type { JsonObject } from "../fields";
import { readModel } from "../json/object";
import { type JsonSource, type JsonText, readJsonText } from "../json/text";
import type { CountedUsage } from "../upstream-plan";
import type { Usage } from "../usage/usage";

/**
 * The requested number, size and quality of pictures; `auto`: the vendor chooses. `inputs`: the number of pictures in
 * the call. `sketches`: the number of previews streamed for each picture.
 */
type Pictures = { count: number; size: string; quality: string; inputs: number; sketches: number };

/**
 * The parts of a request that set its price, as plain data: a thread counts large bodies. `tokens`: the estimate of
 * input; 0 if the endpoint has no price per token of text.
 */
export type BillableParts = { tokens: number; units: Units; pictures?: Pictures; isStream?: boolean };

/** The facts about a request that its hold needs. */
export type KnownForwarded = { model: string; billableParts: BillableParts };

/** A request, read as far as the gateway uses it; its text goes to the upstream. */
export type ForwardedRequest = JsonText & KnownForwarded;

/** The prices of a model of such an endpoint, as far as counting depends on them. */
export type SoldAt = { prices: PriceSheet; maxOutputTokens: number };

/** Whether a model has a price above 0 for tokens of a class. */
export const hasTokenPrice = ({ prices }: SoldAt, name: "input" | "output"): boolean =>
  tokenPrice(prices, name) > 0n;

/** `choices`: outputs that each may be as long as the limit. */
export type Most = { inputTokens: number; maxOutputTokens: number; choices: number; units: Units };

/** Reads the calls of an endpoint. Throws the 400s of spec section 7 where noted. */
export type ForwardedReader = {
  /** Throws. The text is forwarded unchanged. */
  read: (fields: JsonObject) => BillableParts;
  /** The most that the call can use. Throws if the model has no price for the request. */
  ceiling: (request: KnownForwarded, model: SoldAt) => Most;
  /** null: the answer is sound. */
  readAnswer: ReadAnswer | null;
};

/** The client's answer for an upstream's, with its usage. null: malformed. */
type ReadAnswer = (
  answer: JsonObject,
  request: KnownForwarded,
  model: SoldAt,
) => (CountedUsage & { body: JsonObject }) | null;

/** Reads the calls of an endpoint whose answer is JSON. */
export type JsonReader = ForwardedReader & { readAnswer: ReadAnswer };

/** A call whose request already fixes everything that is charged. */
export const mostAsAsked: ForwardedReader["ceiling"] = ({ billableParts: { tokens, units } }) => ({
  inputTokens: tokens,
  maxOutputTokens: 0,
  choices: 1,
  units,
});

/** `parts`: an earlier result for the same text. Throws the 400s of spec section 7. */
export function parseForwarded(
  source: JsonSource,
  read: ForwardedReader["read"],
  parts?: BillableParts,
): ForwardedRequest {
  const text = readJsonText(source);
  const model = readModel(text.fields);
  return { ...text, model, billableParts: parts ?? read(text.fields) };
}

/** Removes units with a count of 0. */
export const withoutNone = (units: Units): Units =>
  Object.fromEntries(Object.entries(units).filter(([, count]) => count > 0));

/** Usage of text tokens and other units; leaves out units with a count of 0. */
export function usageOf(tokens: { input: number; output: number }, units: Units): Usage {
  const used = withoutNone(units);
  return {
    ...eachCount(() => 0),
    inputTokens: tokens.input,
    outputTokens: tokens.output,
    reasoningTokens: 0,
    ...(Object.keys(used).length > 0 && { units: used }),
  };
}

/** The usage of a call whose request already fixes everything that is charged. */
export const countedAsRequested = ({ billableParts }: KnownForwarded): CountedUsage => ({
  usage: usageOf({ input: 0, output: 0 }, billableParts.units),
  source: "request",
});
