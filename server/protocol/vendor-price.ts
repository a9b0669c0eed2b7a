/**
 * What an upstream says of what the operator paid for a call is not the client's price, and nobody's business: it is
 * left out where an upstream's JSON is read, before anybody sees it.
 */
import { parseCarrying } from "./exact-numbers";
import type { JsonObject } from "./fields";

/** OpenRouter's `cost_details`, xAI's `cost_in_usd_ticks`, Vercel's `marketCost`, Dify's `prompt_unit_price`. */
const PRICE = /(?:^|_)(?:costs?|prices?)(?:_|[A-Z]|$)|[a-z](?:Cost|Price)s?(?:[A-Z]|$)|^is_?[bB]yok$/;

/** Whether JSON text may have such a member; most have none, and are not looked through. */
export const mayTellPrice = (text: string): boolean => /cost|price|byok/i.test(text);

/** Where vendors say it at any depth. */
const COUNTS = /^(?:usage|usageMetadata|copilot_usage|x_groq|provider_?[mM]etadata)$/;

/**
 * On the way from an answer, or an event, to those. What a model said is on none of these ways: calls' arguments may
 * have costs and prices of their own. Numbers: places in a list.
 */
const WAY = /^(?:choices|message|delta|response|\d{1,4})$/;

/** As deep as anybody nests it. */
const MAX_DEPTH = 16;
/** Members on the way and in counts: far more than those of any answer. */
const MAX_MEMBERS = 100_000;

/** Takes the price out of a parsed value. Changes the value. Throws SyntaxError where it would have to look for too long. */
function withoutPrice(value: unknown): unknown {
  let left = MAX_MEMBERS;
  const leaveOut = (inner: unknown, isCounts: boolean, depth: number): void => {
    if (depth > MAX_DEPTH || typeof inner !== "object" || inner === null) {
      return;
    }
    const fields = inner as JsonObject;
    left -= Array.isArray(inner) ? inner.length : Object.keys(fields).length;
    if (left < 0) {
      throw new SyntaxError("an answer with counts of too many members");
    }
    for (const [name, member] of Object.entries(fields)) {
      if (PRICE.test(name)) {
        delete fields[name];
      } else if (isCounts || COUNTS.test(name) || WAY.test(name)) {
        leaveOut(member, isCounts || COUNTS.test(name), depth + 1);
      }
    }
  };
  leaveOut(value, false, 0);
  return value;
}

/** The JSON of an upstream's answer, or of one event of a stream, without its price. Throws SyntaxError. */
export function parseWithoutPrice(text: string): unknown {
  const value = parseCarrying(text);
  return mayTellPrice(text) ? withoutPrice(value) : value;
}

/** Of a text that is looked through at once. */
const SLICE_CHARACTERS = 256 * 1024;
/** One character less than the longest of the words that are looked for. */
const OVERLAP = "price".length - 1;

/** As `parseWithoutPrice`, of a long text, in steps between which it may rest. `parse`: in such steps. */
export function* parseLongWithoutPrice(
  text: string,
  parse: (text: string) => Generator<void, unknown>,
): Generator<void, unknown> {
  const value = yield* parse(text);
  for (let from = 0; from < text.length; from += SLICE_CHARACTERS) {
    yield;
    if (mayTellPrice(text.slice(from, from + SLICE_CHARACTERS + OVERLAP))) {
      return withoutPrice(value);
    }
  }
  return value;
}
