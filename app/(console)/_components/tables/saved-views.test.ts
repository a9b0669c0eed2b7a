import { expect, test } from "vitest";
import { formatViews, parseViews, type SavedView, withView } from "./saved-views";

const failed: SavedView = { name: "Failed; today, “网站”", search: "?status=failed&range=day" };
const dear: SavedView = { name: "Dear", search: "?sort=-cost" };

test("views are read as they were written", () => {
  expect(parseViews(formatViews([failed, dear]))).toEqual([failed, dear]);
});

test.each(["", "%", "nonsense", "{}", '[1,["a"],["a",2],["a","b","c"]]'])(
  "a text of another form has no views: %s",
  (text) => {
    expect(parseViews(text)).toEqual([]);
  },
);

test("a view replaces the one of its name", () => {
  const again = { name: "Dear", search: "?sort=-cost&model=a" };
  expect(withView([dear, failed], again)).toEqual([failed, again]);
});

test("there are at most twelve views", () => {
  const twelve = Array.from({ length: 12 }, (_, at) => ({ name: `view ${at}`, search: "?status=ok" }));
  expect(withView(twelve, dear)).toBeNull();
  expect(withView(twelve, { name: "view 3", search: "" })).toHaveLength(12);
});
