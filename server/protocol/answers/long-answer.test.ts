import { expect, test } from "vitest";
import { atOnce } from "@/server/base/turns";
import { parseLongAnswer } from "./long-answer";

const many = (item: string, count = 10_001) => Array(count).fill(item).join();

test.each([
  ["choices", `{"choices":[${many('{"message":{}}')}]}`],
  ["calls", `{"choices":[{"message":{"tool_calls":[${many("{}")}]}}]}`],
  ["calls of a piece", `{"choices":[{"delta":{"tool_calls":[${many("{}")}]}}]}`],
  ["blocks", `{"content":[${many("{}")}]}`],
  ["items", `{"response":{"output":[${many("{}")}]}}`],
  ["parts", `{"candidates":[{"content":{"parts":[${many("{}")}]}}]}`],
  ["parts of many", `{"output":[${many(`{"content":[${many("{}", 101)}]}`, 100)}]}`],
])("an answer of too many %s is refused", (_what, text) => {
  expect(() => atOnce(parseLongAnswer(text))).toThrow(SyntaxError);
});

test("the longest answer with logprobs is read: 16,384 tokens, each with twenty others", () => {
  const token = '"token":"word","logprob":-0.123456,"bytes":[119,111,114,100]';
  const all = many(`{${token},"top_logprobs":[${many(`{${token}}`, 20)}]}`, 16_384);
  const text = `{"choices":[{"message":{"content":"a"},"logprobs":{"content":[${all}]}}]}`;
  expect(JSON.stringify(atOnce(parseLongAnswer(text)))).toBe(text);
});
