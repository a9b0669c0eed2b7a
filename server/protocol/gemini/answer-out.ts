import { atOnce } from "@/server/base/turns";
import type { JsonObject } from "../fields";
import type { Answer, AnswerBlock, Stop } from "../pivot/answer";
import type { RedactedBlock, ThinkingBlock } from "../pivot/conversation";
import { type TokenLogprob, writeLogprobsResult } from "../pivot/logprobs";
import { readArguments } from "../tools/call-arguments";
import { mintToolId } from "../tools/tool-ids";
import type { AnswerContext, CountedUsage } from "../upstream-plan";
import type { Usage } from "../usage/usage";
import { type Cited, writeGrounding } from "./grounding-out";
import { writeSignature } from "./signatures";

/** Settings for writing an answer. `showsThoughts`: the client asked to read them. */
export type GeminiForm = { showsThoughts: boolean; context: AnswerContext };

/** The counts of an answer. The Gemini API counts thoughts separately from the text. */
export function writeUsage(usage: Usage): Record<string, number> {
  const cached = usage.cacheReadTokens;
  const prompt = usage.inputTokens + cached + usage.cacheWriteTokens + usage.cacheWrite1hTokens;
  return {
    promptTokenCount: prompt,
    candidatesTokenCount: usage.outputTokens - usage.reasoningTokens,
    totalTokenCount: prompt + usage.outputTokens,
    ...(cached > 0 && { cachedContentTokenCount: cached }),
    ...(usage.reasoningTokens > 0 && { thoughtsTokenCount: usage.reasoningTokens }),
  };
}

/** `id`: the upstream's. */
export const responseId = (id: string, { fallbackId }: AnswerContext): string => id || fallbackId;

/** The end of an answer: its reason and its usage. */
type AnswerEnd = { finish: string; usage: Usage };

type AnswerFrame = {
  id: string;
  context: AnswerContext;
  ending?: AnswerEnd;
  logprobs?: TokenLogprob[];
  cited?: Cited[];
};

/** Writes a whole response or a piece of a stream. Yields, so that long work can pause. */
export function* writeFrame(
  parts: JsonObject[],
  { id, context, ending, logprobs = [], cited = [] }: AnswerFrame,
): Generator<void, JsonObject> {
  const grounding = yield* writeGrounding(cited);
  const candidate = {
    content: { parts, role: "model" },
    ...(ending && { finishReason: ending.finish }),
    ...(logprobs.length > 0 && { logprobsResult: yield* writeLogprobsResult(logprobs) }),
    ...(grounding && { groundingMetadata: grounding }),
    index: 0,
  };
  return {
    candidates: [candidate],
    ...(ending && { usageMetadata: writeUsage(ending.usage) }),
    modelVersion: context.model,
    responseId: id,
  };
}

/** An empty text, for clients that expect a text in every piece. */
export const silentPart = { text: "" };

/** A keep-alive. It has content: Google's SDKs forget a conversation in which a piece has none. */
export const writeSilence = (id: string, context: AnswerContext): JsonObject =>
  atOnce(writeFrame([silentPart], { id, context }));

export const thoughtPart = (text: string): JsonObject => ({ text, thought: true });

/**
 * The text of an empty answer. Gemini CLI takes an answer without text or a call for a broken one, and buys it again,
 * three times.
 */
const NOTHING_SAID = "...";

/** Reads a call's arguments; numbers keep all digits. null: they are no object, as in a call that was cut off. */
function* readArgs(text: string): Generator<void, JsonObject | null> {
  const isBlank = text.trim() === "";
  yield;
  return isBlank ? {} : yield* readArguments(text);
}

type Carried = ThinkingBlock | RedactedBlock;

const isWanted = (block: Carried): boolean => block.type === "redacted" || block.seal !== null;

/**
 * The parts of an answer in their order, whole or streamed. Thinking goes back to its vendor in the signature of the
 * call that followed it, which clients keep because Google wants it, or in the signature of a last, empty text.
 */
export class Parts {
  private readonly context: AnswerContext;
  private carried: Carried[] = [];
  private calls = 0;
  private isSaid = false;
  private isMalformed = false;

  constructor(context: AnswerContext) {
    this.context = context;
  }

  /** Records that the answer has text. */
  say(text: string): JsonObject {
    this.isSaid ||= text.trim() !== "";
    return { text };
  }

  think(block: Carried): void {
    if (block.type === "redacted" || block.seal !== null || block.text !== "") {
      this.carried.push(block);
    }
  }

  /** Returns no parts for a call that cannot be made. */
  *call({
    id: sentId,
    name,
    arguments: text,
  }: {
    id: string;
    name: string;
    arguments: string;
  }): Generator<void, JsonObject[]> {
    const args = yield* readArgs(text);
    if (args === null) {
      this.isMalformed = true;
      return [];
    }
    const id = sentId || mintToolId(this.context.fallbackId, this.calls);
    this.calls++;
    const carried = this.carried;
    this.carried = [];
    return [
      {
        functionCall: { id, name, args },
        ...(carried.length > 0 && { thoughtSignature: writeSignature(carried) }),
      },
    ];
  }

  /** Returns the parts still missing at the end. */
  rest(): JsonObject[] {
    const blocks = this.carried.filter(isWanted);
    this.carried = [];
    return [
      ...(this.isSaid || this.calls > 0 ? [] : [this.say(NOTHING_SAID)]),
      ...(blocks.length > 0 ? [{ text: "", thoughtSignature: writeSignature(blocks) }] : []),
    ];
  }

  finish({ reason }: Stop): string {
    if (reason === "length" || reason === "refusal") {
      return reason === "length" ? "MAX_TOKENS" : "SAFETY";
    }
    return this.isMalformed ? "MALFORMED_FUNCTION_CALL" : "STOP";
  }
}

function* writeBlock(block: AnswerBlock, parts: Parts, form: GeminiForm): Generator<void, JsonObject[]> {
  switch (block.type) {
    case "thinking":
    case "redacted":
      parts.think(block);
      return form.showsThoughts && block.type === "thinking" && block.text !== ""
        ? [thoughtPart(block.text)]
        : [];
    case "call":
      return yield* parts.call(block);
    default:
      return block.text === "" ? [] : [parts.say(block.text)];
  }
}

/** A whole answer. */
export function* writeResponse(
  answer: Answer,
  { usage }: CountedUsage,
  form: GeminiForm,
): Generator<void, JsonObject> {
  const { context } = form;
  const parts = new Parts(context);
  const written: JsonObject[] = [];
  for (const block of answer.blocks) {
    written.push(...(yield* writeBlock(block, parts, form)));
    yield;
  }
  return yield* writeFrame([...written, ...parts.rest()], {
    id: responseId(answer.id, context),
    context,
    ending: { finish: parts.finish(answer.stop), usage },
    cited: answer.blocks.flatMap((block) =>
      block.type === "text" ? [{ text: block.text, citations: block.citations ?? [] }] : [],
    ),
    logprobs: answer.blocks.flatMap((block) => (block.type === "text" ? (block.logprobs ?? []) : [])),
  });
}
