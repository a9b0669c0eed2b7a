import fc from "fast-check";
import { expect, test } from "vitest";
import { readGeminiAnswer } from "./answer";
import { GeminiReader } from "./reader";

const context = { model: "m", inputTokens: 7, fallbackId: "f", now: new Date(0) };

const answerOf = (usageMetadata: unknown, more: object = {}) => ({
  candidates: [{ content: { parts: [{ text: "one two three" }] }, finishReason: "STOP", ...more }],
  usageMetadata,
});

const counted = (usageMetadata: unknown, more?: object) => {
  const { usage, source } = readGeminiAnswer(answerOf(usageMetadata, more), context) ?? {};
  return [usage?.inputTokens, usage?.cacheReadTokens, usage?.outputTokens, source];
};

test.each([
  // Thoughts beside what was said, within it, known from the total alone, and without a total.
  [{ promptTokenCount: 10, candidatesTokenCount: 5, thoughtsTokenCount: 2, totalTokenCount: 17 }, [10, 0, 7]],
  [
    { promptTokenCount: 801, candidatesTokenCount: 1519, thoughtsTokenCount: 794, totalTokenCount: 2320 },
    [801, 0, 1519],
  ],
  [{ promptTokenCount: 10, totalTokenCount: 17 }, [10, 0, 7]],
  [{ promptTokenCount: 10, candidatesTokenCount: 5, thoughtsTokenCount: 2 }, [10, 0, 7]],
  // What tools brought in is read, what is cached is a part of the prompt.
  [
    {
      promptTokenCount: 10,
      cachedContentTokenCount: 4,
      toolUsePromptTokenCount: 3,
      candidatesTokenCount: 5,
      totalTokenCount: 18,
    },
    [9, 4, 5],
  ],
  // A total without a prompt is no output, which it was charged as.
  [{ candidatesTokenCount: 5, totalTokenCount: 105 }, [100, 0, 5]],
  [{ candidatesTokenCount: 5, thoughtsTokenCount: 10, totalTokenCount: 115 }, [100, 0, 15]],
])("%j is paid as %j", (usage, expected) => {
  expect(counted(usage)).toEqual([...expected, "upstream"]);
});

test.each([
  [{ totalTokenCount: 500 }],
  [{ promptTokenCount: -1, totalTokenCount: "many" }],
  [[]],
  [undefined],
])("%j counts nothing: what came through is estimated", (usage) => {
  expect(counted(usage)).toEqual([7, 0, expect.any(Number), "estimated"]);
  expect(counted(usage)[2]).toBeLessThan(10);
});

test("searches are counted whether or not anything else is, whole and streamed", () => {
  const grounded = { groundingMetadata: { webSearchQueries: ["a", "b"] } };
  for (const usage of [undefined, { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 }]) {
    const answer = answerOf(usage, grounded);
    expect(readGeminiAnswer(answer, context)?.usage.units).toEqual({ web_search: 2 });
    const reader = new GeminiReader(context);
    reader.read(JSON.stringify(answer));
    expect(reader.settled(true).usage.units).toEqual({ web_search: 2 });
  }
});

test("whatever an upstream says in a count, what is charged is whole, and none of it negative", () => {
  const said = fc.oneof(
    fc.constantFrom(null, "12", "-1", "1e9", 1e300, -5, 0.5, Number.MAX_SAFE_INTEGER, true, [], {}),
    fc.integer({ min: 0, max: 2e9 }),
  );
  const names = [
    "promptTokenCount",
    "cachedContentTokenCount",
    "candidatesTokenCount",
    "thoughtsTokenCount",
    "toolUsePromptTokenCount",
    "totalTokenCount",
  ];
  const usages = fc.record(Object.fromEntries(names.map((name) => [name, said])), { requiredKeys: [] });
  fc.assert(
    fc.property(usages, (usage) => {
      const { units: _, ...counts } = readGeminiAnswer(answerOf(usage), context)?.usage ?? {};
      for (const count of Object.values(counts)) {
        expect(Number.isSafeInteger(count) && Number(count) >= 0 && Number(count) <= 4e9).toBe(true);
      }
    }),
  );
});
