import { existsSync, globSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

const page = readFileSync("docs/ledger-laws.md", "utf8");
const named = [...page.matchAll(/^- `([\w./-]+\.test\.ts)`: "(.+)"$/gm)].map(([, path = "", name = ""]) => ({
  path,
  name,
}));

describe("docs/ledger-laws.md", () => {
  test("has for each law its tests", () => {
    const laws = page.split(/^## (?=\d)/m).slice(1);
    expect(laws.length).toBeGreaterThan(0);
    expect(laws.filter((law) => !/^Tests:\n\n- `[\w./-]+\.test\.ts`: "/m.test(law))).toEqual([]);
  });

  test("names files that exist", () => {
    const paths = [...page.matchAll(/`((?:server|tests|scripts|app)\/[\w./-]+)`/g)].map(
      ([, path = ""]) => path,
    );
    expect(paths.length).toBeGreaterThan(0);
    expect(paths.filter((path) => !existsSync(path))).toEqual([]);
  });

  test("names of each test its file and its whole name", () => {
    const mentions = page.match(/\.test\.ts/g) ?? [];
    expect(mentions.length).toBe(named.length);
    expect(named.filter(({ path, name }) => !readFileSync(path, "utf8").includes(`"${name}"`))).toEqual([]);
  });

  test("names statements' parts and functions that are in the code", () => {
    const code = globSync(["server/billing/**/*.ts", "server/base/period.ts"], { exclude: ["**/*.test.ts"] })
      .map((path) => readFileSync(path, "utf8"))
      .join("\n");
    const parts = [
      ...["asked", "locked", "queued", "granted", "balances", "stored", "deleted", "entries"],
      ...["firsts", "ended", "key_balances", "hours", "capped", "budgets", "months", "figures"],
      ...["charged", "key_sums", "open", "asks", "escrows", "captured", "rows"],
    ].filter((part) => page.includes(`\`${part}\``));
    expect(parts.filter((part) => !new RegExp(`(?:with|,|\\)),? ${part} as \\(`).test(code))).toEqual([]);
    const functions = [...page.matchAll(/`([a-z]+(?:[A-Z][a-z]+)+)`/g)].map(([, name = ""]) => name);
    expect(functions.filter((name) => !code.includes(`function ${name}(`))).toEqual([]);
  });
});

describe("tests/known-bugs.md", () => {
  const [table = "", numbers = ""] = readFileSync("tests/known-bugs.md", "utf8").split("\n## ");
  const rows = table.split("\n").filter((line) => /^\| \d/.test(line));
  const testsOf = (row: string) =>
    [...row.matchAll(/`([\w./-]+\.test\.ts)`: "(.+?)"(?=[).]| \||<br>)/g)].map(
      ([, path = "", name = ""]) => ({ path, name }),
    );

  test("counts its bugs, and names for each a test or a reason", () => {
    expect(rows.map((row) => Number(row.split(" ")[1]))).toEqual(rows.map((_, index) => index + 1));
    expect(rows.filter((row) => testsOf(row).length === 0 && !/\. \|$/.test(row))).toEqual([]);
  });

  test("names of each test its file and its whole name", () => {
    const all = rows.flatMap(testsOf);
    expect(all.length).toBe(rows.join("").match(/\.test\.ts/g)?.length);
    expect(all.filter(({ path, name }) => !readFileSync(path, "utf8").includes(`"${name}"`))).toEqual([]);
  });

  test("lists only numbers that a test bears", () => {
    const tests = globSync("{server,tests,scripts}/**/*.test.ts")
      .map((path) => readFileSync(path, "utf8"))
      .join("\n");
    const bugs = numbers.match(/[\w/-]+#\d+|one-hub/g) ?? [];
    expect(bugs.length).toBeGreaterThan(60);
    expect(bugs.filter((bug) => !new RegExp(`${bug}\\b`).test(tests))).toEqual([]);
  });
});
