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
])("an answer of too many %s is none", (_what, text) => {
  expect(() => atOnce(parseLongAnswer(text))).toThrow(SyntaxError);
});

test("a long answer has as many tokens with likelihoods as it likes", () => {
  const text = `{"choices":[{"message":{"content":"a"},"logprobs":{"content":[${many("{}")}]}}]}`;
  expect(atOnce(parseLongAnswer(text))).toEqual(JSON.parse(text));
});
