import fc from "fast-check";
import { expect, test } from "vitest";
import type { LongText } from "@/server/base/slices";
import { atOnce } from "@/server/base/turns";
import { printedParts } from "./print";
import { JsonReader } from "./reader";
import { CHARACTERS_PER_STEP } from "./scanner";
import { bodyRules } from "./text";
import { answerRules } from "./turns";

const read = (text: LongText) => atOnce(new JsonReader(text, answerRules).read());

const MB = 1024 * 1024;
const fill = (part: string, size: number) => part.repeat(size / part.length);
const manyNames = Array.from({ length: 40_000 }, (_, each) => `"n${each}":${each}`).join();

test.each([
  ["values", `{"a":[${fill("1,", 400_000)}1]}`],
  ["lists", `{"a":[${fill("[1,2],", 450_000)}1]}`],
  ["empty objects", `{"a":[${fill("{},", 600_000)}1]}`],
  ["names", `{"a":{${manyNames}}}`],
  ["texts", `{"a":[${fill(`"${"word ".repeat(800)}",`, 8 * MB)}1]}`],
  ["characters in one text", `{"a":"${fill("word ", 8 * MB)}"}`],
  ["escaped quotes in one text", `{"a":"${fill('\\"', 8 * MB)}"}`],
  ["escaped quotes in many texts", `{"a":[${fill(`"${'\\"'.repeat(2_000)}",`, 8 * MB)}1]}`],
  ["escaped characters", `{"a":"${fill("\\u00e9", 8 * MB)}"}`],
  ["blanks", `${fill(" ", 2 * MB)}{${fill(" ", 2 * MB)}"a"${fill("\n", 2 * MB)}:${fill("\t", 2 * MB)}1}`],
])("no step reads many %s", (_what, text) => {
  for (const rules of [bodyRules, answerRules]) {
    const reader = new JsonReader(text, rules);
    let [values, position, steps] = [0, 0, 0];
    for (const _step of reader.read()) {
      // The names of values count in a body only.
      expect(reader.values - values).toBeLessThanOrEqual(1_001);
      // A text that begins at the end of a step is as long as another step.
      expect(reader.position - position).toBeLessThanOrEqual(2 * CHARACTERS_PER_STEP + 100);
      ({ values, position } = reader);
      steps++;
    }
    expect(steps).toBeGreaterThan(15);
  }
});

test("a long text is decoded as the engine decodes it, wherever its pieces end", () => {
  const part = fc.constantFrom("a", "\n", "\\", "\\\\", '"', "\u0001", "é", "😀", "\ud83d", "ab");
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), fc.integer({ min: -40, max: 8 }), (parts, place) => {
      const text = "x".repeat(CHARACTERS_PER_STEP + place) + parts.join("") + "y".repeat(CHARACTERS_PER_STEP);
      expect(read(JSON.stringify([text, 1]))).toEqual([text, 1]);
    }),
  );
});

test("a text in parts is read as a whole one, wherever it is cut, and keeps the pieces of long texts", () => {
  const long = 'é😀\\"\n'.repeat(120_000);
  const value = { a: [1, long, { b: "c".repeat(CHARACTERS_PER_STEP) }], "😀": [true, -1.5e3, "", {}, []] };
  const text = ` ${JSON.stringify(value)} `;
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 900_000 }), fc.integer({ min: 1, max: 50 }), (size, first) => {
      const parts = [text.slice(0, first)];
      for (let from = first; from < text.length; from += size) {
        parts.push(text.slice(from, from + size));
      }
      const longTexts = new Map<string, readonly string[]>();
      expect(atOnce(new JsonReader(parts, { ...answerRules, longTexts }).read())).toEqual(value);
      const pieces = longTexts.get(long) ?? [];
      expect(pieces.join("")).toBe(long);
      expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(CHARACTERS_PER_STEP);
      expect(pieces.some((piece) => /[\ud800-\udbff]$/.test(piece))).toBe(false);
      expect([...printedParts(value, longTexts)].join("")).toBe(JSON.stringify(value));
    }),
    { numRuns: 20 },
  );
  expect(() => read([text.slice(0, 50), text.slice(51)])).toThrow(SyntaxError);
});

test("the members of a text in parts have their places in the whole text", () => {
  const text = `{"a":"${"x".repeat(3 * MB)}", "b" : [1]}`;
  const parts = [text.slice(0, MB), text.slice(MB)];
  const [whole, parted] = [text, parts].map((each) => {
    const reader = new JsonReader(each, bodyRules);
    atOnce(reader.read());
    return reader.members;
  });
  expect(parted).toEqual(whole);
  expect(text.slice(parted?.[1]?.valueStart, parted?.[1]?.valueEnd)).toBe("[1]");
});

test.each(['"\\x"', '"a\nb"', '"\\u12"', '"\\"', '"'])("%j behind much text is no text", (written) => {
  expect(() => read(`"${"x".repeat(CHARACTERS_PER_STEP)}${written.slice(1)}`)).toThrow(SyntaxError);
});

test.each([
  "0",
  "-0",
  "10",
  "007",
  "00",
  "-",
  "-1",
  "123456789012345",
  "1234567890123456",
  "999999999999999.5",
  "1e5",
  "1E5",
  "12.",
  "12.5",
])("the number %s is read as the engine reads it", (written) => {
  const outcome = (parse: (text: string) => unknown) => {
    try {
      return parse(`[${written}]`);
    } catch (error) {
      return error instanceof SyntaxError ? "refused" : error;
    }
  };
  expect(outcome(read)).toEqual(outcome(JSON.parse));
});
