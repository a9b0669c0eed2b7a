/**
 * Some vendors want thinking back (Claude signs it, OpenAI encrypts it), and some clients send back only the identifiers of
 * their calls. For those the gateway keeps the thinking under the identifier of the call that followed it, and puts it back
 * in front of that call.
 */
import { isThinking } from "./block-kinds";
import { isJsonObject, type JsonObject, objects } from "./fields";
import type { AnswerBlock } from "./pivot/answer";
import type { RedactedBlock, ThinkingBlock } from "./pivot/conversation";
import { fromEnvelope, toEnvelope } from "./pivot/sealed";
import { keptToolId, mayBeKept, readSignedToolId } from "./tools/tool-ids";
import { countThinking } from "./usage/estimate";

type Sealed = ThinkingBlock | RedactedBlock;

/** Kept thinking, in the envelopes that clients of other dialects carry. `callId`: the client's identifier, without the mark. */
export type KeptThinking = { callId: string; envelopes: string[] };

/** Kept thinking, by the call that followed it. */
export type ThinkingOfCalls = ReadonlyMap<string, readonly Sealed[]>;

export const NO_THINKING: ThinkingOfCalls = new Map();

/**
 * The vendors whose thinking is kept. Google's fits into the call's identifier, and no other vendor wants thinking back
 * before a call.
 */
const isWanted = (block: AnswerBlock): block is Sealed =>
  block.type === "redacted" ||
  (block.type === "thinking" && (block.seal?.origin === "anthropic" || block.seal?.origin === "openai"));

/** Collects the thinking of one answer up to its next call. */
export class ThinkingBefore {
  private blocks: Sealed[] = [];
  private readonly keep: ((kept: KeptThinking) => void) | undefined;

  /** `keep` gets the thinking to keep. Without it, nothing is kept. */
  constructor(keep: ((kept: KeptThinking) => void) | undefined) {
    this.keep = keep;
  }

  /** Adds a block if it is thinking to keep. */
  add(block: AnswerBlock): void {
    if (this.keep && isWanted(block)) {
      this.blocks.push(block);
    }
  }

  /** Returns the call's identifier for the client, with the mark if the gateway keeps thinking under it. */
  idOf(callId: string): string {
    if (!this.keep || this.blocks.length === 0 || !mayBeKept(callId)) {
      return callId;
    }
    this.keep({ callId, envelopes: this.blocks.map(toEnvelope) });
    this.blocks = [];
    return keptToolId(callId);
  }
}

/** The most calls, from the end of a history, whose thinking is looked up: a tool loop is shorter. */
const MAX_CALLS = 256;

const hasThinking = ({ content, thinking_blocks: blocks }: JsonObject): boolean =>
  objects(blocks).length > 0 ||
  (Array.isArray(content) && content.some((part) => isJsonObject(part) && isThinking(part)));

/**
 * Calls of a chat history whose thinking the gateway keeps and the client did not send. Identifiers without the mark.
 */
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

/** Kept thinking as blocks. An unreadable entry counts as lost thinking, not as an error. */
export const readKept = (kept: readonly KeptThinking[]): ThinkingOfCalls =>
  new Map(
    kept.map(({ callId, envelopes }) => [
      callId,
      envelopes.map(fromEnvelope).filter((block) => block !== null),
    ]),
  );

/**
 * The estimated tokens that it adds to a prompt; for sealed thinking an upper bound, because only its vendor knows the
 * number.
 */
export const estimateThinking = (thinking: ThinkingOfCalls): number =>
  Math.ceil([...thinking.values()].flat().reduce((sum, block) => sum + 3 + countThinking(block), 0));
