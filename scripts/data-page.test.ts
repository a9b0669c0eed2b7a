import { readFileSync } from "node:fs";
import { getTableName } from "drizzle-orm";
import { expect, test } from "vitest";
import * as schema from "@/server/db/schema";

const [page = ""] = readFileSync("docs/data.md", "utf8").split("Not in a table:");
const rows = [...page.matchAll(/^\| `([a-z_]+)` \|(.*)\|$/gm)].map(([, table = "", cells = ""]) => {
  const [what = "", isPersonal = "", howLong = "", erasedBy = ""] = cells
    .split(" | ")
    .map((cell) => cell.trim());
  return { table, what, isPersonal, howLong, erasedBy };
});
const tables = Object.values(schema).map((table) => getTableName(table));

test("docs/data.md has a row for every table of the schema, and no other", () => {
  expect(rows.map(({ table }) => table).sort()).toEqual(tables.sort());
});

test("each row says what the table contains, whether it is personal data, how long it is kept, and what erases it", () => {
  for (const { table, ...row } of rows) {
    expect(row, table).toEqual({
      what: expect.stringMatching(/\w/),
      isPersonal: expect.stringMatching(/^(yes|no)\b/),
      howLong: expect.stringMatching(/\w/),
      erasedBy: expect.stringMatching(row.isPersonal === "yes" ? /\w/ : /./),
    });
  }
});
