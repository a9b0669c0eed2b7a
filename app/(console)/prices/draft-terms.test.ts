import { expect, test } from "vitest";
import { branded } from "@/tests/support/branded";
import { hasProblems } from "../_forms/problems";
import type { ModelDetail } from "./catalog";
import { problemsOf } from "./draft-problems";
import { editOf, modelOf } from "./draft-terms";
import { draftOf, emptyDraft, gridOf } from "./model-draft";

const chat: ModelDetail = {
  ...{ id: "m", kind: "chat", ownedBy: "us", isEnabled: true, isFree: false, maxOutputTokens: 4096 },
  ...{ routing: "weight", hedgeAfterMs: null, inputPrice: branded("1.5"), outputPrice: branded("3") },
  ...{ cacheReadPrice: branded("0.15"), cacheWritePrice: null, cacheWrite1hPrice: null, videoPrices: [] },
  ...{ contextWindow: 128_000, inputModalities: ["text"], outputModalities: null },
  ...{ hasTools: true, hasThinking: null, unitPrices: [], conditionalPrices: [] },
};
const video: ModelDetail = {
  ...chat,
  kind: "video",
  videoPrices: [{ durationSeconds: 5, resolution: "720p", price: branded("0.5") }],
};

test("an untouched form, or one with the same values in another form, changes nothing", () => {
  const before = draftOf(chat);
  expect(editOf(before, before)).toEqual({});
  expect(editOf({ ...before, inputPrice: " 1.50 " }, before)).toEqual({});
  expect(hasProblems(problemsOf(before))).toBe(false);
});

test("only changed fields are sent, and an emptied price of the cache is inherited again", () => {
  const before = draftOf(chat);
  expect(editOf({ ...before, cacheReadPrice: "", outputPrice: "4" }, before)).toEqual({
    cacheReadPrice: null,
    outputPrice: "4",
  });
});

test("an emptied combination of a video is no longer sold", () => {
  const before = draftOf(video);
  const draft = { ...before, videoPrices: { "5:720p": "", "10:1080p": "2.10" } };
  expect(editOf(draft, before)).toEqual({
    videoPrices: [{ durationSeconds: 10, resolution: "1080p", price: "2.1" }],
  });
});

test("a combination that clients cannot ask for stays in the grid if it has a price", () => {
  const grid = gridOf({ ...draftOf(video), videoPrices: { "8:4k": "1" } });
  expect(grid).toEqual({ durations: [5, 10, 15, 8], resolutions: ["480p", "720p", "1080p", "4k"] });
});

test("the owner of a new model may be left to the server, and that of an existing model may not", () => {
  const draft = { ...emptyDraft("m"), inputPrice: "1", outputPrice: "2" };
  expect(draft.ownedBy).toBe("");
  expect(hasProblems(problemsOf(draft, true))).toBe(false);
  expect(modelOf(draft)).not.toHaveProperty("ownedBy");
  expect(modelOf({ ...draft, ownedBy: " us " })).toMatchObject({ ownedBy: "us" });
  expect(problemsOf({ ...draft, ownedBy: "x".repeat(101) }, true)).toMatchObject({ ownedBy: "ownedBy" });
  expect(problemsOf({ ...draftOf(chat), ownedBy: " " })).toMatchObject({ ownedBy: "ownedBy" });
});

test("the longest answer of a new model may be left to the server, and that of an existing model may not", () => {
  const draft = { ...emptyDraft("m"), inputPrice: "1", outputPrice: "2" };
  expect(hasProblems(problemsOf(draft, true))).toBe(false);
  expect(modelOf(draft)).not.toHaveProperty("maxOutputTokens");
  expect(problemsOf({ ...draftOf(chat), maxOutputTokens: "" })).toMatchObject({
    maxOutputTokens: "maxOutputTokens",
  });
});

test("a model is sent only with the fields of its kind", () => {
  expect(modelOf({ ...emptyDraft("e"), kind: "embedding", inputPrice: "0.1", outputPrice: "9" })).toEqual({
    ...{ id: "e", kind: "embedding", isEnabled: true, routing: "weight" },
    ...{ isFree: false, inputPrice: "0.1", contextWindow: null },
  });
});

test("a row with a condition is sent with the other prices, and an unknown name is refused", () => {
  const before = draftOf(chat);
  const rows = (...units: string[]) => ({
    ...before,
    unitPrices: units.map((unit, key) => ({ key, unit, price: "2" })),
  });
  expect(editOf(rows("input@200k", "web_search"), before)).toEqual({
    unitPrices: [{ unit: "web_search", price: "2" }],
    conditionalPrices: [{ name: "input@200k", price: "2" }],
  });
  expect(hasProblems(problemsOf(rows("input@200k", "request@priority")))).toBe(false);
  expect(hasProblems(problemsOf(rows("input@soon")))).toBe(true);
  expect(hasProblems(problemsOf(rows("input")))).toBe(true);
});
