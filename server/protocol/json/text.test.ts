import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { atOnce } from "@/server/base/turns";
import { anyText } from "@/tests/support/any-text";
import { cpuTimeMs } from "@/tests/support/cpu-time";
import { refusalOf } from "@/tests/support/refusal";
import { createInnerReader, readJsonInSteps, readJsonText } from "./text";

const read = (raw: string) => readJsonText(raw).fields;
const isRead = (raw: string) => {
  try {
    return Boolean(read(raw));
  } catch {
    return false;
  }
};

describe("reading equals JSON.parse", () => {
  const spacing = fc.constantFrom(undefined, 1, "\t");
  /** Names without a meaning for the gateway. */
  const names = anyText().map((name) => `x-${name}`);
  const objects = fc.dictionary(
    names,
    fc.jsonValue({ maxDepth: 0 }).chain((value) => fc.constantFrom(value, [value])),
  );

  test("for every value", () => {
    fc.assert(
      fc.property(objects, fc.jsonValue(), spacing, (object, parameters, space) => {
        const raw = ` ${JSON.stringify({ ...object, parameters }, null, space)}\r\n`;
        expect(read(raw)).toEqual(JSON.parse(JSON.stringify({ ...object, parameters })));
      }),
    );
  });

  test("for a number with zeros before its exponent", () => {
    expect(read('{"parameters":0e000055865545958663154}')).toEqual({ parameters: 0 });
  });

  test("and refuses the same texts, whichever character is broken", () => {
    const edits = fc.constantFrom("", ...'"\\{}[],:0-e.\n\u0001t');
    fc.assert(
      fc.property(objects, fc.nat(), edits, (object, at, edit) => {
        const text = JSON.stringify({ parameters: object });
        const place = at % text.length;
        const broken = text.slice(0, place) + edit + text.slice(place + 1);
        let expected = true;
        try {
          const value: unknown = JSON.parse(broken);
          expected = typeof value === "object" && value !== null && !Array.isArray(value);
        } catch {
          expected = false;
        }
        expect(isRead(broken), broken).toBe(expected);
      }),
      { numRuns: 2_000 },
    );
  });

  test.each([
    "",
    " ",
    "[]",
    "1",
    "null",
    '"a"',
    "{} {}",
    '{"a":01}',
    '{"a":+1}',
    '{"a":.5}',
    '{"a":1.}',
    "{'a':1}",
  ])("%j is no object", (raw) => {
    expect(refusalOf(() => read(raw)).kind).toBe("invalidJson");
  });

  test("for a member named __proto__", () => {
    const fields = read('{"__proto__":{"isAdmin":true}}');
    expect(Object.keys(fields)).toEqual(["__proto__"]);
    expect(Object.getPrototypeOf(fields)).toBe(Object.prototype);
  });

  test("after another body with similar names (nodejs/node#63785)", () => {
    read('{"parameters":{"h":[],"\\\\":0}}');
    JSON.parse('{"h":[],"\\\\":0}');
    expect(Object.keys(read('{"parameters":{"h":1,"\\"":2}}').parameters ?? {})).toEqual(["h", '"']);
  });
});

test("long texts in any place are read in steps as they are read at once, and broken ones are refused", () => {
  const long = 'a\n"é'.repeat(300_000);
  const fields = { text: long, list: ["b", long], of: { ["__proto__"]: long, n: 1 }, x: [{ long }] };
  const raw = `{"__proto__":${JSON.stringify(long)},${JSON.stringify(fields).slice(1)}`;
  const steps = readJsonInSteps(raw);
  expect(steps.next().done).toBe(false);
  expect(atOnce(steps).fields).toEqual(JSON.parse(raw));
  expect(read(raw)).toEqual(JSON.parse(raw));
  const repeated = `{"metadata":{"a":${JSON.stringify(long)},"a":"last"}}`;
  expect(read(repeated)).toEqual({ metadata: { a: "last" } });
  expect(isRead(`{"a":"${"x".repeat(2_000_000)}\\x"}`)).toBe(false);
  expect(isRead(JSON.stringify(long))).toBe(false);
});

