import { atOnce } from "@/server/base/turns";
import { type JsonObject, textOf, wordOf } from "../fields";
import { carriedText, fromEnvelope } from "../pivot/sealed";
import {
  countMessageInSteps,
  countThinking,
  countTokensInSteps,
  estimateInput,
  shownOf,
} from "../usage/estimate";
import { expandCompaction } from "./compaction";

/** The content of an item that a model reads: of carried thinking, its text; other vendors' is not sent. */
function readable(source: JsonObject) {
  const { id: _id, status: _status, encrypted_content: sealed, output, arguments: args, ...item } = source;
  const carried = fromEnvelope(textOf(sealed));
  // Arguments that are no text are no parts of a message either: all of their members count.
  const called = args === undefined ? null : wordOf(args);
  const parts = [item.content, output, called, carried?.type === "thinking" ? carriedText(carried) : null];
  return { ...item, content: parts.flat().filter((part) => part !== undefined && part !== null) };
}

/** Vendors that read their own thinking. */
const readers = new Set<string | undefined>(["openai", "anthropic"]);

/** Tokens of a vendor's thinking, which it reads in addition to the text. Google's thinking is part of its call. */
function* countSealed({ type, encrypted_content: sealed }: JsonObject): Generator<void, number> {
  const carried = type === "reasoning" ? fromEnvelope(textOf(sealed)) : null;
  if (carried === null || (carried.type === "thinking" && !readers.has(carried.seal?.origin))) {
    return 0;
  }
  const shown = yield* countTokensInSteps(shownOf(carried));
  return countThinking(carried, shown) - shown;
}

/**
 * The estimate of items as a prompt, in tokens. Yields, so that long work can pause. Sealed thinking counts only in the
 * current turn: vendors leave out that of earlier turns.
 */
export function* estimateInSteps(items: JsonObject[]): Generator<void, number> {
  const turn = items.slice(items.findLastIndex(({ role }) => role === "user") + 1);
  let sealed = 0;
  for (const item of turn) {
    sealed += yield* countSealed(item);
  }
  let tokens = estimateInput({});
  for (const item of items) {
    tokens += yield* countMessageInSteps(readable(expandCompaction(item)));
    yield;
  }
  return Math.ceil(tokens) + Math.ceil(sealed);
}

/** As `estimateInSteps`, without pauses. */
export const estimateItems = (items: JsonObject[]): number => atOnce(estimateInSteps(items));

/** The estimate for a request's other members. */
export const estimateRest = ({ instructions, tools, text, tool_choice: choice }: JsonObject): number =>
  estimateInput({ system: instructions, tools, response_format: text, output_config: choice });
