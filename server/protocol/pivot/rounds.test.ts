import { expect, test } from "vitest";
import type { ResultBlock } from "./conversation";
import { pairResults } from "./rounds";

const result = (callId: string, text: string): ResultBlock => ({
  ...{ type: "result", callId, isError: false },
  content: [{ type: "text", text }],
});

type Case = { keys: string[]; sent: [id: string, text: string][]; expected: (string | null)[] };

test.each<[what: string, Case]>([
  [
    "their identifiers",
    {
      keys: ["a", "b"],
      sent: [
        ["b", "2"],
        ["a", "1"],
      ],
      expected: ["1", "2"],
    },
  ],
  [
    "their order, if two calls share one",
    {
      keys: ["a", "a"],
      sent: [
        ["a", "1"],
        ["a", "2"],
      ],
      expected: ["1", "2"],
    },
  ],
  [
    "being the only ones left",
    {
      keys: ["a", "b"],
      sent: [
        ["", "1"],
        ["b", "2"],
      ],
      expected: ["1", "2"],
    },
  ],
  ["nothing, if several calls are left", { keys: ["a", "b"], sent: [["", "1"]], expected: [null, null] }],
  ["nothing, if no call has the identifier", { keys: ["a"], sent: [["c", "1"]], expected: [null] }],
])("calls and results are paired by %s", (_what, { keys, sent, expected }) => {
  const blocks = sent.map(([id, text]) => result(id, text));
  const { ofCalls, isPaired } = pairResults(keys, [{ role: "user", blocks }]);
  const textOf = (block: ResultBlock | undefined) => {
    const [part] = block?.content ?? [];
    return part?.type === "text" ? part.text : null;
  };
  expect(ofCalls.map(textOf)).toEqual(expected);
  expect(blocks.filter(isPaired).map(textOf).sort()).toEqual(expected.filter((text) => text !== null));
});
