import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { getTableName } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import * as schema from "@/server/db/schema";

const page = ["docs/ledger-laws.md", "docs/ledger-recovery.md"]
  .map((file) => readFileSync(file, "utf8"))
  .join("\n");
const named = [...page.matchAll(/^- `([\w./-]+\.test\.ts)`: "(.+)"$/gm)].map(([, path = "", name = ""]) => ({
  path,
  name,
}));

describe("docs/ledger-laws.md and docs/ledger-recovery.md", () => {
  test("has tests for each law", () => {
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

  test("names each test with its file and its whole title", () => {
    const mentions = page.match(/\.test\.ts/g) ?? [];
    expect(mentions.length).toBe(named.length);
    expect(named.filter(({ path, name }) => !readFileSync(path, "utf8").includes(`"${name}"`))).toEqual([]);
  });

  test("names only statements' parts and functions that are in the code", () => {
    const code = globSync(["server/billing/**/*.ts", "server/domain/period.ts"], {
      exclude: ["**/*.test.ts"],
    })
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

  test("numbers its bugs, and has for each a test or a reason", () => {
    expect(rows.map((row) => Number(row.split(" ")[1]))).toEqual(rows.map((_, index) => index + 1));
    expect(rows.filter((row) => testsOf(row).length === 0 && !/\. \|$/.test(row))).toEqual([]);
  });

  test("names each test with its file and its whole title", () => {
    const all = rows.flatMap(testsOf);
    expect(all.length).toBe(rows.join("").match(/\.test\.ts/g)?.length);
    expect(all.filter(({ path, name }) => !readFileSync(path, "utf8").includes(`"${name}"`))).toEqual([]);
  });

  test("lists only numbers that are in a test", () => {
    const tests = globSync("{server,tests,scripts}/**/*.test.ts")
      .map((path) => readFileSync(path, "utf8"))
      .join("\n");
    const bugs = numbers.match(/[\w/-]+#\d+|one-hub/g) ?? [];
    expect(bugs.length).toBeGreaterThan(60);
    expect(bugs.filter((bug) => !new RegExp(`${bug}\\b`).test(tests))).toEqual([]);
  });
});

describe("ARCHITECTURE.md", () => {
  const [, table = ""] = readFileSync("ARCHITECTURE.md", "utf8").split(/^\| room .*\n/m);
  const [rows = ""] = table.split("\n\n");

  test("has each table of the schema in the row of one room, and no other table", () => {
    const owned = rows.split("\n").flatMap((row) => {
      const owns = row.split("|").at(-2) ?? "";
      return [...owns.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name);
    });
    expect(owned.sort()).toEqual(
      Object.values(schema)
        .map((each) => getTableName(each))
        .sort(),
    );
  });

  test("has rows for folders of the server", () => {
    const rooms = [...rows.matchAll(/^\| `(\w+)`/gm)].map(([, room = ""]) => room);
    expect(rooms.length).toBeGreaterThan(10);
    expect(rooms.filter((room) => !existsSync(`server/${room}/`))).toEqual([]);
  });
});

/** Code in a page: the lines of its commands, and the words in backticks outside of them. */
const codeIn = (text: string): string[] => [
  ...[...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, lines = ""]) => lines),
  ...[...text.replace(/^```[\s\S]*?^```$/gm, "").matchAll(/`([^`\n]+)`/g)].map(([, words = ""]) => words),
];

const isPath = (word: string): boolean =>
  /^(?:app|deploy|docs|drizzle|ops|scripts|server|tests)\//.test(word) ||
  /^[\w@.-]+\/.*\.(?:json|md|mjs|ts|tsx)$/.test(word);

const files = globSync("{app,deploy,docs,drizzle,ops,scripts,server,tests}/**/*.{json,md,mjs,ts,tsx}");

/** Whether a file's path ends in this one: `pipeline/endpoint.ts`, `gateway/stream/several-*.ts`. */
const isSomewhere = (path: string): boolean => {
  const end = new RegExp(`(?:^|/)${path.replaceAll(".", "\\.").replace(/\*|<\w+>/g, "[^/]+")}$`);
  return files.some((file) => end.test(file));
};

test("ARCHITECTURE.md names paths that exist", () => {
  const paths = codeIn(readFileSync("ARCHITECTURE.md", "utf8")).flatMap(
    (code) => code.match(/[\w@.()<>*/-]+\.(?:mjs|tsx?)\b/g) ?? [],
  );
  expect(paths.length).toBeGreaterThan(80);
  expect(paths.filter((path) => !isSomewhere(path))).toEqual([]);
});

/** The part of a path that has no placeholder: `server/cli` of `server/cli/<noun>.ts`. */
const withoutPlaceholder = (path: string): string => path.replace(/\/[^/]*<.*$/, "");

describe.each(["docs/glossary.md", ...globSync("docs/changes/*.md")])("%s", (file) => {
  const text = readFileSync(file, "utf8");

  test("names paths that exist", () => {
    const paths = codeIn(text).flatMap((code) => code.split(/[\s,;]+/).filter(isPath));
    expect(paths.length).toBeGreaterThan(5);
    expect(paths.filter((path) => !existsSync(withoutPlaceholder(path)))).toEqual([]);
  });

  test("names things that are in the files before them: `path` (`name`)", () => {
    const missing = [
      ...text.matchAll(/`([\w@.()/-]+\.(?:json|mjs|tsx?))`\s\(((?:`\w+`(?:, | and )?)+)\)/g),
    ].flatMap(([, path = "", names = ""]) =>
      (names.match(/\w+(?=`)/g) ?? []).filter((name) => !readFileSync(path, "utf8").includes(name)),
    );
    expect(missing).toEqual([]);
  });
});

/** The guide's pages and the admin reference are made and linked by the console's names. */
const onDisk = globSync("{*.md,docs/*.md,docs/{changes,decisions,zh}/*.md}");

test.each(onDisk)("%s links to files that exist", (file) => {
  const links = [...readFileSync(file, "utf8").matchAll(/\]\(([^)#\s]+)/g)].map(([, link = ""]) => link);
  const brokenLinks = links.filter(
    (link) => !/^(?:https?:|mailto:)/.test(link) && !existsSync(join(dirname(file), link)),
  );
  expect(brokenLinks).toEqual([]);
});
