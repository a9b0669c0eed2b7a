import fc from "fast-check";
import type { Answer, AnswerBlock, AnswerEvent, BlockHead, Stop } from "@/server/protocol/pivot/answer";

/** A whole answer, without an identifier of its own. */
export const answerOf = (blocks: AnswerBlock[], reason: Stop["reason"] = "end"): Answer => ({
  ...{ id: "", blocks, stop: { reason, sequence: null } },
});

export const words = fc.string({ minLength: 1, maxLength: 12, unit: "grapheme" });

/** Of any blocks; calls are those given, since each dialect has kinds of its own. */
export function anyAnswer({
  call,
  id,
  origins,
  reasons,
}: {
  call: fc.Arbitrary<AnswerBlock>;
  id: string[];
  origins: string[];
  reasons: Stop["reason"][];
}): fc.Arbitrary<Answer> {
  const seal = fc.record({ origin: fc.constantFrom(...origins), data: words });
  const thought = { text: fc.oneof(words, fc.constant("")), seal: fc.option(seal, { nil: null }) };
  const blocks = fc.oneof(
    fc.record({ type: fc.constantFrom("text", "refusal"), text: words }),
    fc.record({ type: fc.constant("thinking"), ...thought }),
    fc.record({ type: fc.constant("redacted"), data: words }),
    call,
  ) as fc.Arbitrary<AnswerBlock>;
  return fc.record({
    id: fc.constantFrom(...id),
    blocks: fc.array(blocks, { maxLength: 6 }),
    stop: fc.record({ reason: fc.constantFrom(...reasons), sequence: fc.constant(null) }),
  });
}

function textOfBlock(block: AnswerBlock): string {
  if (block.type === "redacted") {
    return "";
  }
  return block.type === "call" ? block.arguments : block.text;
}

function headOf(block: AnswerBlock): BlockHead {
  switch (block.type) {
    case "call":
      return { type: "call", id: block.id, name: block.name };
    case "redacted":
      return block;
    case "thinking":
      return { type: "thinking" };
    default:
      return { type: block.type };
  }
}

/** The events by which an answer comes, its texts cut in two. */
export function eventsOf({ id, blocks, stop }: Answer): AnswerEvent[] {
  const said = blocks.flatMap((block, index): AnswerEvent[] => {
    const text = textOfBlock(block);
    const middle = Math.ceil(text.length / 2);
    const grown = [text.slice(0, middle), text.slice(middle)].filter((part) => part !== "");
    const seal = block.type === "thinking" ? block.seal : null;
    return [
      { type: "open", index, block: headOf(block) },
      ...grown.map((part) => ({ type: "grow" as const, index, text: part })),
      ...(seal ? [{ type: "seal" as const, index, seal }] : []),
      { type: "close", index },
    ];
  });
  return [{ type: "start", id }, ...said, { type: "stop", ...stop }];
}
