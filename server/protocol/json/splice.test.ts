import fc from "fast-check";
import { expect, test } from "vitest";
import { setMembers } from "./splice";
import { readJsonText } from "./text";

const set = (raw: string, values: Record<string, unknown>, renamed?: Record<string, string>) =>
  setMembers(readJsonText(raw), values, renamed);

test("setMembers changes the named members and no other character", () => {
  const raw = ' {\n "seed" : 12345678901234567890 ,"model" : "a" , "t":1.0,"m":{"model":"inner"} }\n';
  expect(set(raw, { model: "b" })).toBe(raw.replace('"a"', '"b"'));
});

test.each([
  ["{}", '{"model":"b"}'],
  ["{ }", '{ "model":"b"}'],
  ['{"x":"}"}', '{"x":"}","model":"b"}'],
  ['{"x":"\\\\\\""}', '{"x":"\\\\\\"","model":"b"}'],
  ['{"m":{"model":1},"model":2}', '{"m":{"model":1},"model":"b"}'],
])("%s becomes %s", (raw, changed) => {
  expect(set(raw, { model: "b" })).toBe(changed);
});

test("undefined leaves a member as it is", () => {
  expect(set('{"stream_options":{}}', { stream_options: undefined, other: undefined })).toBe(
    '{"stream_options":{}}',
  );
});

test("setMembers has the result of setting the members of the parsed object", () => {
  const spacing = fc.constantFrom(undefined, 1, 2, "\t");
  fc.assert(
    fc.property(
      // Names without a meaning for the gateway, so that none is refused.
      fc.dictionary(
        fc.string().map((name) => `x-${name}`),
        fc.jsonValue().map((parameters) => ({ parameters })),
        { noNullPrototype: true },
      ),
      fc.jsonValue(),
      spacing,
      (object, value, space) => {
        const raw = JSON.stringify(object, null, space);
        expect(JSON.parse(set(raw, { model: value }))).toEqual(
          JSON.parse(JSON.stringify({ ...object, model: value })),
        );
      },
    ),
  );
});

test("a member is renamed in its place, and set under its new name", () => {
  const raw = '{"a":{"b":1}, "b" : 2,"c":"b"}';
  expect(set(raw, {}, { b: "d" })).toBe('{"a":{"b":1}, "d" : 2,"c":"b"}');
  expect(set(raw, { d: 3 }, { b: "d" })).toBe('{"a":{"b":1}, "d" : 3,"c":"b"}');
});
