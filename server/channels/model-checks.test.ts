import { expect, test } from "vitest";
import { compare as compareLists } from "./model-checks";

const listing = (...names: string[]) =>
  names.map((name) => ({ name, kind: null, contextWindow: null, maxOutputTokens: null, prices: null }));

const compare = (lists: Omit<Parameters<typeof compareLists>[0], "isWhole" | "gone">) =>
  compareLists({ ...lists, isWhole: true, gone: [] });

const served = { mine: "theirs", other: "other" };

test("the first list is known, and says only which served models it lacks", () => {
  const found = compare({ dialect: "openai", listed: listing("theirs", "a"), known: null, served });
  expect(found).toEqual({ knownModels: ["theirs", "a", "other"], newModels: [], goneModels: ["other"] });
});

test("a model is new unless it was seen, is served, or the channel has no calls for it", () => {
  const listed = listing("theirs", "a", "b", "gpt-realtime", "text-embedding-9");
  const known = ["a", "other"];
  expect(compare({ dialect: "openai", listed, known, served }).newModels).toEqual(["b", "text-embedding-9"]);
  expect(compare({ dialect: "anthropic", listed, known, served }).newModels).toEqual(["b"]);
});

test("a served model that an operator has seen as gone is reported again only after it was listed again", () => {
  const check = (listed: string[], known: string[]) =>
    compare({ dialect: "openai", listed: listing(...listed), known, served: { mine: "theirs" } });
  expect(check([], ["theirs"]).goneModels).toEqual(["theirs"]);
  const seen = check([], []);
  expect(seen.goneModels).toEqual([]);
  const again = check(["theirs"], seen.knownModels);
  expect(again).toMatchObject({ newModels: [], knownModels: ["theirs"] });
  expect(check([], again.knownModels).goneModels).toEqual(["theirs"]);
});

test("by a list that was cut no model is gone that was not before, and no gone one is back unless it is listed", () => {
  const check = (gone: string[]) =>
    compareLists({
      dialect: "openai",
      listed: listing("a", "b"),
      isWhole: false,
      known: ["a"],
      gone,
      served,
    });
  expect(check([])).toMatchObject({ newModels: ["b"], goneModels: [] });
  expect(check(["theirs", "a"]).goneModels).toEqual(["theirs"]);
});
