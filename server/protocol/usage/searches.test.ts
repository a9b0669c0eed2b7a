import { expect, test } from "vitest";
import { mostSearches } from "./searches";

const tool = { type: "web_search_20250305", name: "web_search" };

test.each<[object, number | undefined]>([
  [{}, undefined],
  [{ tools: [{ type: "function" }, null, "web_search"] }, undefined],
  [{ tools: [tool] }, 10],
  [{ tools: [{ ...tool, max_uses: 3 }] }, 3],
  // The hold covers the client's limit, however large it is.
  [{ tools: [{ ...tool, max_uses: 500 }] }, 500],
  [{ tools: [{ type: "web_search" }], max_tool_calls: 2 }, 2],
  [{ web_search_options: {} }, 10],
  // Such numbers have no meaning, and none breaks the sum of a hold.
  ...[0, -1, 1.5, "3", null, Number.NaN].map((max_uses): [object, number] => [
    { tools: [{ ...tool, max_uses }] },
    10,
  ]),
  [{ tools: [{ ...tool, max_uses: 1e300 }] }, 10_000],
  [{ tools: Array(5_000).fill({ ...tool, max_uses: 9_000 }) }, 10_000],
])("the limit of searches follows from %j", (fields, limit) => {
  expect(mostSearches({ ...fields })).toEqual(limit === undefined ? undefined : { web_search: limit });
});
