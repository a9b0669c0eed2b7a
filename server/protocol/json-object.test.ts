import { expect, test } from "vitest";
import { parseJsonObject } from "./json-object";

test.each([
  ['{"max_tokens":100000,"model":"m","max_tokens":1}', "max_tokens"],
  ['{"max_tokens":100000,"max\\u005ftokens":1}', "max_tokens"],
  ['{"\\u006e":9,"n":1}', "n"],
  ['{"n":9,"n":1}', "n"],
  ['{"max_completion_tokens":9, "max_completion_tokens" :1}', "max_completion_tokens"],
  ['{"Max_Tokens":100000}', "max_tokens"],
  ['{"N":9,"n":1}', "n"],
  ['{"max_token\u017f":9}', "max_tokens"],
])("%s is refused: which limit an upstream would obey is its own affair", (raw, name) => {
  expect(() => parseJsonObject(raw)).toThrow(`${name} 只能出现一次,且必须小写`);
});

test.each([
  '{"max_tokens":1,"messages":[{"max_tokens":2,"n":3}],"n":1}',
  '{"max_tokens":1,"stop":"\\"max_tokens\\":1","x":"\\u0041"}',
  '{"max_tokens":1,"max_completion_tokens":2,"stop":["max_tokens"]}',
  '{"Model":1,"model":2,"model":3}',
])("%s is not ambiguous", (raw) => {
  expect(parseJsonObject(raw)).toEqual(JSON.parse(raw));
});
