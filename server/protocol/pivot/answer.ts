/**
 * An answer independent of the dialect, whole and as a stream. It lies between an upstream of one dialect and a client
 * of another.
 */

import type { Citation } from "./citations";
import type { RedactedBlock, Seal, ThinkingBlock } from "./conversation";
import type { TokenLogprob } from "./logprobs";

/**
 * `arguments`: the text of one JSON object; "": none. `citations`: with positions in the text. `logprobs`: of its
 * tokens.
 */
export type AnswerBlock =
  | { type: "text" | "refusal"; text: string; citations?: Citation[]; logprobs?: TokenLogprob[] }
  | ThinkingBlock
  | RedactedBlock
  | { type: "call"; id: string; name: string; arguments: string };

/** An answer that ends with calls ends for them, unless it was cut (`length`) or refused. */
export type Stop = { reason: "end" | "length" | "stop_sequence" | "refusal"; sequence: string | null };

/** `id`: the upstream's; "": none. */
export type Answer = { id: string; blocks: AnswerBlock[]; stop: Stop };

/** The start of a block, without its growing parts. */
export type BlockHead =
  | { type: "text" | "refusal" }
  | { type: "thinking" }
  | RedactedBlock
  | { type: "call"; id: string; name: string };

/**
 * An event of a stream. Blocks are numbered from 0 in the order in which they open; a block grows only while it is
 * open, and all blocks are closed at the end.
 */
export type AnswerEvent =
  | { type: "start"; id: string }
  | { type: "open"; index: number; block: BlockHead }
  /** `logprobs`: of a text's tokens, if the client asked for them. Some tokens alone give no text. */
  | { type: "grow"; index: number; text: string; logprobs?: TokenLogprob[] }
  /** For an open text, with positions in that block. */
  | { type: "cite"; index: number; citation: Citation }
  /** For thinking, at its end, or after it: a client whose dialect has sent the thinking by then does not get it. */
  | { type: "seal"; index: number; seal: Seal }
  | { type: "close"; index: number }
  | ({ type: "stop" } & Stop);

/** Converts an upstream's events. */
export type AnswerEvents<Event> = {
  read: (event: Event) => AnswerEvent[];
  /** The remaining events when the stream has ended well. null: the events make no answer. */
  end: () => AnswerEvent[] | null;
};
