import { sliceEnd, slicesOf } from "@/server/base/slices";
import type { Answer, AnswerBlock, AnswerEvent, BlockHead } from "./answer";
import type { TokenLogprob } from "./logprobs";

/** The start of a block in a stream, before any of its text. */
function headOf(block: AnswerBlock): BlockHead {
  switch (block.type) {
    case "call":
      return { type: "call", id: block.id, name: block.name };
    case "redacted":
      return block;
    default:
      return { type: block.type };
  }
}

/** Characters of text printed as one event of a stream. */
const EVENT_CHARACTERS = 64 * 1024;

/** Tokens, each with its alternatives, printed as one event. */
const EVENT_TOKENS = 256;

/** A text as growing pieces with their tokens. An empty text is one event, too. */
function* growing(index: number, text: string, tokens: readonly TokenLogprob[] = []): Generator<AnswerEvent> {
  if (text === "" && tokens.length === 0) {
    yield { type: "grow", index, text };
  }
  let from = 0;
  let end = 0;
  for (let first = 0; first < tokens.length; first += EVENT_TOKENS) {
    const logprobs = tokens.slice(first, first + EVENT_TOKENS);
    end += logprobs.reduce((sum, { token }) => sum + token.length, 0);
    const to = sliceEnd(text, end);
    yield { type: "grow", index, text: text.slice(from, to), logprobs };
    from = to;
  }
  for (const slice of slicesOf(text, EVENT_CHARACTERS, from)) {
    yield { type: "grow", index, text: slice };
  }
}

/** The events of a block's content: a text or arguments, with citations, tokens and seals. */
function* contentOf(block: AnswerBlock, index: number): Generator<AnswerEvent> {
  switch (block.type) {
    case "redacted":
      return;
    case "call":
      yield* growing(index, block.arguments);
      return;
    case "thinking":
      yield* growing(index, block.text);
      if (block.seal) {
        yield { type: "seal", index, seal: block.seal };
      }
      return;
    default:
      yield* growing(index, block.text, block.logprobs);
      for (const citation of block.citations ?? []) {
        yield { type: "cite", index, citation };
      }
  }
}

/** The same events, with long texts as several. */
export function* inShortEvents(events: readonly AnswerEvent[]): Generator<AnswerEvent> {
  for (const event of events) {
    if (event.type === "grow") {
      yield* growing(event.index, event.text, event.logprobs);
    } else {
      yield event;
    }
  }
}

/** Converts a whole answer to the events of a stream. */
export function* toEvents({ id, blocks, stop }: Answer): Generator<AnswerEvent> {
  yield { type: "start", id };
  for (const [index, block] of blocks.entries()) {
    yield { type: "open", index, block: headOf(block) };
    yield* contentOf(block, index);
    yield { type: "close", index };
  }
  yield { type: "stop", ...stop };
}

function begin(head: BlockHead): AnswerBlock {
  switch (head.type) {
    case "call":
      return { ...head, arguments: "" };
    case "redacted":
      return head;
    case "thinking":
      return { type: "thinking", text: "", seal: null };
    default:
      return { type: head.type, text: "" };
  }
}

/** Assembles an answer from the events of a stream. */
export class AnswerSoFar {
  readonly whole: Answer = { id: "", blocks: [], stop: { reason: "end", sequence: null } };

  add(events: Iterable<AnswerEvent>): void {
    for (const event of events) {
      this.#add(event);
    }
  }

  #add(event: AnswerEvent): void {
    const { whole } = this;
    if (event.type === "start") {
      whole.id = event.id;
    } else if (event.type === "stop") {
      whole.stop = { reason: event.reason, sequence: event.sequence };
    } else if (event.type === "open") {
      whole.blocks[event.index] = begin(event.block);
    } else {
      extend(whole.blocks[event.index], event);
    }
  }
}

function extend(
  block: AnswerBlock | undefined,
  event: Extract<AnswerEvent, { type: "grow" | "cite" | "seal" | "close" }>,
): void {
  if (event.type === "grow" && block?.type === "call") {
    block.arguments += event.text;
  } else if (event.type === "grow" && (block?.type === "text" || block?.type === "refusal")) {
    block.text += event.text;
    for (const token of event.logprobs ?? []) {
      block.logprobs ??= [];
      block.logprobs.push(token);
    }
  } else if (event.type === "grow" && block?.type === "thinking") {
    block.text += event.text;
  } else if (event.type === "cite" && block?.type === "text") {
    block.citations ??= [];
    block.citations.push(event.citation);
  } else if (event.type === "seal" && block?.type === "thinking") {
    block.seal = event.seal;
  }
}
