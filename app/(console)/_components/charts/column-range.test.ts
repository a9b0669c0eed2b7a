import { expect, test } from "vitest";
import { boundsOf, columnAt, isInPlot, moved } from "./column-range";

const plot = { left: 100, width: 300 };

test("a place belongs to the column that is drawn there, and beside the plot to the outermost one", () => {
  const places = [100, 199, 200, 399, 400, 20];
  expect(places.map((x) => columnAt(x, plot, 3))).toEqual([0, 0, 1, 2, 2, 0]);
  expect(places.map((x) => isInPlot(x, plot))).toEqual([true, true, true, true, false, false]);
});

test("arrow keys move, keys with Shift mark more, and none of them leaves the chart", () => {
  const move = (range: { anchor: number; end: number }, key: string, isWider: boolean) =>
    moved(range, key, { isWider, count: 5 });
  expect(move({ anchor: 4, end: 4 }, "ArrowLeft", false)).toEqual({ anchor: 3, end: 3 });
  expect(move({ anchor: 4, end: 4 }, "ArrowLeft", true)).toEqual({ anchor: 4, end: 3 });
  expect(move({ anchor: 4, end: 3 }, "Home", true)).toEqual({ anchor: 4, end: 0 });
  expect(move({ anchor: 4, end: 0 }, "ArrowRight", false)).toEqual({ anchor: 1, end: 1 });
  expect(move({ anchor: 0, end: 0 }, "ArrowDown", true)).toEqual({ anchor: 0, end: 0 });
  expect(move({ anchor: 1, end: 3 }, "End", false)).toEqual({ anchor: 4, end: 4 });
  expect(move({ anchor: 1, end: 3 }, "Tab", true)).toBeNull();
});

test("a range that was marked to the left is read from left to right", () => {
  expect(boundsOf({ anchor: 4, end: 2 })).toEqual({ first: 2, last: 4 });
});
