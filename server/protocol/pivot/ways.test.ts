/** All pairs of a client's dialect and an upstream's: a whole answer equals a streamed one, however it is cut. */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { ClientReading, ModelAnswer } from "@/tests/support/dialect-pairs/model-answer";
import {
  type DialectPair,
  dialectPairs,
  eventsOf,
  hearStream,
  hearStreamOfWhole,
  hearWhole,
  hearWholeOfStream,
  relay,
} from "@/tests/support/dialect-pairs/pairs";
import { readEventData } from "../answers/sse";
import type { JsonObject } from "../fields";

const words = (least: number) =>
  fc.array(fc.stringMatching(/^[a-z "\\é🛶\n]{1,6}$/u), { minLength: least, maxLength: 4 });

const call = fc
  .record({ name: fc.constantFrom("f", "g"), a: fc.string(), cut: fc.nat(20) })
  .map(({ name, a, cut }): ModelAnswer["calls"][number] => {
    const text = JSON.stringify({ a });
    return { name, pieces: [text.slice(0, cut), text.slice(cut)].filter((piece) => piece !== "") };
  });

const modelAnswer: fc.Arbitrary<ModelAnswer> = fc.record({
  thinking: words(0),
  text: words(1),
  calls: fc.array(call, { maxLength: 3 }),
  isCut: fc.boolean(),
  usage: fc
    .tuple(fc.nat(50), fc.nat(50), fc.integer({ min: 1, max: 50 }), fc.nat(50))
    .map(([fresh, cached, spoken, reasoning]) => ({
      ...{ input: fresh + cached + 1, cached, output: spoken + reasoning, reasoning },
    })),
});

/**
 * The expected answer for a client of any dialect. `isTranslated`: also translates where the client's own dialect could
 * be passed on.
 */
function expected(
  { client, upstream, isTranslated = upstream !== client }: DialectPair & { isTranslated?: boolean },
  answer: ModelAnswer,
): Omit<ClientReading, "logprobs"> {
  const text = answer.text.join("");
  const isNothing = text.trim() === "" && answer.calls.length === 0;
  const whole = answer.calls.length > 0 ? "calls" : "end";
  return {
    thinking: answer.thinking.join(""),
    // Gemini's clients take an empty answer for a broken one (spec 4.12).
    text: isNothing && client === "gemini" && isTranslated ? `${text}...` : text,
    calls: answer.calls.map(({ name, pieces }) => ({ name, input: JSON.parse(pieces.join("")) })),
    finish: answer.isCut ? "length" : whole,
    usage: { input: answer.usage.input, output: answer.usage.output },
  };
}

/** The Responses API has two words where other dialects have one. */
const commonReading = ({ logprobs: _none, ...reading }: ClientReading) => ({
  ...reading,
  finish: reading.finish === "max_output_tokens" ? "length" : reading.finish,
});

test.each(dialectPairs)(
  "the whole answer and the stream have the same content: $client to $upstream",
  (way) => {
    fc.assert(
      fc.property(modelAnswer, (answer) => {
        expect(commonReading(hearWhole(way, answer))).toEqual(expected(way, answer));
        expect(commonReading(hearStream(way, answer))).toEqual(expected(way, answer));
        const translated = expected({ ...way, isTranslated: true }, answer);
        expect(commonReading(hearWholeOfStream(way, answer))).toEqual(translated);
        expect(commonReading(hearStreamOfWhole(way, answer))).toEqual(translated);
      }),
      { numRuns: 40 },
    );
  },
);

const framed = ({ upstream }: DialectPair, event: string): string => {
  const { type } = JSON.parse(event) as JsonObject;
  const name = upstream === "messages" || upstream === "responses" ? `event: ${type}\n` : "";
  return `${name}data: ${event}\n\n`;
};

/** The data of events whose bytes come in these pieces. */
async function readIn(bytes: Buffer, places: number[]): Promise<string[]> {
  const cuts = [0, ...places.map((place) => place % bytes.length).sort((a, b) => a - b), bytes.length];
  async function* pieces() {
    for (const [index, end] of cuts.slice(1).entries()) {
      yield bytes.subarray(cuts[index], end);
    }
  }
  const events: string[] = [];
  for await (const group of readEventData(pieces())) {
    events.push(...group.events);
  }
  return events;
}

/** Removes identifiers that the gateway creates for each call. */
const unnamed = (text: string) => text.replace(/(?:resp|msg|rs|fc|call)_[\w-]+/g, "id");

test.each(dialectPairs)(
  "the stream is the same, however its bytes are cut: $client to $upstream",
  async (way) => {
    await fc.assert(
      fc.asyncProperty(modelAnswer, fc.array(fc.nat(), { maxLength: 30 }), async (answer, places) => {
        const events = eventsOf(way, answer);
        const bytes = Buffer.from(events.map((event) => framed(way, event)).join(""));
        const reading = await readIn(bytes, places);
        expect(unnamed(relay(way, reading))).toBe(unnamed(relay(way, events)));
      }),
      { numRuns: 20 },
    );
  },
);
