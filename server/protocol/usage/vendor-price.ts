/**
 * An upstream's note of what the operator paid for a call is not the client's price, and must stay private: it is
 * removed where an upstream's JSON is read, before other code sees it.
 */
import { type LongText, slicesOfAll } from "@/server/base/slices";
import { WRAPPERS } from "../answers/wrappers";
import { isJsonObject, type JsonObject } from "../fields";
import { parseCarrying } from "../json/exact-numbers";

/** OpenRouter's `cost_details`, xAI's `cost_in_usd_ticks`, Vercel's `marketCost`, Dify's `prompt_unit_price`. */
const PRICE = /(?:^|_)(?:costs?|prices?)(?:_|[A-Z]|$)|[a-z](?:Cost|Price)s?(?:[A-Z]|$)|^is_?[bB]yok$/;

/** Whether JSON text may have such a member; most texts have none, and are not searched. */
export const mayTellPrice = (text: string): boolean => /cost|price|byok/i.test(text);

/** Members in which vendors put prices, at any depth. */
const COUNTS = /^(?:usage|usageMetadata|copilot_usage|x_groq|provider_?[mM]etadata)$/;

/**
 * Members on the path from an answer, or an event, to those. The model's own output is on none of these paths:
 * arguments of calls may contain costs and prices. Numbers: positions in a list.
 */
const WAY = /^(?:choices|message|delta|response|\d{1,4})$/;

/** The objects around a whole answer, or event: a list of this name is the model's own output. */
const ENVELOPES = new Set<string>(WRAPPERS);
const PLACE = /^\d{1,4}$/;

/** As deep as any vendor nests it. */
const MAX_DEPTH = 16;
/** The limit of members on the path and in counts: far more than any answer has. */
const MAX_MEMBERS = 100_000;

/** Removes the price from a parsed value. Changes the value. Throws SyntaxError if the search would take too long. */
function withoutPrice(value: unknown): unknown {
  let left = MAX_MEMBERS;
  const leaveOut = (inner: unknown, at: { isCounts: boolean; isOutside: boolean }, depth: number): void => {
    if (depth > MAX_DEPTH || typeof inner !== "object" || inner === null) {
      return;
    }
    const fields = inner as JsonObject;
    left -= Array.isArray(inner) ? inner.length : Object.keys(fields).length;
    if (left < 0) {
      throw new SyntaxError("an answer with counts of too many members");
    }
    for (const [name, member] of Object.entries(fields)) {
      const isCounts = at.isCounts || COUNTS.test(name);
      const isEnvelope = ENVELOPES.has(name) && isJsonObject(member);
      const isOutside = at.isOutside && (isEnvelope || PLACE.test(name));
      if (PRICE.test(name)) {
        delete fields[name];
      } else if (isCounts || isOutside || WAY.test(name)) {
        leaveOut(member, { isCounts, isOutside }, depth + 1);
      }
    }
  };
  leaveOut(value, { isCounts: false, isOutside: true }, 0);
  return value;
}

/** Parses an upstream's answer, or one event of a stream, without its price. Throws SyntaxError. */
export function parseWithoutPrice(text: string): unknown {
  const value = parseCarrying(text);
  return mayTellPrice(text) ? withoutPrice(value) : value;
}

/** Characters searched between two pauses. */
const SLICE_CHARACTERS = 256 * 1024;
/** One character less than the longest search word. */
const OVERLAP = "price".length - 1;

/** As `parseWithoutPrice`, for a long text. Yields, so that long work can pause. `parse`: a parser that yields, too. */
export function* parseLongWithoutPrice(
  text: LongText,
  parse: (text: LongText) => Generator<void, unknown>,
): Generator<void, unknown> {
  const value = yield* parse(text);
  let before = "";
  for (const slice of slicesOfAll(text, SLICE_CHARACTERS)) {
    yield;
    // The two are not joined: that would copy the whole text.
    if (mayTellPrice(slice) || mayTellPrice(before + slice.slice(0, OVERLAP))) {
      return withoutPrice(value);
    }
    before = (before + slice.slice(-OVERLAP)).slice(-OVERLAP);
  }
  return value;
}
