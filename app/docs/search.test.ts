import { expect, test } from "vitest";
import { excerptOf } from "./excerpt";
import { read } from "./headings";
import { searchDocs } from "./search";
import { sectionsOf } from "./sections";
import { wordsIn } from "./words";

test("a page is its beginning and its sections, with the text of tables, lists and code", () => {
  const text =
    "# Title\nIntro **bold**.\n\n## One\n| a | b |\n|---|---|\n| c | d |\n\n#### Deep\n- x\n- y\n\n## Two\n```sh\ncurl\n```\n<!-- no -->\n";
  expect(sectionsOf(read(text)).map(({ heading, text }) => [heading?.id ?? null, text])).toEqual([
    [null, "Intro bold."],
    ["one", "a · b\nc · d\nDeep\nx\ny"],
    ["two", "curl"],
  ]);
});

test("words are found in Chinese and in names of settings", () => {
  expect(wordsIn("每月价格 is MAX_KEYS")).toEqual(
    expect.arrayContaining(["每月", "价格", "is", "max_keys", "max", "keys"]),
  );
});

test("an excerpt begins near the first word that was found, and marks all", () => {
  const text = `${"word ".repeat(40)}Keys are hashed. ${"word ".repeat(60)}`;
  const pieces = excerptOf(text, ["keys", "hashed"]);
  expect(pieces.filter(({ isFound }) => isFound).map((piece) => piece.text)).toEqual(["Keys", "hashed"]);
  expect(pieces[0]?.text).toMatch(/^… word/);
  expect(pieces.map((piece) => piece.text).join("").length).toBeLessThan(230);
});

test("an excerpt of a section without the word is its beginning, and a term is no pattern", () => {
  expect(excerptOf("a.b", [])).toEqual([{ text: "a.b", isFound: false }]);
  expect(excerptOf("axb a.b", ["a.b"])).toEqual([
    { text: "axb ", isFound: false },
    { text: "a.b", isFound: true },
  ]);
});

test("a letter by itself is no word of a search", async () => {
  const [best] = await searchDocs("en", "restore a backup", 5);
  expect(best?.href).toMatch(/^\/docs\/backup/);
  expect(best?.excerpt.filter(({ isFound }) => isFound).map(({ text }) => text)).not.toContain("a");
});
