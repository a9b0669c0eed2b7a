import fc from "fast-check";
import { expect, test } from "vitest";
import { ArgumentsScan } from "./arguments-scan";

const stateOf = (...fragments: string[]) => {
  const scan = new ArgumentsScan();
  for (const fragment of fragments) {
    scan.read(fragment);
  }
  return scan.state;
};

test("an object is complete at its last brace, and not before", () => {
  const objects = fc.dictionary(fc.string(), fc.jsonValue());
  fc.assert(
    fc.property(objects, fc.nat(), (object, place) => {
      const text = JSON.stringify(object);
      const cut = place % text.length;
      expect(stateOf(text.slice(0, cut))).toBe(cut === 0 ? "blank" : "inside");
      expect(stateOf(text.slice(0, cut), text.slice(cut))).toBe("complete");
    }),
  );
});

test.each([
  [["", " \n"], "blank"],
  [["null"], "broken"],
  [['"{}"'], "broken"],
  [["[]"], "broken"],
  [["{}", " \n"], "complete"],
  [["{}", "{}"], "broken"],
  [['{"a":"\\', '"}'], "inside"],
  [['{"a":"}{', '"}'], "complete"],
])("%j is %s", (fragments, state) => {
  expect(stateOf(...fragments)).toBe(state);
});
