import fc from "fast-check";
import { expect, test } from "vitest";
import { linesOf } from "./lines";

async function split(text: Buffer, size: number): Promise<string[]> {
  async function* chunks() {
    for (let at = 0; at < text.length; at += size) {
      yield text.subarray(at, at + size);
    }
  }
  const lines: string[] = [];
  for await (const line of linesOf(chunks())) {
    lines.push(line.toString("utf8"));
  }
  return lines;
}

test("lines end at \\n alone, however the text is cut", async () => {
  const line = fc.string({ unit: fc.constantFrom("a", "\r", "\u2028", "\u2029", "é", "\u{1f600}", "") });
  await fc.assert(
    fc.asyncProperty(fc.array(line), fc.integer({ min: 1, max: 9 }), async (lines, size) => {
      const text = Buffer.from(lines.map((item) => `${item}\n`).join(""));
      expect(await split(text, size)).toEqual(lines);
    }),
  );
});

test("a text after the last end of a line is a line too", async () => {
  expect(await split(Buffer.from("a\nb"), 2)).toEqual(["a", "b"]);
});
