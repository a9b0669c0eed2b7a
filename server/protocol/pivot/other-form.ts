import { slicesOf } from "@/server/base/slices";
import type { Answer, AnswerBlock, AnswerEvent, BlockHead } from "./answer";

/** How a block begins in a stream, before any of its text. */
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

/** A text that is printed as one event of a stream. */
const EVENT_CHARACTERS = 64 * 1024;

/** A text as it grows; none at all is one event, too. */
const growing = (index: number, text: string): Extract<AnswerEvent, { type: "grow" }>[] =>
  text === ""
    ? [{ type: "grow", index, text }]
    : Array.from(slicesOf(text, EVENT_CHARACTERS), (slice) => ({ type: "grow", index, text: slice }));

/** A block's text, or a call's arguments, with what the dialects know of it. */
function contentOf(block: AnswerBlock, index: number): AnswerEvent[] {
  switch (block.type) {
    case "redacted":
      return [];
    case "call":
      return growing(index, block.arguments);
    case "thinking":
      return [
        ...growing(index, block.text),
        ...(block.seal ? [{ type: "seal" as const, index, seal: block.seal }] : []),
      ];
    default:
      return [
        ...(block.logprobs
          ? [{ type: "grow" as const, index, text: block.text, logprobs: block.logprobs }]
          : growing(index, block.text)),
        ...(block.citations ?? []).map((citation) => ({ type: "cite" as const, index, citation })),
      ];
  }
}

/** A whole answer as the events of a stream. */
export const toEvents = ({ id, blocks, stop }: Answer): AnswerEvent[] => [
  { type: "start", id },
  ...blocks.flatMap((block, index): AnswerEvent[] => [
    { type: "open", index, block: headOf(block) },
    ...contentOf(block, index),
    { type: "close", index },
  ]),
  { type: "stop", ...stop },
];

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

/** The events of a stream, up to its end, as a whole answer. */
export function toAnswer(events: Iterable<AnswerEvent>): Answer {
  const answer: Answer = { id: "", blocks: [], stop: { reason: "end", sequence: null } };
  for (const event of events) {
    if (event.type === "start") {
      answer.id = event.id;
    } else if (event.type === "stop") {
      answer.stop = { reason: event.reason, sequence: event.sequence };
    } else if (event.type === "open") {
      answer.blocks[event.index] = begin(event.block);
    } else {
      extend(answer.blocks[event.index], event);
    }
  }
  return answer;
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
