/** The input of a custom tool from a function's arguments, in any pieces. */
import { describe, expect, test } from "vitest";
import { atOnce } from "@/server/base/turns";
import { FreeText, freeTextOf } from "./free-text";

/** The input text for arguments that come in these pieces. */
function textsOf(pieces: string[]): string[] {
  const text = new FreeText();
  return [...pieces.map((piece) => text.read(piece)), text.rest()];
}

const input = '*** "Begin"\\\\u12\\\n\u0001 déjà 你好 \ud83d\ude00 \\';
const escaped = JSON.stringify({ input }).replace(/[^\x20-\x7e]/g, (unit) => {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
});

describe.each([
  ["plain", JSON.stringify({ input })],
  ["in escapes", escaped],
  ["with space and another argument", `\n{ "input" : ${escaped.slice(9, -1)} , "more": "\\"" }`],
])("the input of a custom tool, written %s", (_how, args) => {
  test("is the same wherever it is cut, and no piece of it has half a character", () => {
    const cuts = [...args].map((_, place) => [args.slice(0, place), args.slice(place)]);
    for (const pieces of [...cuts, args.split("")]) {
      const output = textsOf(pieces);
      expect(output.join("")).toBe(input);
      expect(output.filter((piece) => /\p{Surrogate}/u.test(piece))).toEqual([]);
    }
  });
});

test("each piece of the input goes out as soon as it is known", () => {
  expect(textsOf(['{"input":"*** Be', "gin\\", "n+ a", '"', "}"])).toEqual([
    "*** Be",
    "gin",
    "\n+ a",
    "",
    "",
    "",
  ]);
});

test.each([
  ["an input after another argument", '{"a":1,"input":"x"}', "x"],
  ["an escape in the input's name", '{"inp\\u0075t":"x"}', "x"],
  ["no text", '{"input":{"a":1}}', '{"input":{"a":1}}'],
  ["no input", '{"text":"x"}', '{"text":"x"}'],
  ["no JSON", "*** Begin", "*** Begin"],
  ["nothing", "", ""],
  ["an input that is cut off", '{"input":"*** Be\\u00', "*** Be"],
  ["an unknown escape", '{"input":"\\d+\\n"}', "\\d+\\n"],
])("arguments with %s become the input's text, or stay as they are", (_what, args, expected) => {
  expect(atOnce(freeTextOf(args))).toBe(expected);
  expect(textsOf([args]).join("")).toBe(expected);
});
