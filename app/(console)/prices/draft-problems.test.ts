import { expect, test } from "vitest";
import { priceProblem, problemsOf } from "./draft-problems";
import { emptyDraft } from "./model-draft";

test.each([
  ["", null],
  [" 0.000000001 ", null],
  ["999999.999999999", null],
  ["1,5", "notANumber"],
  ["1e3", "notANumber"],
  ["-1", "negative"],
  ["0.0000000001", "decimals"],
  ["1000000", "high"],
  ["99999999999999", "high"],
] as const)("the problem of the price %j is %s", (text, problem) => {
  expect(priceProblem(text)).toBe(problem);
});

test("each wrong field has its problem", () => {
  const numbers = { maxOutputTokens: "-1", hedgeAfterMs: "99", contextWindow: "0", cacheReadPrice: "x" };
  const draft = { ...emptyDraft(" "), ownedBy: "", ...numbers };
  expect(problemsOf(draft)).toMatchObject({
    prices: { inputPrice: "missing", outputPrice: "missing", cacheReadPrice: "notANumber" },
    ...{ id: "idMissing", ownedBy: "ownedBy", maxOutputTokens: "maxOutputTokens" },
    ...{ hedgeAfterMs: "hedgeAfterMs", contextWindow: "contextWindow" },
  });
  const grid = { ...emptyDraft("v"), kind: "video" as const, videoPrices: { "5:720p": "-1" } };
  expect([...problemsOf(grid).videoPrices]).toEqual([["5:720p", "negative"]]);
});
