import fc from "fast-check";
import type { Answer, AnswerBlock, AnswerEvent, Stop } from "@/server/protocol/pivot/answer";
import { toEvents } from "@/server/protocol/pivot/other-form";

/** A whole answer, without an identifier. */
export const answerOf = (blocks: AnswerBlock[], reason: Stop["reason"] = "end"): Answer => ({
  ...{ id: "", blocks, stop: { reason, sequence: null } },
});

export const words = fc.string({ minLength: 1, maxLength: 12, unit: "grapheme" });

/** An answer of any blocks. Its calls are those given, because each dialect has other kinds. */
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

/** The events of an answer, with its texts cut in two. */
export const eventsOf = (answer: Answer): AnswerEvent[] =>
  [...toEvents(answer)].flatMap((event): AnswerEvent[] => {
    if (event.type !== "grow") {
      return [event];
    }
    const middle = Math.ceil(event.text.length / 2);
    const parts = [event.text.slice(0, middle), event.text.slice(middle)].filter((part) => part !== "");
    return parts.map((text) => ({ ...event, text }));
  });
