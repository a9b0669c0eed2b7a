import { expect, test } from "vitest";
import { isShown, type Room, withColumn, withUsualColumns } from "./choose-columns";
import { type ChoosableColumn, chosenColumns, isOptional } from "./chosen-columns";
import { formatLook, parseLook } from "./table-look";

const name: ChoosableColumn = { id: "name", header: "Name", isRowHeader: true };
const used: ChoosableColumn = { id: "used", header: "Used" };
const created: ChoosableColumn = { id: "created", header: "Created", from: "wide", onPhone: "hidden" };
const quota: ChoosableColumn = { id: "quota", header: "Quota", from: "medium" };
const actions: ChoosableColumn = { id: "actions", header: null };
const choose: ChoosableColumn = { id: "choose", header: "Select", isKept: true };
const all = [choose, name, used, quota, created, actions];

const lookOf = (cookie?: string) => ({ table: "accounts" as const, look: parseLook(cookie) });
const idsOf = (columns: ChoosableColumn[]) => columns.map(({ id }) => id);

test("a cookie is written as it was read", () => {
  for (const cookie of ["", "compact", "compact|-requests.tokens|+requests.id", "+accounts.created"]) {
    expect(formatLook(parseLook(cookie))).toBe(cookie);
  }
  expect(parseLook()).toEqual({ isCompact: false, columns: new Map() });
});

test.each([
  "dense",
  "*requests.tokens",
  "+requests",
  "+a.b.c",
  "-__proto__.x",
  "+requests.<b>",
  `+requests.${"x".repeat(21)}`,
])("%s in a cookie is left out", (part) => {
  expect(formatLook(parseLook(`${part}|-accounts.used`))).toBe("-accounts.used");
});

test("a long cookie is read to its hundredth choice", () => {
  const letters = Array.from(
    { length: 400 },
    (_, at) => `+a.${"x".repeat(1 + (at % 20))}${at % 2 ? "y" : ""}`,
  );
  expect(parseLook(letters.join("|")).columns.size).toBeLessThanOrEqual(101);
});

test("a row's name, its actions and its checkbox cannot be hidden", () => {
  expect(idsOf(all.filter(isOptional))).toEqual(["used", "quota", "created"]);
  expect(idsOf(chosenColumns(all, lookOf("-accounts.name|-accounts.actions|-accounts.choose")))).toEqual(
    idsOf(all),
  );
});

test("without a choice a column is shown where the window has room", () => {
  const shownIn = (room: Room) => idsOf([used, quota, created].filter((one) => isShown(one, room, lookOf())));
  expect(shownIn("phone")).toEqual(["used", "quota"]);
  expect(shownIn("narrow")).toEqual(["used"]);
  expect(shownIn("medium")).toEqual(["used", "quota"]);
  expect(shownIn("wide")).toEqual(["used", "quota", "created"]);
  expect(chosenColumns(all, lookOf())).toEqual(all);
});

test("a hidden column is gone, and a chosen one is on every window", () => {
  const columns = chosenColumns(all, lookOf("-accounts.used|+accounts.created|-keys.quota"));
  expect(idsOf(columns)).toEqual(["choose", "name", "quota", "created", "actions"]);
  const shown = columns.find(({ id }) => id === "created");
  expect([shown?.from, shown?.onPhone]).toEqual([undefined, undefined]);
});

test("a second choice of a column ends the first, so that windows decide again", () => {
  const before = lookOf("compact|-keys.used");
  const hidden = withColumn({ column: used, room: "wide", willShow: false }, before);
  expect(formatLook(hidden)).toBe("compact|-keys.used|-accounts.used");
  const again = { column: used, room: "wide", willShow: true } as const;
  expect(withColumn(again, { table: "accounts", look: hidden })).toEqual(before.look);
  const shown = withColumn({ column: created, room: "narrow", willShow: true }, before);
  expect(formatLook(shown)).toBe("compact|-keys.used|+accounts.created");
  // On a window that has room for it anyway, it is hidden.
  const hiddenOnWide = { column: created, room: "wide", willShow: false } as const;
  expect(formatLook(withColumn(hiddenOnWide, { table: "accounts", look: shown }))).toBe(
    "compact|-keys.used|-accounts.created",
  );
});

test("the usual columns return without touching other tables or the density", () => {
  const look = withUsualColumns(lookOf("compact|-keys.used|-accounts.used|+accounts.created"));
  expect(formatLook(look)).toBe("compact|-keys.used");
});
