import fc from "fast-check";
import { expect, test } from "vitest";
import type { Usage } from "@/server/protocol/usage/usage";
import { plausibleUsage, type UsageCeiling } from "./plausible-usage";

const usage = (counts: Partial<Usage>): Usage => ({
  ...{ inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, cacheWrite1hTokens: 0 },
  ...{ outputTokens: 0, reasoningTokens: 0, ...counts },
});
const usual: UsageCeiling = { kind: "chat", input: 50, output: 1_000, units: {} };
const ceiling = (change: Partial<UsageCeiling>): UsageCeiling => ({ ...usual, ...change });

type Limited = [
  what: string,
  reported: Partial<Usage>,
  frozen: Partial<UsageCeiling>,
  charged: Partial<Usage>,
];
const all = { cacheReadTokens: 1e9, cacheWriteTokens: 1e9 };
const shrunk = { outputTokens: 1_000, reasoningTokens: 1_000 };

test.each<Limited>([
  ["an output", { outputTokens: 1e9, reasoningTokens: 1e9 }, {}, shrunk],
  ["a prompt", { inputTokens: 1e9 }, {}, { inputTokens: 50 }],
  ["the longest of several prompts", { inputTokens: 1e9, prompt: 9e8 }, {}, { inputTokens: 50, prompt: 50 }],
  ["a cached prompt", { inputTokens: 9, ...all }, {}, { inputTokens: 50 }],
  ["embedded text", { inputTokens: 1e9 }, { kind: "embedding", output: 0 }, { inputTokens: 50 }],
  [
    "pictures, of any size",
    { units: { "image:1024x1024:high": 500, request: 1 } },
    { kind: "image", units: { "image:auto:high": 1 } },
    { units: { "image:1024x1024:high": 1, request: 1 } },
  ],
  ...(
    [
      ["search units", "rerank", 9_999, 2, "rerank"],
      ["seconds", "second", 1e7, 3, "transcription"],
      ["searches of the web", "web_search", 9_999, 5, "chat"],
    ] as const
  ).map(([what, unit, count, limit, kind]): Limited => {
    const frozen = { units: { [unit]: limit } };
    return [what, { units: { [unit]: count } }, { kind, ...frozen }, frozen];
  }),
  ["tokens of sound", { units: { audio_input: 1e9 } }, {}, { units: { audio_input: 1_050 } }],
])("an impossible count is reduced to what was frozen: %s", (...[, reported, frozen, expectedCounts]) => {
  expect(plausibleUsage(usage(reported), ceiling(frozen))).toEqual(usage(expectedCounts));
});

test.each<[string, Partial<Usage>, Partial<UsageCeiling>]>([
  ["thinking beyond the limit", { outputTokens: 100_000, reasoningTokens: 100_000 }, {}],
  ["pages that a vendor's tools have read", { inputTokens: 90, cacheReadTokens: 3_000_000 }, {}],
  ["the count of another tokenizer", { inputTokens: 190 }, { kind: "embedding", output: 0 }],
  ["the count of smaller chunks", { units: { rerank: 4 } }, { kind: "rerank", units: { rerank: 1 } }],
  ["searches that the client did not ask for", { units: { web_search: 200 } }, {}],
])("a possible count is charged as it was reported: %s", (_what, vendorCounts, frozen) => {
  const reportedUsage = usage(vendorCounts);
  expect(plausibleUsage(reportedUsage, ceiling(frozen))).toBe(reportedUsage);
});

const count = fc.nat({ max: 1e9 });
const counts = fc.record({ inputTokens: count, cacheReadTokens: count, outputTokens: count });
test("a charge has no higher count than was reported, and no lower one than was both reported and frozen", () => {
  const sum = ({ inputTokens, cacheReadTokens }: Usage) => inputTokens + cacheReadTokens;
  fc.assert(
    fc.property(counts, fc.record({ input: count, output: count }), (each, frozen) => {
      const vendorUsage = usage(each);
      const plausible = plausibleUsage(vendorUsage, ceiling(frozen));
      expect(sum(plausible)).toBeLessThanOrEqual(sum(vendorUsage));
      expect(sum(plausible)).toBeGreaterThanOrEqual(Math.min(sum(vendorUsage), frozen.input));
      expect(plausible.outputTokens).toBeLessThanOrEqual(vendorUsage.outputTokens);
      expect(plausible.outputTokens).toBeGreaterThanOrEqual(
        Math.min(vendorUsage.outputTokens, frozen.output),
      );
    }),
  );
});
