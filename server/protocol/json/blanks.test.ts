import fc from "fast-check";
import { expect, test } from "vitest";
import { withoutBlanks } from "./blanks";

const blanks = " \t\r\n".repeat(70_000);
const stripped = (text: string) => Buffer.from(withoutBlanks(new Uint8Array(Buffer.from(text)))).toString();

test.each([
  [`{${blanks}"a"${blanks}:${blanks}1}`, '{"a":1}'],
  [`${blanks}[1,${blanks}"b  c"]${blanks}`, '[1,"b  c"]'],
  [`{"a":"\\"  \\\\"${blanks},"b":true}`, '{"a":"\\"  \\\\","b":true}'],
])("much white space between values is removed", (text, remaining) => {
  expect(stripped(text)).toBe(remaining);
});

test.each(['{ "a": 1 }\n', `{"a":"${blanks}"}`, ""])(
  "a text with little white space between values stays as it is",
  (text) => {
    expect(stripped(text)).toBe(text);
  },
);

test("a text without its white space has the same value", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const remaining = stripped(`${blanks}${JSON.stringify(value, null, 4)}`);
      expect(remaining).toBe(JSON.stringify(value));
    }),
    { numRuns: 30 },
  );
});
