import { expect, test } from "vitest";
import { looksLikeId, lowestId, madeAt, newId } from "./ids";

test("identifiers are made in their order, each once, however many of them in a millisecond", () => {
  const ids = Array.from({ length: 20_000 }, () => newId("req"));
  expect(ids).toEqual([...new Set(ids)].sort());
  expect(ids.every(looksLikeId)).toBe(true);
});

test("an identifier is a UUID of version 7, and tells when it was made", () => {
  const before = new Date();
  const id = newId("task");
  expect(id).toMatch(/^task_[0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}$/);
  expect(madeAt(id).getTime()).toBeGreaterThanOrEqual(before.getTime());
  expect(madeAt(id).getTime()).toBeLessThanOrEqual(Date.now());
  expect(lowestId("task", before) < id).toBe(true);
});

test("no two identifiers share the part of them that is not their order", () => {
  const tails = Array.from({ length: 5_000 }, () => newId("ses").slice(-10));
  expect(new Set(tails).size).toBe(tails.length);
});
