import { expect, test } from "vitest";
import { reviewRules } from "@/server/access/keys/allow-list-review";
import { editRules, findAllowing, isPrivate, type Rules, startRules, storedRules } from "./rules";

const texts = ({ rows }: Rules) => rows.map(({ text }) => text);
const focused = ({ rows, focus }: Rules) => rows.find(({ id }) => id === focus.id)?.text;
const three = () => startRules(["a", "b", "c"]);

test("many rules that are pasted into a row become rows in its place, and the last one gets the focus", () => {
  const [, second] = three().rows;
  const rules = editRules(three(), { type: "write", id: second?.id ?? 0, text: "x, y\nz" });
  expect(texts(rules)).toEqual(["a", "x", "y", "z", "c"]);
  expect(focused(rules)).toBe("z");
  expect(new Set(rules.rows.map(({ id }) => id)).size).toBe(5);
});

test("a text in a row stays as it is typed", () => {
  const [first] = three().rows;
  expect(texts(editRules(three(), { type: "write", id: first?.id ?? 0, text: "10. " }))).toEqual([
    "10. ",
    "b",
    "c",
  ]);
});

test("a neighbour gets the focus if a row is removed, unless it was the last row", () => {
  const removed = (index: number) =>
    editRules(three(), { type: "remove", ids: [three().rows[index]?.id ?? 0] });
  expect(focused(removed(0))).toBe("b");
  expect(focused(removed(1))).toBe("c");
  expect(focused(removed(2))).toBe("b");
  expect(editRules(three(), { type: "remove", ids: [1, 2, 3] }).focus.id).toBeNull();
});

test("rows keep their identity, and new ones get a new one", () => {
  const rules = editRules(editRules(three(), { type: "remove", ids: [3] }), { type: "append", texts: ["d"] });
  expect(rules.rows.map(({ id }) => id)).toEqual([1, 2, 4]);
  expect(editRules(rules, { type: "replace", texts: ["e"] }).rows).toEqual([{ id: 5, text: "e" }]);
});

test("each readable rule is stored once, in its canonical form", () => {
  const review = reviewRules(["10.0.0.5/8", "", "x", "10.0.0.0/8", "10.1.1.1"]);
  expect(storedRules(review)).toEqual(["10.0.0.0/8", "10.1.1.1"]);
});

test("the first row that allows an address is found", () => {
  const review = reviewRules(["x", "192.0.2.1", "10.0.0.0/8", "10.0.0.1"]);
  expect(findAllowing(review, "10.0.0.1")).toBe(2);
  expect(findAllowing(review, "::1")).toBe(-1);
});

test.each([
  ["127.0.0.1", true],
  ["::ffff:192.168.1.1", true],
  ["fd00::1", true],
  ["203.0.113.7", false],
  ["2001:db8::1", false],
])("%s is private: %s", (address, expected) => {
  expect(isPrivate(address)).toBe(expected);
});
