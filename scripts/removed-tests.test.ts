import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const page = readFileSync("docs/removed-tests.md", "utf8");
const rows = page
  .split("\n")
  .filter((line) => /^\| (?!deleted |---)/.test(line))
  .map((line) => line.split("|").map((cell) => cell.trim()));

const isLiteral = (path: string, text: string) =>
  existsSync(path) &&
  ['"', "'", "`"].some((quote) => readFileSync(path, "utf8").includes(quote + text + quote));

/** The files and the quoted names of a cell: each name belongs to the last file before it. */
function mentions(cell: string): { path: string; name: string | null }[] {
  let path = "";
  return [...cell.matchAll(/`([^`\s]+\.(?:tsx?|md))`|"([^"]+)"/g)].map(([, file, name = null]) => {
    path = file ?? path;
    return { path, name };
  });
}

const replacements = rows.flatMap(([, , , holder = ""]) => mentions(holder));

test("a row has three cells, and its last one names a file in backticks", () => {
  expect(rows.length).toBeGreaterThan(0);
  expect(
    rows.filter((cells) => cells.length !== 5 || !cells[1] || !mentions(cells[3] ?? "")[0]?.path),
  ).toEqual([]);
});

test("each quotation mark is closed, and each test file is in backticks", () => {
  const odd = rows.filter(([, , , holder = ""]) => {
    const bare = holder.replaceAll(/`[^`]+`|"[^"]+"/g, "");
    return /["`]|\.test\.tsx?/.test(bare);
  });
  expect(odd).toEqual([]);
});

test("every file with a replacement exists", () => {
  expect(replacements.filter(({ path }) => !existsSync(path))).toEqual([]);
});

test("every name of a replacement is a whole title, or a row of a table, in its file", () => {
  const named = replacements.filter(({ name }) => name !== null);
  expect(named.length).toBeGreaterThan(200);
  expect(named.filter(({ path, name }) => !isLiteral(path, name ?? ""))).toEqual([]);
});

test("a test that was deleted is no longer in its file", () => {
  const deleted = rows.flatMap(([, cell = ""]) => {
    const [, path, name] = /^`([^`]+)`: "([^"]+)"$/.exec(cell) ?? [];
    return path && name ? [{ path, name }] : [];
  });
  expect(deleted.length).toBeGreaterThan(100);
  const isThere = ({ path, name }: { path: string; name: string }) =>
    isLiteral(path, name.split(" > ").at(-1) ?? name);
  expect(deleted.filter(isThere)).toEqual([]);
});
