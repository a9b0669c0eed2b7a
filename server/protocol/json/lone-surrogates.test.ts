import fc from "fast-check";
import { expect, test } from "vitest";
import { cpuTimeMs } from "@/tests/support/cpu-time";
import { mendSurrogates, withoutLoneSurrogates } from "./lone-surrogates";

test.each([
  ["cut \\ud83d", "cut \\ufffd"],
  ["\\uDE00 cut", "\\ufffd cut"],
  ["\\ud83d\\ud83d\\ude00", "\\ufffd\\ud83d\\ude00"],
  ["\\ud83d\\u0041", "\\ufffd\\u0041"],
  ["\\\\\\ud83d", "\\\\\\ufffd"],
  [String.raw`\\ud83d\ude00`, String.raw`\\ud83d\ufffd`],
])("%s becomes %s", (text, whole) => {
  expect(withoutLoneSurrogates(text)).toBe(whole);
});

test.each(["\\ud83d\\ude00", "\\\\ud83d", "\\u00e9", "\\ud7ff", "plain \ud83d\ude00", ""])(
  "%s stays as it is",
  (text) => {
    expect(withoutLoneSurrogates(text)).toBe(text);
  },
);

test.each(["\\ud83d", "\\ud83d\\ude00", "\\ud83da", "\\\\ud83d", "\\n"])(
  "a body of nothing but %s is mended to its end, in time proportional to its length",
  (unit) => {
    const bytes = Buffer.from(unit.repeat(1_000_000));
    const before = cpuTimeMs();
    mendSurrogates(bytes);
    expect(cpuTimeMs() - before).toBeLessThan(500);
    expect(bytes.subarray(-60).toString()).toBe(withoutLoneSurrogates(unit.repeat(60)).slice(-60));
  },
);

test("any JSON text keeps its value, except for lone halves of characters", () => {
  const unit = fc.constantFrom("a", "\\", '"', "u", "d", "8", "3", "\ud83d", "\ude00", "\ud800", "é");
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 12 }), (units) => {
      const text = units.join("");
      const read: unknown = JSON.parse(withoutLoneSurrogates(JSON.stringify(text)));
      // UTF-8 writes halves of characters like this.
      expect(read).toBe(Buffer.from(text).toString());
    }),
    { numRuns: 2_000 },
  );
});
