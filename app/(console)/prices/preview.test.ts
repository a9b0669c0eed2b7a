import fc from "fast-check";
import { expect, test } from "vitest";
import { formatMoney, nanos } from "@/server/base/money";
import { costNanos } from "@/server/billing";
import { emptyDraft } from "./model-draft";
import { classPricesOf, costOf, isJump, previewCalls, previewVideos } from "./preview";

const price = fc.bigInt({ min: 0n, max: 10n ** 15n - 1n }).map(nanos);
const count = fc.integer({ min: 0, max: 1e9 });
const classes = <V>(value: fc.Arbitrary<V>) =>
  fc.record({ input: value, cacheRead: value, cacheWrite: value, cacheWrite1h: value, output: value });

test("a preview is what billing would charge, to the nano-unit", () => {
  fc.assert(
    fc.property(classes(count), classes(price), (tokens, prices) => {
      const usage = {
        ...{ inputTokens: tokens.input, cacheReadTokens: tokens.cacheRead },
        ...{ cacheWriteTokens: tokens.cacheWrite, cacheWrite1hTokens: tokens.cacheWrite1h },
        ...{ outputTokens: tokens.output, reasoningTokens: 0 },
      };
      expect(costOf(tokens, prices)).toBe(costNanos(usage, prices));
    }),
  );
});

const draft = { ...emptyDraft("m"), inputPrice: "2", outputPrice: "8" };

test("an empty price of the cache is inherited", () => {
  const two = 2_000_000_000n;
  expect(classPricesOf(draft)).toMatchObject({ cacheRead: two, cacheWrite: two, cacheWrite1h: two });
  const priced = classPricesOf({ ...draft, cacheWritePrice: "3" });
  expect(priced).toMatchObject({ cacheRead: two, cacheWrite: 3_000_000_000n, cacheWrite1h: 3_000_000_000n });
  expect(classPricesOf({ ...draft, inputPrice: "" })).toBeNull();
  expect(classPricesOf({ ...draft, cacheReadPrice: "1,2" })).toBeNull();
});

test("a typical call is shown before and after", () => {
  const cached = { ...draft, cacheReadPrice: "0.2" };
  const long = previewCalls(cached, draft).find(({ name }) => name === "longCall");
  expect(long && [long.before, long.after].map((amount) => formatMoney(amount ?? nanos(0n)))).toEqual([
    "0.048",
    "0.0156",
  ]);
});

test("of videos only what changes is shown, a price that comes or goes too", () => {
  const before = {
    ...emptyDraft("v"),
    kind: "video" as const,
    videoPrices: { "5:720p": "1", "5:480p": "0.5" },
  };
  const after = { ...before, videoPrices: { "5:720p": "1.0", "5:480p": "", "10:720p": "2" } };
  expect(previewVideos(after, before)).toEqual([
    { cell: "5:480p", before: 500_000_000n, after: null },
    { cell: "10:720p", before: null, after: 2_000_000_000n },
  ]);
});

test("a price that grows or shrinks tenfold stands out", () => {
  expect(isJump({ before: nanos(1n), after: nanos(10n) })).toBe(true);
  expect(isJump({ before: nanos(10n), after: nanos(1n) })).toBe(true);
  expect(isJump({ before: nanos(1n), after: nanos(0n) })).toBe(true);
  expect(isJump({ before: nanos(1n), after: nanos(9n) })).toBe(false);
  expect(isJump({ before: null, after: nanos(9n) })).toBe(false);
  expect(isJump({ before: nanos(0n), after: nanos(0n) })).toBe(false);
});
