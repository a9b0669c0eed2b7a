import { expect, test } from "vitest";
import { formatViews, MAX_NAME, parseViews, type SavedView, withView } from "./saved-views";

const failed: SavedView = { name: "Failed; today, “网站”", search: "?status=failed&range=day" };
const dear: SavedView = { name: "Dear", search: "?sort=-cost" };

test("views are read as they were written, and a cookie has no character that would end it", () => {
  const cookie = formatViews([failed, dear]);
  expect(parseViews(cookie)).toEqual([failed, dear]);
  expect(cookie).toMatch(/^[\w%.!~*'()-]+$/);
});

test.each(["", "%", "nonsense", "%7B%7D", encodeURIComponent('[1,["a"],["a",2],["a","b","c"]]')])(
  "a cookie of another form has no views: %s",
  (cookie) => {
    expect(parseViews(cookie)).toEqual([]);
  },
);

test("a view replaces the one of its name", () => {
  const again = { name: "Dear", search: "?sort=-cost&model=a" };
  expect(withView([dear, failed], again)).toEqual([failed, again]);
});

test("there are at most twelve views, and no more than a small cookie holds", () => {
  const twelve = Array.from({ length: 12 }, (_, at) => ({ name: `view ${at}`, search: "?status=ok" }));
  expect(withView(twelve, dear)).toBeNull();
  expect(withView(twelve, { name: "view 3", search: "" })).toHaveLength(12);
  const long = (at: number) => ({ name: `${at}${"图".repeat(MAX_NAME - 1)}`, search: "" });
  expect(withView([0, 1, 2, 3].map(long), long(4))).toHaveLength(5);
  expect(withView([0, 1, 2, 3, 4, 5].map(long), long(6))).toBeNull();
});
