import { expect, test } from "vitest";
import { formatMoney, nanos } from "@/server/base/money";
import { byField, emptySheet } from "@/server/pricing";
import { emptyDraft } from "./model-draft";
import { isJump, previewCalls, previewVideos, sheetOf } from "./preview";

const draft = { ...emptyDraft("m"), inputPrice: "2", outputPrice: "8" };

test("an empty price of the cache is inherited", () => {
  const two = 2_000_000_000n;
  const resolved = (edit: Partial<typeof draft>) => byField(sheetOf({ ...draft, ...edit }) ?? emptySheet);
  expect(resolved({})).toMatchObject({ cacheRead: two, cacheWrite: two, cacheWrite1h: two });
  const priced = resolved({ cacheWritePrice: "3" });
  expect(priced).toMatchObject({ cacheRead: two, cacheWrite: 3_000_000_000n, cacheWrite1h: 3_000_000_000n });
  expect(sheetOf({ ...draft, inputPrice: "" })).toBeNull();
  expect(sheetOf({ ...draft, cacheReadPrice: "1,2" })).toBeNull();
});

test("the preview shows a typical call before and after the change", () => {
  const cached = { ...draft, cacheReadPrice: "0.2" };
  const long = previewCalls(cached, draft).find(({ name }) => name === "longCall");
  expect(long && [long.before, long.after].map((amount) => formatMoney(amount ?? nanos(0n)))).toEqual([
    "0.048",
    "0.0156",
  ]);
});

test("the preview of videos shows only changes, with added and removed prices", () => {
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

test("a price that grows or shrinks tenfold is a jump", () => {
  expect(isJump({ before: nanos(1n), after: nanos(10n) })).toBe(true);
  expect(isJump({ before: nanos(10n), after: nanos(1n) })).toBe(true);
  expect(isJump({ before: nanos(1n), after: nanos(0n) })).toBe(true);
  expect(isJump({ before: nanos(1n), after: nanos(9n) })).toBe(false);
  expect(isJump({ before: null, after: nanos(9n) })).toBe(false);
  expect(isJump({ before: nanos(0n), after: nanos(0n) })).toBe(false);
});
