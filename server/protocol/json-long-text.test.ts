import fc from "fast-check";
import { expect, test } from "vitest";
import { atOnce } from "@/server/base/turns";
import { decodeInSteps } from "./json-long-text";

const PIECE = 256 * 1024;
const decode = (written: string) => atOnce(decodeInSteps(written, 1, written.length - 1));

test("a text is decoded as the engine decodes it, wherever its pieces end", () => {
  const part = fc.constantFrom("a", "\n", "\\", "\\\\", '"', "\u0001", "é", "😀", "\ud83d", "ab");
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), fc.integer({ min: -40, max: 8 }), (parts, place) => {
      const text = "x".repeat(PIECE + place) + parts.join("") + "y".repeat(PIECE);
      expect(decode(JSON.stringify(text))).toBe(text);
    }),
  );
});

test.each(['"\\x"', '"a\nb"', '"\\u12"', '"\\"'])("%j is no text", (written) => {
  const long = `"${"x".repeat(PIECE)}${written.slice(1)}`;
  expect(() => decode(long)).toThrow(SyntaxError);
});
