import { expect, test } from "vitest";
import { inLatin } from "./latin.mjs";

test("a program in Latin-1 means what it meant", () => {
  const text =
    "({ text: '…é😀中', matches: /^[一-龥…]+$/u.test('中…'), template: `→1`, escaped: '\\\\…\\中' })";
  const latin = inLatin(text);
  expect(latin).not.toMatch(/[\u0100-\uffff]/);
  // biome-ignore lint/security/noGlobalEval: the text is a program.
  expect(eval(latin)).toEqual({ text: "…é😀中", matches: true, template: "→1", escaped: "\\…中" });
});
