/** What endpoints of one call and one answer have in common: they are forwarded in the client's words (spec 4.10). */
import { details } from "@/server/base/details";
import { GatewayError } from "@/server/base/errors";
import type { UnitPrice, Units } from "@/server/base/units";
import type { JsonObject } from "../fields";
import { requireModel } from "../json-object";
import { type JsonText, readJsonText } from "../json-text";
import type { Counted } from "../upstream-plan";
import type { Usage } from "../usage";

/** A request, read as far as we act on it; its text is what goes to the upstream. */
export type ForwardedRequest = JsonText & { model: string };

/** What a model of such an endpoint is sold at, as far as counting goes by it. */
export type SoldAt = {
  prices: { input: bigint; output: bigint };
  unitPrices: readonly UnitPrice[];
  maxOutputTokens: number;
};

/** `inputTokens`: our estimate, 0 where no text is paid for by the token. */
type Most = { inputTokens: number; maxOutputTokens: number; units: Units };

/** One endpoint. Throws the 400s of spec section 7 where it is said. */
export type ForwardedEndpoint = {
  /** Throws. What is forwarded is the text as it came. */
  check: (fields: JsonObject) => void;
  /** The most that the call can come to. Throws where the model has no price for what is asked for. */
  most: (request: ForwardedRequest, model: SoldAt) => Most;
  /** The client's body for an upstream's JSON, and what it came to. null: malformed. */
  readAnswer: (
    answer: JsonObject,
    request: ForwardedRequest,
    model: SoldAt,
  ) => (Counted & { body: string }) | null;
};

export const refuse = (detail: ReturnType<(typeof details)["invalid"]>) =>
  new GatewayError("invalidParameters", detail);

/** Throws the 400s of spec section 7. */
export function parseForwarded(raw: string, check: ForwardedEndpoint["check"]): ForwardedRequest {
  const text = readJsonText(raw);
  requireModel(text.fields);
  const { model } = text.fields;
  if (typeof model !== "string" || model.length > 256) {
    throw refuse(details.mustBeText("model"));
  }
  check(text.fields);
  return { ...text, model };
}

/** Tokens of text, and what else is paid for; units of none are left out. */
export function usageOf(tokens: { input: number; output: number }, units: Units): Usage {
  const used = Object.entries(units).filter(([, count]) => count > 0);
  return {
    inputTokens: tokens.input,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    cacheWrite1hTokens: 0,
    outputTokens: tokens.output,
    reasoningTokens: 0,
    ...(used.length > 0 && { units: Object.fromEntries(used) }),
  };
}
