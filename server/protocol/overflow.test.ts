import { expect, test } from "vitest";
import { toMessagesOverflow } from "./overflow";

test.each([
  [
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens. Please reduce the length of the messages.",
    "prompt is too long: 9000 tokens > 8192 maximum",
  ],
  [
    "This model's maximum context length is 8192 tokens. However, you requested 9192 tokens (8000 in the messages, 1192 in the completion).",
    "input length and `max_tokens` exceed context limit: 8000 + 1192 > 8192, decrease input length or `max_tokens` and try again",
  ],
  [
    "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300,001 tokens.",
    "prompt is too long: 300001 tokens > 272000 maximum",
  ],
  [
    "The total length of all messages is too long.",
    "prompt is too long: The total length of all messages is too long.",
  ],
  [
    "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
    "prompt is too long: 1200000 tokens > 1048576 maximum",
  ],
  ["context_length_exceeded", "prompt is too long: context_length_exceeded"],
  ["prompt is too long: 5 tokens > 4 maximum", "prompt is too long: 5 tokens > 4 maximum"],
  ["temperature must be at most 2", "temperature must be at most 2"],
])("claude-code-router#1799: %j is reported as %j", (words, expected) => {
  expect(toMessagesOverflow(words)).toBe(expected);
});
