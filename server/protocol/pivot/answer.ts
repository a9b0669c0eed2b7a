/** An answer in no vendor's dialect, whole and as a stream: what is read of an upstream of another one. */

import type { Citation } from "./citations";
import type { RedactedBlock, Seal, ThinkingBlock } from "./conversation";
import type { TokenLogprob } from "./logprobs";

/** `arguments`: one JSON object's text, or "" for none. `citations`: of a text, their places in it. `logprobs`: of its tokens. */
export type AnswerBlock =
  | { type: "text" | "refusal"; text: string; citations?: Citation[]; logprobs?: TokenLogprob[] }
  | ThinkingBlock
  | RedactedBlock
  | { type: "call"; id: string; name: string; arguments: string };

/** An answer that ends with calls ends for them, unless it was cut (`length`) or refused. */
export type Stop = { reason: "end" | "length" | "stop_sequence" | "refusal"; sequence: string | null };

/** `id`: the upstream's, "" for none. */
export type Answer = { id: string; blocks: AnswerBlock[]; stop: Stop };

/** A block as it begins: what grows of it comes later. */
export type BlockHead =
  | { type: "text" | "refusal" }
  | { type: "thinking" }
  | RedactedBlock
  | { type: "call"; id: string; name: string };

/**
 * An event of a stream. Blocks are numbered from 0 in the order in which they open; no block grows before it is open
 * or after it is closed, and all are closed at the end.
 */
export type AnswerEvent =
  | { type: "start"; id: string }
  | { type: "open"; index: number; block: BlockHead }
  /** `logprobs`: of a text's tokens, where the client asked for them. Some tokens are no text by themselves. */
  | { type: "grow"; index: number; text: string; logprobs?: TokenLogprob[] }
  /** Of a text that is open: its place in that block. */
  | { type: "cite"; index: number; citation: Citation }
  /** Of thinking, at its end. */
  | { type: "seal"; index: number; seal: Seal }
  | { type: "close"; index: number }
  | ({ type: "stop" } & Stop);

/** What an upstream's events come to. */
export type AnswerEvents<Event> = {
  read: (event: Event) => AnswerEvent[];
  /** What is left to say when the stream has ended well. null: what came makes no answer. */
  end: () => AnswerEvent[] | null;
};
