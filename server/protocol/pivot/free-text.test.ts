/** The input of a custom tool from a function's arguments, in any pieces. */
import { describe, expect, test } from "vitest";
import { atOnce } from "@/server/base/turns";
import { FreeText, freeTextOf } from "./free-text";

/** The input text for arguments that come in these pieces. */
function saidOf(pieces: string[]): string[] {
  const text = new FreeText();
  return [...pieces.map((piece) => text.read(piece)), text.rest()];
}

const input = '*** "Begin"\\\\u12\\\n\u0001 déjà 你好 \ud83d\ude00 \\';
const escaped = JSON.stringify({ input }).replace(/[^\x20-\x7e]/g, (unit) => {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
});

describe.each([
  ["as it is", JSON.stringify({ input })],
  ["in escapes", escaped],
  ["with space and another argument", `\n{ "input" : ${escaped.slice(9, -1)} , "more": "\\"" }`],
])("%s", (_how, args) => {
  test("is the same wherever it is cut, and no piece of it has half a character", () => {
    const cuts = [...args].map((_, place) => [args.slice(0, place), args.slice(place)]);
    for (const pieces of [...cuts, args.split("")]) {
      const output = saidOf(pieces);
      expect(output.join("")).toBe(input);
      expect(output.filter((piece) => /\p{Surrogate}/u.test(piece))).toEqual([]);
    }
  });
});

test("what can be said is said at once", () => {
  expect(saidOf(['{"input":"*** Be', "gin\\", "n+ a", '"', "}"])).toEqual([
    "*** Be",
    "gin",
    "\n+ a",
    "",
    "",
    "",
  ]);
});

test.each([
  ["an input behind another argument", '{"a":1,"input":"x"}', "x"],
  ["another name for it", '{"inp\\u0075t":"x"}', "x"],
  ["no text", '{"input":{"a":1}}', '{"input":{"a":1}}'],
  ["no input", '{"text":"x"}', '{"text":"x"}'],
  ["no JSON", "*** Begin", "*** Begin"],
  ["nothing", "", ""],
  ["an input that is cut off", '{"input":"*** Be\\u00', "*** Be"],
  ["an escape that is none", '{"input":"\\d+\\n"}', "\\d+\\n"],
])("arguments with %s", (_what, args, expected) => {
  expect(atOnce(freeTextOf(args))).toBe(expected);
  expect(saidOf([args]).join("")).toBe(expected);
});
