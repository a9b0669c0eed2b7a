import fc from "fast-check";
import { expect, test } from "vitest";
import { cpuTimeMs } from "@/tests/support/cpu-time";
import { renameMember, setMembers } from "./json-splice";

test("changes the members that are named and no other character", () => {
  const raw = ' {\n "seed" : 12345678901234567890 ,"model" : "a" , "t":1.0,"m":{"model":"inner"} }\n';
  expect(setMembers(raw, { model: "b" })).toBe(raw.replace('"a"', '"b"'));
});

test.each([
  ["{}", '{"model":"b"}'],
  ["{ }", '{ "model":"b"}'],
  ['{"x":"}"}', '{"x":"}","model":"b"}'],
  ['{"x":"\\\\\\""}', '{"x":"\\\\\\"","model":"b"}'],
  ['{"mod\\u0065l":1}', '{"mod\\u0065l":"b"}'],
  ['{"model":1,"model":2}', '{"model":"b","model":"b"}'],
])("%s becomes %s", (raw, changed) => {
  expect(setMembers(raw, { model: "b" })).toBe(changed);
});

test("undefined leaves a member alone", () => {
  expect(setMembers('{"stream_options":{}}', { stream_options: undefined, other: undefined })).toBe(
    '{"stream_options":{}}',
  );
});

test("means the same as setting the members of the parsed object", () => {
  const spacing = fc.constantFrom(undefined, 1, 2, "\t");
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.jsonValue(), { noNullPrototype: true }),
      fc.jsonValue(),
      spacing,
      (object, value, space) => {
        const raw = JSON.stringify(object, null, space);
        expect(JSON.parse(setMembers(raw, { model: value }))).toEqual(
          JSON.parse(JSON.stringify({ ...object, model: value })),
        );
      },
    ),
  );
});

test("takes time in proportion to the text, however many members it has", () => {
  const members = Array.from({ length: 300_000 }, (_, index) => `"k${index}":1`).join(",");
  const started = cpuTimeMs();
  expect(setMembers(`{${members},"model":"a"}`, { model: "b" }).endsWith('"model":"b"}')).toBe(true);
  const limits = `{${'"a":1,'.repeat(100_000)}"b":2}`;
  expect(renameMember(limits, "a", "c")).toBe(limits.replaceAll('"a"', '"c"'));
  expect(cpuTimeMs() - started).toBeLessThan(2_000);
});

test("a member is renamed where it stands, every time that it does", () => {
  expect(renameMember('{"a":{"b":1}, "b" : 2,"c":"b","b":3}', "b", "d")).toBe(
    '{"a":{"b":1}, "d" : 2,"c":"b","d":3}',
  );
});
