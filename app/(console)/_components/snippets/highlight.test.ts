import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { piecesOf } from "./highlight";

const kindsIn = (code: string, language: string) =>
  piecesOf(code, language).flatMap(({ text, kind }) => (kind === null ? [] : [[kind, text]]));

test("comments, texts, names and numbers have their colours", () => {
  expect(kindsIn('curl "$URL" # all', "sh")).toEqual([
    ["keyword", "curl"],
    ["string", '"$URL"'],
    ["comment", "# all"],
  ]);
  expect(kindsIn("return `a` // 1", "ts")).toEqual([
    ["keyword", "return"],
    ["string", "`a`"],
    ["comment", "// 1"],
  ]);
  expect(kindsIn('x["a\\"b"] = 12', "python")).toEqual([
    ["string", '"a\\"b"'],
    ["number", "12"],
  ]);
});

test("an address in a text begins no comment, and an anchor in a shell begins none either", () => {
  expect(kindsIn('"http://a"', "go")).toEqual([["string", '"http://a"']]);
  expect(kindsIn("echo a#b", "sh")).toEqual([]);
});

test("the pieces of every example of the documentation add up to it", () => {
  const examples = globSync("docs/**/*.md").flatMap((file) => [
    ...readFileSync(file, "utf8").matchAll(/^```(\w+)\n([\s\S]*?)^```/gm),
  ]);
  expect(examples.length).toBeGreaterThan(100);
  for (const [, language = "", code = ""] of examples) {
    const text = piecesOf(code, language)
      .map((piece) => piece.text)
      .join("");
    expect(text).toBe(code);
  }
});