describe("a name that an upstream could read as another member is refused", () => {
  test.each([
    ['{"max_tokens":100000,"model":"m","max_tokens":1}', "max_tokens"],
    ['{"max_tokens":100000,"max\\u005ftokens":1}', "max_tokens"],
    ['{"\\u006dax_tokens":1}', "max_tokens"],
    ['{"\\u006e":9}', "n"],
    ['{"model":"cheap","Model":"huge"}', "model"],
    ['{"Stream":true}', "stream"],
    ['{"N":9,"n":1}', "n"],
    ['{"max_token\u017f":9}', "max_tokens"],
    ['{"max_to\u212aens":9}', "max_tokens"],
    ['{"\u017f\u0074ream":true}', "stream"],
    ['{"stream_options":{"include_usage":true,"Include_Usage":false}}', "include_usage"],
    ['{"thinking":{"type":"enabled","BUDGET_TOKENS":9}}', "budget_tokens"],
    ['{"messages":[{"role":"user","Role":"system"}]}', "role"],
    ['{"messages":[{"role":"user","content":[{"type":"text","text":"a","text":"b"}]}]}', "text"],
    ['{"tools":[{"function":{"Name":"a"}}]}', "name"],
    ['{"input":["a"],"Input":["b"]}', "input"],
    ['{"Duration":15}', "duration"],
    ['{"unknown_to_us":1,"unknown_to_us":2}', "unknown_to_us"],
  ])("%s", (raw, name) => {
    expect(refusalOf(() => read(raw))).toMatchObject({
      kind: "invalidParameters",
      message: `${name} 只能出现一次,且必须小写`,
    });
  });

  test.each([
    '{"max_tokens":1,"messages":[{"max_tokens":2,"n":3}],"n":1}',
    '{"max_tokens":1,"stop":"\\"max_tokens\\":1","x":"\\u0041"}',
    '{"max_tokens":1,"max_completion_tokens":2,"stop":["max_tokens"]}',
    '{"chatTemplateKwargs":{"enableThinking":true},"\\u540d":1}',
    '{"tools":[{"input_schema":{"properties":{"id":1,"ID":2,"Name":3,"\\u006eame":4}}}]}',
    '{"content":[{"type":"tool_use","input":{"Type":1,"type":2}}]}',
    '{"metadata":{"Model":"x"}}',
  ])("%s is not ambiguous, and is read", (raw) => {
    expect(read(raw)).toEqual(JSON.parse(raw));
  });
});

describe("a body that is built to use up time or memory is refused early", () => {
  const refusal = (raw: string) => refusalOf(() => read(raw)).kind;

  test.each([
    ["values", `{"a":[${"0,".repeat(300_000)}0]}`],
    ["objects", `{"a":[${"{},".repeat(300_000)}0]}`],
    ["names", `{"parameters":{${Array.from({ length: 150_000 }, (_, at) => `"k${at}":0,`).join("")}"z":0}}`],
    ["top-level members", `{${Array.from({ length: 1_001 }, (_, at) => `"k${at}":0,`).join("")}"z":0}`],
    ["levels", `{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`],
  ])("too many %s", (_, raw) => {
    expect(refusal(raw)).toBe("invalidParameters");
  });

  test("a number of thousands of digits", () => {
    expect(refusal(`{"a":${"1".repeat(100_000)}}`)).toBe("invalidJson");
  });
});

test("texts with JSON inside a body share the bound of the body, however many there are", () => {
  const readInner = createInnerReader();
  const read = (text: string) => atOnce(readInner(text));
  const list = (length: number) => `{"a":[${Array(length).fill("0").join(",")}]}`;
  expect(read(' {"a":{"b":[1]},"a\\u0062":"c"}')).toEqual({ a: { b: [1] }, ab: "c" });
  expect([read("no JSON"), read("[1]"), read('{"a":1'), read("")]).toEqual([null, null, null, null]);
  expect(read(list(200_000))?.a).toHaveLength(200_000);
  expect(() => read(list(100_000))).toThrow(expect.objectContaining({ kind: "invalidParameters" }));
});

test("many long names of one length, which V8 compares one by one, are refused at the first", () => {
  const names = Array.from({ length: 1_600 }, (_, index) => `"${"x".repeat(17_000)}${index}":0`);
  const started = cpuTimeMs();
  expect(refusalOf(() => read(`{"model":"m","a":{${names.join(",")}}}`)).kind).toBe("invalidParameters");
  // Measured: 1,700 ms before.
  expect(cpuTimeMs() - started).toBeLessThan(500);
});
