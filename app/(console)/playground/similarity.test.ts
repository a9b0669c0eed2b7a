import fc from "fast-check";
import { expect, test } from "vitest";
import { cosine, linesOf } from "./similarity";

const vector = fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 3, maxLength: 3 });

test("a similarity is the same in both directions, and between -1 and 1", () => {
  fc.assert(
    fc.property(vector, vector, (left, right) => {
      const likeness = cosine(left, right);
      expect(likeness).toBeCloseTo(cosine(right, left), 9);
      expect(Math.abs(likeness)).toBeLessThanOrEqual(1 + 1e-9);
    }),
  );
});

test("a similarity depends on the vectors' direction, and not on their length", () => {
  expect(cosine([1, 2], [10, 20])).toBeCloseTo(1, 12);
  expect(cosine([1, 0], [0, 5])).toBe(0);
  expect(cosine([1, 1], [-1, -1])).toBeCloseTo(-1, 12);
  expect(cosine([0, 0], [1, 1])).toBe(0);
});

test("every line that is not blank is a text", () => {
  expect(linesOf(" a \n\n b c\r\n  \n")).toEqual(["a", "b c"]);
});
