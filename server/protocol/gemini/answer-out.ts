import { parseExact } from "../exact-numbers";
import { isJsonObject } from "../fields";
import type { Answer, AnswerBlock, Stop } from "../pivot/answer";
import type { RedactedBlock, ThinkingBlock } from "../pivot/conversation";
import { type TokenLogprob, writeLogprobsResult } from "../pivot/logprobs";
import { mintToolId } from "../tool-ids";
import type { AnswerContext, Counted } from "../upstream-plan";
import type { Usage } from "../usage";
import { type Cited, writeGrounding } from "./grounding-out";
import { writeSignature } from "./signatures";

/** What an answer is written for. `showsThoughts`: the client asked to read them. */
export type GeminiForm = { showsThoughts: boolean; context: AnswerContext };

/** The counts of an answer. Thoughts stand beside what was said, as the Gemini API has them. */
function writeUsage(usage: Usage): Record<string, number> {
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

/** The last of an answer: why it ended, and what it used. */
type Ending = { finish: string; usage: Usage };

type Frame = {
  id: string;
  context: AnswerContext;
  ending?: Ending;
  logprobs?: TokenLogprob[];
  cited?: Cited[];
};

/** A response, whole or a piece of a stream, as JSON text. `parts`: JSON texts. */
export function writeFrame(
  parts: string[],
  { id, context, ending, logprobs = [], cited = [] }: Frame,
): string {
  const end = ending ? `,"finishReason":${JSON.stringify(ending.finish)}` : "";
  const told =
    logprobs.length > 0 ? `,"logprobsResult":${JSON.stringify(writeLogprobsResult(logprobs))}` : "";
  const grounding = writeGrounding(cited);
  const pages = grounding ? `,"groundingMetadata":${JSON.stringify(grounding)}` : "";
  const usage = ending ? `"usageMetadata":${JSON.stringify(writeUsage(ending.usage))},` : "";
  const head = `"modelVersion":${JSON.stringify(context.model)},"responseId":${JSON.stringify(id)}`;
  const content = `{"parts":[${parts.join(",")}],"role":"model"}`;
  return `{"candidates":[{"content":${content}${end}${told}${pages},"index":0}],${usage}${head}}`;
}

const textPart = (text: string): string => JSON.stringify({ text });
/** Says nothing, and is a text to clients that ask every piece for one. */
export const silentPart = textPart("");

/** A sign of life. With a content: Google's SDKs forget a conversation in which a piece has none. */
export const writeSilence = (id: string, context: AnswerContext): string =>
  writeFrame([silentPart], { id, context });

export const thoughtPart = (text: string): string => JSON.stringify({ text, thought: true });
const signedPart = (thoughtSignature: string): string => JSON.stringify({ text: "", thoughtSignature });

/**
 * What a client reads that says nothing. Gemini CLI takes an answer without a word or a call for a broken one, and buys
 * it again, three times.
 */
const NOTHING_SAID = "...";

/**
 * A call's arguments, numbers spelt as they were, on one line: events are lines. null: they are no object, as of a
 * call that was cut off.
 */
function argsText(text: string): string | null {
  if (text.trim() === "") {
    return "{}";
  }
  try {
    const args: unknown = parseExact(text);
    if (!isJsonObject(args)) {
      return null;
    }
    return /[\r\n]/.test(text) ? JSON.stringify(args) : text;
  } catch {
    return null;
  }
}

type Carried = ThinkingBlock | RedactedBlock;

const isWanted = (block: Carried): boolean => block.type === "redacted" || block.seal !== null;

/**
 * The parts of an answer in their order, whole or streamed. What a model thought goes back to its vendor in the
 * signature of the call that it led to, which clients keep for Google's own sake, or of a last text without a word.
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

  /** Note that text was said. */
  say(text: string): string {
    this.isSaid ||= text.trim() !== "";
    return textPart(text);
  }

  think(block: Carried): void {
    if (block.type === "redacted" || block.seal !== null || block.text !== "") {
      this.carried.push(block);
    }
  }

  /** None for a call that nobody can make. */
  call({ id: sentId, name, arguments: text }: { id: string; name: string; arguments: string }): string[] {
    const args = argsText(text);
    if (args === null) {
      this.isMalformed = true;
      return [];
    }
    const id = sentId || mintToolId(this.context.fallbackId, this.calls);
    this.calls++;
    const signature =
      this.carried.length === 0 ? "" : `,"thoughtSignature":${JSON.stringify(writeSignature(this.carried))}`;
    this.carried = [];
    const head = `"id":${JSON.stringify(id)},"name":${JSON.stringify(name)}`;
    return [`{"functionCall":{${head},"args":${args}}${signature}}`];
  }

  /** What is left to say. */
  rest(): string[] {
    const wanted = this.carried.filter(isWanted);
    this.carried = [];
    return [
      ...(this.isSaid || this.calls > 0 ? [] : [this.say(NOTHING_SAID)]),
      ...(wanted.length > 0 ? [signedPart(writeSignature(wanted))] : []),
    ];
  }

  finish({ reason }: Stop): string {
    if (reason === "length" || reason === "refusal") {
      return reason === "length" ? "MAX_TOKENS" : "SAFETY";
    }
    return this.isMalformed ? "MALFORMED_FUNCTION_CALL" : "STOP";
  }
}

function writeBlock(block: AnswerBlock, parts: Parts, form: GeminiForm): string[] {
  switch (block.type) {
    case "thinking":
    case "redacted":
      parts.think(block);
      return form.showsThoughts && block.type === "thinking" && block.text !== ""
        ? [thoughtPart(block.text)]
        : [];
    case "call":
      return parts.call(block);
    default:
      return block.text === "" ? [] : [parts.say(block.text)];
  }
}

/** An answer as JSON text. */
export function writeResponse(answer: Answer, { usage }: Counted, form: GeminiForm): string {
  const { context } = form;
  const parts = new Parts(context);
  const written = answer.blocks.flatMap((block) => writeBlock(block, parts, form));
  return writeFrame([...written, ...parts.rest()], {
    id: responseId(answer.id, context),
    context,
    ending: { finish: parts.finish(answer.stop), usage },
    cited: answer.blocks.flatMap((block) =>
      block.type === "text" ? [{ text: block.text, citations: block.citations ?? [] }] : [],
    ),
    logprobs: answer.blocks.flatMap((block) => (block.type === "text" ? (block.logprobs ?? []) : [])),
  });
}
