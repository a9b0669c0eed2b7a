import { expect, test } from "vitest";
import type { ReplyBody } from "./adapter";
import { readLongText, readText, textOf } from "./body";

/** A body that comes in pieces, or has arrived. */
const bodyOf = (pieces: Uint8Array[], hasArrived: boolean): ReplyBody => ({
  ...(hasArrived && { arrived: () => pieces }),
  [Symbol.asyncIterator]: async function* () {
    yield* pieces;
  },
});

const bytes = Buffer.from("\ufeffgrün 🙂");
const texts: Record<string, Uint8Array[]> = {
  "in one piece": [bytes],
  "in pieces that split its characters": [...bytes].map((byte) => Uint8Array.of(byte)),
  "that is empty": [],
  "that is no UTF-8": [Uint8Array.of(0x61, 0xff)],
};

test.each(Object.entries(texts))(
  "a text %s is read the same, whether it has arrived or is arriving",
  async (_, pieces) => {
    const whole = textOf(bodyOf(pieces, true), 100);
    expect(whole).toBeTypeOf("string");
    expect(whole).toBe(await textOf(bodyOf(pieces, false), 100));
    expect(whole).toBe(await readText(bodyOf(pieces, true), 100));
  },
);

test("a long text stays in parts", async () => {
  const pieces = Array.from({ length: 20 }, (_, each) => Buffer.alloc(100_000, String(each % 10)));
  const parts = await readLongText(bodyOf(pieces, false), 3_000_000);
  expect(parts).toHaveLength(21);
  expect([...parts].join("")).toBe(await readText(bodyOf(pieces, false), 3_000_000));
});

test("a text that is larger than allowed is malformed, whether it has arrived or is arriving", async () => {
  const pieces = [Buffer.alloc(60), Buffer.alloc(41)];
  const malformed = expect.objectContaining({ reason: "malformed" });
  expect(() => textOf(bodyOf(pieces, true), 100)).toThrow(malformed);
  await expect(textOf(bodyOf(pieces, false), 100)).rejects.toEqual(malformed);
});
