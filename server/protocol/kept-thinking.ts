/**
 * Thinking that its vendor wants back (Claude's is signed, OpenAI's encrypted) past clients that hand back nothing but
 * the identifiers of their calls. The gateway keeps it under the identifier of the call that it came before, and puts it
 * back in front of that call.
 */
import { isThinking } from "./block-kinds";
import { countTokens } from "./estimate";
import { isJsonObject, type JsonObject, objects } from "./fields";
import type { AnswerBlock } from "./pivot/answer";
import type { RedactedBlock, ThinkingBlock } from "./pivot/conversation";
import { fromEnvelope, toEnvelope } from "./pivot/sealed";
import { keptToolId, mayBeKept, readSignedToolId } from "./tool-ids";

type Sealed = ThinkingBlock | RedactedBlock;

/** In envelopes, as clients of other dialects carry it. `callId`: as its client has it, but for the mark. */
export type KeptThinking = { callId: string; envelopes: string[] };

/** By the call that it came before. */
export type ThinkingOfCalls = ReadonlyMap<string, readonly Sealed[]>;

export const NO_THINKING: ThinkingOfCalls = new Map();

/** Whose is kept. Google's fits into the identifier of its call; nobody else wants thinking back before a call. */
const isWanted = (block: AnswerBlock): block is Sealed =>
  block.type === "redacted" ||
  (block.type === "thinking" && (block.seal?.origin === "anthropic" || block.seal?.origin === "openai"));

/** The thinking of one answer until the next of its calls. */
export class ThinkingBefore {
  private blocks: Sealed[] = [];
  private readonly keep: ((kept: KeptThinking) => void) | undefined;

  /** `keep`: hears of what is to be kept. Left out: nothing is. */
  constructor(keep: ((kept: KeptThinking) => void) | undefined) {
    this.keep = keep;
  }

  /** Of whatever comes, thinking is taken. */
  add(block: AnswerBlock): void {
    if (this.keep && isWanted(block)) {
      this.blocks.push(block);
    }
  }

  /** The identifier for a call's client: marked where something is kept under it. */
  idOf(callId: string): string {
    if (!this.keep || this.blocks.length === 0 || !mayBeKept(callId)) {
      return callId;
    }
    this.keep({ callId, envelopes: this.blocks.map(toEnvelope) });
    this.blocks = [];
    return keptToolId(callId);
  }
}

/** The latest calls of a history, for whose thinking is asked at most: a tool loop is shorter. */
const MAX_CALLS = 256;

const hasThinking = ({ content, thinking_blocks: blocks }: JsonObject): boolean =>
  objects(blocks).length > 0 ||
  (Array.isArray(content) && content.some((part) => isJsonObject(part) && isThinking(part)));

/** Calls of a chat history whose thinking is kept, and does not come with them. The client's identifiers, but for the mark. */
export function keptCalls(messages: unknown): string[] {
  const ids = objects(messages)
    .filter((message) => message.role === "assistant" && !hasThinking(message))
    .flatMap(({ tool_calls: calls }) => objects(calls))
    .flatMap(({ id }) => {
      const read = readSignedToolId(typeof id === "string" ? id : "");
      return read.isKept ? [read.id] : [];
    });
  return [...new Set(ids)].slice(-MAX_CALLS);
}

/** What was kept, as blocks. What cannot be read is thinking that is lost. */
export const readKept = (kept: readonly KeptThinking[]): ThinkingOfCalls =>
  new Map(
    kept.map(({ callId, envelopes }) => [
      callId,
      envelopes.map(fromEnvelope).filter((block) => block !== null),
    ]),
  );

/** Our estimate of what it adds to a prompt, in tokens: of what is encrypted only its vendor knows. */
export const estimateThinking = (thinking: ThinkingOfCalls): number =>
  Math.ceil(
    [...thinking.values()]
      .flat()
      .reduce((sum, block) => sum + 3 + (block.type === "thinking" ? countTokens(block.text) : 0), 0),
  );
