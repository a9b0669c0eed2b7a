import fc from "fast-check";
import { expect, test } from "vitest";
import { atOnce } from "@/server/base/turns";
import { readGeminiAnswer } from "./answer";
import { GeminiReader } from "./reader";

const context = { model: "m", inputTokens: 7, fallbackId: "f", now: new Date(0) };

const answerOf = (usageMetadata: unknown, more: object = {}) => ({
  candidates: [{ content: { parts: [{ text: "one two three" }] }, finishReason: "STOP", ...more }],
  usageMetadata,
});

const countsFor = (usageMetadata: unknown, more?: object) => {
  const { usage, source } = atOnce(readGeminiAnswer(answerOf(usageMetadata, more), context)) ?? {};
  return [usage?.inputTokens, usage?.cacheReadTokens, usage?.outputTokens, source];
};

/** Google's counts by the first word of their names. */
const googleCounts = (counts: Record<string, number>) =>
  Object.fromEntries(Object.entries(counts).map(([name, count]) => [`${name}TokenCount`, count]));

test.each([
  // Thoughts outside of the candidates' count, within it, shown by the total alone, and without a total.
  [{ prompt: 10, candidates: 5, thoughts: 2, total: 17 }, [10, 0, 7]],
  [{ prompt: 801, candidates: 1519, thoughts: 794, total: 2320 }, [801, 0, 1519]],
  [{ prompt: 10, total: 17 }, [10, 0, 7]],
  [{ prompt: 10, candidates: 5, thoughts: 2 }, [10, 0, 7]],
  // Content from tools is input; cached tokens are part of the prompt.
  [{ prompt: 10, cachedContent: 4, toolUsePrompt: 3, candidates: 5, total: 18 }, [9, 4, 5]],
  // The rest of a total without a prompt is the prompt; it was once charged as output.
  [{ candidates: 5, total: 105 }, [100, 0, 5]],
  [{ candidates: 5, thoughts: 10, total: 115 }, [100, 0, 15]],
  [{ prompt: 0, candidates: 5, total: 105 }, [100, 0, 5]],
])("%j is charged as %j", (counts, expected) => {
  expect(countsFor(googleCounts(counts))).toEqual([...expected, "upstream"]);
});

test("a whole answer without counts has those that its client pays for", () => {
  const read = atOnce(readGeminiAnswer(answerOf(undefined), context));
  expect(read?.answer).toMatchObject({ usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 3 } });
});

test.each([
  [{ totalTokenCount: 500 }],
  [{ promptTokenCount: -1, totalTokenCount: "many" }],
  [[]],
  [undefined],
])("%j counts nothing, and the gateway estimates the output so far", (usage) => {
  expect(countsFor(usage)).toEqual([7, 0, expect.any(Number), "estimated"]);
  expect(countsFor(usage)[2]).toBeLessThan(10);
});

test("searches are counted with and without other counts, whole and streamed", () => {
  const grounded = { groundingMetadata: { webSearchQueries: ["a", "b"] } };
  for (const usage of [undefined, { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 }]) {
    const answer = answerOf(usage, grounded);
    expect(atOnce(readGeminiAnswer(answer, context))?.usage.units).toEqual({ web_search: 2 });
    const reader = new GeminiReader(context);
    reader.read(JSON.stringify(answer));
    expect(reader.settled(true).usage.units).toEqual({ web_search: 2 });
  }
});

test("whatever an upstream writes in its counts, the charged counts are whole and not negative", () => {
  const anyCount = fc.oneof(
    fc.constantFrom(null, "12", "-1", "1e9", 1e300, -5, 0.5, Number.MAX_SAFE_INTEGER, true, [], {}),
    fc.integer({ min: 0, max: 2e9 }),
  );
  const names = ["prompt", "cachedContent", "candidates", "thoughts", "toolUsePrompt", "total"];
  const members = names.map((name) => [`${name}TokenCount`, anyCount]);
  const usages = fc.record(Object.fromEntries(members), { requiredKeys: [] });
  fc.assert(
    fc.property(usages, (usage) => {
      const { units: _, ...counts } = atOnce(readGeminiAnswer(answerOf(usage), context))?.usage ?? {};
      for (const count of Object.values(counts)) {
        expect(Number.isSafeInteger(count) && Number(count) >= 0 && Number(count) <= 4e9).toBe(true);
      }
    }),
  );
});
