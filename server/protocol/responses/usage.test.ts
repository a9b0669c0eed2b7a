import { expect, test } from "vitest";
import { readResponsesCounts } from "./usage";

test.each([
  ["by the vendor's count", { tool_usage: { web_search: { num_requests: 3 } } }, 3],
  ["by their items, without opened pages (litellm PR#39610)", {}, 1],
])("searches are counted %s", (_name, more, searches) => {
  const output = [
    { type: "web_search_call", action: { type: "search" } },
    { type: "web_search_call", action: { type: "open_page" } },
  ];
  expect(
    readResponsesCounts({ usage: { input_tokens: 9, output_tokens: 500 }, output, ...more })?.searches,
  ).toBe(searches);
});

test.each([
  [
    { input_tokens: 9, total_tokens: 10 },
    { prompt: 9, completion: 1 },
  ],
  [
    { output_tokens: 5, total_tokens: 6 },
    { prompt: 1, completion: 5 },
  ],
  // The other half was not counted: it is estimated, and not free.
  [
    { input_tokens: 9, total_tokens: 9 },
    { prompt: 9, completion: null },
  ],
  [
    { output_tokens: 5, total_tokens: 4 },
    { prompt: null, completion: 5 },
  ],
])("a missing half of the counts follows from the total, if the total allows it: %j", (counted, counts) => {
  expect(readResponsesCounts({ usage: counted, output: [] })).toMatchObject(counts);
});

test.each([
  [{ cached_tokens: 6 }, { cacheRead: 6 }],
  [{ input_tokens_details: { cache_creation_input_tokens: 6 } }, { cacheWrite: 6 }],
  // xAI counts its reasoning besides the output.
  [{ total_tokens: 19, output_tokens_details: { reasoning_tokens: 5 } }, { completion: 10 }],
])("%j is read as the chat dialect's", (more, counts) => {
  const usage = { input_tokens: 9, output_tokens: 5, total_tokens: 14, ...more };
  expect(readResponsesCounts({ usage, output: [] })).toMatchObject({ prompt: 9, ...counts });
});

test.each([
  // The messages dialect's name for a part that its input does not include.
  { cache_read_input_tokens: 60 },
  { cache_read_input_tokens: 60, input_tokens_details: { cached_tokens: 60 } },
  { cached_tokens: 60, total_tokens: 170 },
  { total_tokens: 50_110 },
])("the prompt includes its cached tokens, and a total that nothing explains is no count: %j", (more) => {
  const usage = { input_tokens: 100, output_tokens: 10, ...more };
  expect(readResponsesCounts({ usage, output: [] })).toMatchObject({ prompt: 100, completion: 10 });
});
