import fc from "fast-check";
import { expect, test } from "vitest";
import { withoutBlanks } from "./json-blanks";

const blanks = " \t\r\n".repeat(70_000);
const stripped = (text: string) => Buffer.from(withoutBlanks(new Uint8Array(Buffer.from(text)))).toString();

test.each([
  [`{${blanks}"a"${blanks}:${blanks}1}`, '{"a":1}'],
  [`${blanks}[1,${blanks}"b  c"]${blanks}`, '[1,"b  c"]'],
  [`{"a":"\\"  \\\\"${blanks},"b":true}`, '{"a":"\\"  \\\\","b":true}'],
])("white space between values goes where there is much of it", (text, left) => {
  expect(stripped(text)).toBe(left);
});

test.each(['{ "a": 1 }\n', `{"a":"${blanks}"}`, ""])("other text stays as it is", (text) => {
  expect(stripped(text)).toBe(text);
});

test("the text says the same", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const left = stripped(`${blanks}${JSON.stringify(value, null, 4)}`);
      expect(left).toBe(JSON.stringify(value));
    }),
    { numRuns: 30 },
  );
});
