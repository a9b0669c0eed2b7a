import fc from "fast-check";
import { expect, test } from "vitest";
import { atOnce } from "@/server/base/turns";
import { longestStepMs } from "@/tests/support/work-time";
import { parseExact } from "./exact-numbers";
import { type PrintInner, printInSteps, readMessages } from "./print";

/** The text of all pieces; checks the stated length in bytes. */
function printed(value: object): string | null {
  const { pieces, bytes } = atOnce(printInSteps(value)) ?? { pieces: [], bytes: -1 };
  expect(bytes).toBe(Buffer.byteLength(pieces.join("")));
  return pieces.join("");
}

const many = (count: number) => Array.from({ length: count }, (_, index) => index);
/** Sizes around the limits of a step: of values, and of characters. */
const large: object[] = [
  many(999),
  many(2_001),
  [many(999), many(1_000), []],
  Object.fromEntries(many(2_500).map((index) => [`k${index}`, { index, none: undefined }])),
  { none: undefined, big: many(1_500), after: undefined },
  { big: { a: many(3_000), none: undefined }, 7: "first" },
  [undefined, 'a\n"\\'.repeat(100_000), undefined],
  { text: "😀".repeat(200_000), other: `a${"😀".repeat(200_000)}`, broken: "\ud83d".repeat(300_000) },
  { ["n".repeat(300_000)]: "long name", ["__proto__"]: many(1_200) },
  parseExact(`{"a":[${"1.0,".repeat(2_000)}2512292042121000001]}`) as object,
];
test.each(large)("a long value is printed as the engine prints it (%#)", (value) => {
  expect(printed(value)).toBe(JSON.stringify(value));
});

test("any JSON is printed as the engine prints it", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), fc.integer({ min: 0, max: 1_500 }), (value, length) => {
      const body = { value, list: Array(length).fill(value) };
      expect(printed(body)).toBe(JSON.stringify(body));
    }),
  );
});

test("a value that is nested too deeply to be printed has no text", () => {
  let deep: object = {};
  for (let level = 0; level < 200_000; level++) {
    deep = { deep };
  }
  expect(atOnce(printInSteps(deep))).toBeNull();
});

test("objects and lists of a long message are printed before the message is read", () => {
  const inner = [{ a: 1 }, ["word ".repeat(200_000)], "text"];
  const read = (message: { inner: unknown[] }, print: PrintInner) =>
    message.inner.map((value) => (typeof value === "object" && value !== null ? print(value) : value));
  const reading = readMessages([{ inner }], (message) => message.inner, read);
  const steps = [...reading].length;
  expect(steps).toBeGreaterThan(4);
  expect(atOnce(readMessages([{ inner }], (message) => message.inner, read))).toEqual([
    ['{"a":1}', JSON.stringify(inner[1]), "text"],
  ]);
});

test.each([
  ["one text", () => ({ text: "word \n".repeat(8_000_000) })],
  ["many values", () => ({ list: Array(2_000_000).fill([1, "a"]) })],
])("no step takes more than 50 ms: %s", async (_name, make) => {
  expect(await longestStepMs(printInSteps(make()))).toBeLessThan(50);
});
