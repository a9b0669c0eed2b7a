import { expect, test } from "vitest";
import { draftOf, editOf, newRow, noProblems, problemsOf, termsOf } from "./group-draft";

const group = { name: "resellers", factor: "0.8", models: [{ modelId: "m", factor: "0.75" }] };
const draft = draftOf(group);

test("a group has a name and a factor above 0, up to 1000 with six decimals", () => {
  expect(problemsOf(draft)).toEqual(noProblems);
  expect(problemsOf(draftOf(null))).toEqual({ ...noProblems, name: "nameMissing", factor: "factorWrong" });
  expect(problemsOf({ ...draft, factor: " 1000 " })).toEqual(noProblems);
  for (const factor of ["0", "-1", "1000.1", "0.1234567", "80%", "0,8"]) {
    expect(problemsOf({ ...draft, factor })).toEqual({ ...noProblems, factor: "factorWrong" });
  }
});

test("each row needs a factor and a model that no other row has, and a blank row is ignored", () => {
  const blank = newRow(draft.models);
  expect(problemsOf({ ...draft, models: [...draft.models, blank] })).toEqual(noProblems);
  const rows = [{ factor: "2" }, { modelId: "m", factor: "2" }, { modelId: "other" }];
  const models = [...draft.models, ...rows.map((row, index) => ({ ...blank, ...row, key: index + 1 }))];
  expect([...problemsOf({ ...draft, models }).models]).toEqual([
    [1, "modelMissing"],
    [2, "modelTwice"],
    [3, "factorWrong"],
  ]);
});

test("the server gets all fields of a new group, and the changed fields of an existing one", () => {
  const typed = { ...draft, name: " resellers ", models: [...draft.models, newRow(draft.models)] };
  expect(termsOf(typed)).toEqual(group);
  expect(editOf(typed, draft)).toEqual({});
  expect(editOf({ ...typed, factor: "0.9" }, draft)).toEqual({ factor: "0.9" });
  expect(editOf({ ...typed, models: [] }, draft)).toEqual({ models: [] });
});
