import { atOnce } from "@/server/base/turns";
import type { JsonObject } from "../fields";
import type { BlockHead } from "../pivot/answer";
import type { Citation } from "../pivot/citations";
import type { Seal } from "../pivot/conversation";
import { FreeText } from "../pivot/free-text";
import type { TokenLogprob } from "../pivot/logprobs";
import { textPart } from "./answer-out";

/**
 * The most tokens, with their alternatives, that an item's last events repeat; the events of its pieces have all of
 * them.
 */
const MOST_LIKELIHOODS = 100_000;

/** An open part of a message. */
export type OpenPart = {
  readonly type: "text" | "refusal";
  readonly texts: string[];
  readonly citations: Citation[];
  readonly logprobs: TokenLogprob[];
  keep: (logprobs: TokenLogprob[]) => void;
};

/**
 * An open item. Its texts are kept: its last event and the response's repeat them whole. `input`: a custom tool's input
 * inside its arguments.
 */
export type OpenItem =
  | { kind: "message"; parts: JsonObject[]; part: OpenPart | null }
  | { kind: "thinking"; texts: string[]; seal: Seal | null }
  | { kind: "redacted"; data: string }
  | { kind: "call"; id: string; name: string; texts: string[]; input: FreeText | null };

export function newItem(block: BlockHead, isFreeText: (name: string) => boolean): OpenItem {
  switch (block.type) {
    case "thinking":
      return { kind: "thinking", texts: [], seal: null };
    case "redacted":
      return { kind: "redacted", data: block.data };
    case "call":
      return {
        ...{ kind: "call", id: block.id, name: block.name, texts: [] },
        input: isFreeText(block.name) ? new FreeText() : null,
      };
    default:
      return { kind: "message", parts: [], part: null };
  }
}

export function newPart(type: "text" | "refusal"): OpenPart {
  const logprobs: TokenLogprob[] = [];
  let kept = 0;
  const keep = (more: TokenLogprob[]) => {
    for (const token of more) {
      kept += 1 + token.top.length;
      if (kept <= MOST_LIKELIHOODS) {
        logprobs.push(token);
      }
    }
  };
  return { type, texts: [], citations: [], logprobs, keep };
}

/** The part in its current state. */
export const partOf = ({ type, texts, citations, logprobs }: OpenPart): JsonObject =>
  atOnce(textPart({ type, text: texts.join(""), citations, logprobs }));
