import fc from "fast-check";
import { expect, test } from "vitest";
import { atOnce } from "@/server/base/turns";
import { cpuTimeMs } from "@/tests/support/cpu-time";

import { parseCarrying, parseExact } from "./exact-numbers";
import { parseInTurns } from "./turns";

const parse = (text: string) => atOnce(parseInTurns(text));
/** The value as JSON, or "refused". */
const outcomeOf = (read: (text: string) => unknown, text: string) => {
  try {
    return JSON.stringify(read(text));
  } catch (error) {
    return error instanceof SyntaxError ? "refused" : error;
  }
};

const fixed = [
  ...[
    '{"arguments":{"id":2512292042121000001,"x":[1.0,{"y":1e400}]},"n":1.0}',
    '{"input":[1.0],"args":[1.0]}',
  ],
  ...['{"__proto__":{"a":1},"a":{"__proto__":1}}', '{"a":1,"a":2}', "[]", "{}", '""', " 1 ", "[[],{}]", "-0"],
  ...[
    "",
    " ",
    "[",
    "{",
    "[1,]",
    "{,}",
    '{"a"}',
    '{"a":}',
    "[1 2]",
    "1 2",
    "01",
    "1.",
    '"',
    '"\\',
    '"\n"',
    "nul",
  ],
  ...['{"a":1,}', "]", '{"a":1]', "[1}", '"\\x"', "+1", "tru", '{"a" 1}', "{1:2}", "\u00a0[1]"],
];
test.each(fixed)("%j is read as the engine's own parser reads it", (text) => {
  expect(outcomeOf(parse, text)).toEqual(outcomeOf(parseCarrying, text));
  const readExactly = (list: string) => atOnce(parseInTurns(list, { isExact: true }));
  expect(outcomeOf(readExactly, `[${text}]`)).toEqual(outcomeOf(parseExact, `[${text}]`));
});

test("any JSON is read as the engine's own parser reads it, whole or cut off", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.nat(), fc.boolean(), (value, place, isCut) => {
      const whole = JSON.stringify(value, null, place % 3);
      const text = isCut ? whole.slice(0, place % (whole.length + 1)) : whole;
      expect(outcomeOf(parse, text)).toEqual(outcomeOf(parseCarrying, text));
    }),
    { numRuns: 1_000 },
  );
});

test.each(["[", '{"a":'])("%s without an end is refused before it fills the memory", (open) => {
  const startedAt = cpuTimeMs();
  expect(outcomeOf(parse, open.repeat(5_000_000))).toBe("refused");
  expect(cpuTimeMs() - startedAt).toBeLessThan(1_000);
  expect(parse(`${"[".repeat(9_000)}${"]".repeat(9_000)}`)).toBeInstanceOf(Array);
});

test.each([
  ["values", `[${"1,".repeat(100_000)}1]`, 100],
  ["blanks", `${" ".repeat(1_000_000)}[${" ".repeat(1_000_000)}]${" ".repeat(1_000_000)}`, 9],
  [
    "blanks around a name",
    `{${" ".repeat(1_000_000)}"a"${" ".repeat(1_000_000)}:${" ".repeat(1_000_000)}1}`,
    9,
  ],
  ["texts", JSON.stringify(Array(10).fill("x".repeat(200_000))), 4],
])("many %s are read in many steps", (_what, text, least) => {
  let steps = 0;
  for (const _step of parseInTurns(text)) {
    steps++;
  }
  expect(steps).toBeGreaterThanOrEqual(least);
});

test("a text of more values than the bound is refused", () => {
  expect(atOnce(parseInTurns("[1,2]", { mostValues: 3 }))).toEqual([1, 2]);
  expect(() => atOnce(parseInTurns("[1,2,3]", { mostValues: 3 }))).toThrow(SyntaxError);
});

test.each(["a", "\\\\", '\\"', "\\u00e9", "\\ud83d\\ude00", "é", "😀", "\\n"])(
  "a long text of %s is read in pieces, wherever a piece ends",
  (unit) => {
    for (let before = 0; before < 13; before++) {
      const text = `["${"x".repeat(before)}${unit.repeat(600_000 / unit.length)}",1]`;
      expect(parse(text)).toEqual(JSON.parse(text));
      expect(outcomeOf(parse, text.slice(0, -4))).toBe("refused");
    }
  },
);
