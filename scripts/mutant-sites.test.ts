import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { FILES } from "./citus-suite.mjs";
import { ROOMS } from "./mutant-rooms.mjs";
import { applySite, drawSites, sitesOf } from "./mutant-sites.mjs";
import { findDoorTests } from "./mutant-tree.mjs";

const mutantsOf = (source: string) =>
  sitesOf("probe.ts", source).map((site) => applySite(source, site).replace(/\s+/g, " ").trim());

const IMPORT = 'import * as mutantOf from "drizzle-orm";';

test("a mutant changes a comparison, a boundary, a sign, a number, a condition, a guard or a call", () => {
  expect(mutantsOf("const a = b < 3;")).toEqual([
    "const a = b <= 3;",
    "const a = b < 4;",
    "const a = b < 2;",
  ]);
  expect(mutantsOf("const a = b === c && !d;")).toEqual([
    "const a = b === c || !d;",
    "const a = b !== c && !d;",
    "const a = b === c && d;",
  ]);
  expect(mutantsOf("if (isOver(a)) { throw fault; }")).toEqual([
    "if (!(isOver(a))) { throw fault; }",
    "if (isOver(a)) {}",
  ]);
  expect(mutantsOf("await charge(a); log.info(b);")).toEqual(["; log.info(b);"]);
  expect(mutantsOf('const a = "b" + c; type D = true;')).toEqual([]);
});

test("a mutant removes or changes one of Drizzle's conditions, or leaves rows unlocked", () => {
  expect(mutantsOf('find().where(and(lt(a, b), isOpen)).for("update")')).toEqual([
    ";",
    "find().where(and(lt(a, b), isOpen))",
    'find().where(and(undefined, isOpen)).for("update")',
    'find().where(and(lt(a, b), undefined)).for("update")',
    `${IMPORT} find().where(and(mutantOf.lte(a, b), isOpen)).for("update")`,
  ]);
});

test("a mutant removes a condition of SQL, changes a comparison, or leaves rows unlocked", () => {
  const program = (sql: string) => `const a = sql\`update t set a = ${sql}\`;`;
  const source = program(`a + 1 where b = \${b} and c between 1 and 2 and (d or e) for update`);
  expect(mutantsOf(source)).toEqual(
    [
      `a - 1 where b = \${b} and c between 1 and 2 and (d or e) for update`,
      `a + 1 where b <> \${b} and c between 1 and 2 and (d or e) for update`,
      "a + 1 where true and c between 1 and 2 and (d or e) for update",
      `a + 1 where b = \${b} and (d or e) for update`,
      `a + 1 where b = \${b} and c between 1 and 2 for update`,
      `a + 1 where b = \${b} and c between 1 and 2 and (d ) for update`,
      `a + 1 where b = \${b} and c between 1 and 2 and (d or e) `,
    ].map(program),
  );
});

test("a seed draws the same places if other lines of their file have changed", () => {
  const lines = Array.from({ length: 50 }, (_, at) => `const v${at} = a${at} < b;`);
  const draw = (source: string) => {
    const sites: { key: string }[] = drawSites(sitesOf("probe.ts", source), { sample: 5, seed: "7" });
    return sites.map(({ key }) => key);
  };
  const drawn = draw(lines.join("\n"));
  expect(drawn).toHaveLength(5);
  expect(draw(["// Another line.", ...lines].join("\n"))).toEqual(drawn);
});

test("every room of mutants has tests at its doors, and its removed tests do not exist", () => {
  for (const [name, room] of Object.entries(ROOMS)) {
    expect([name, findDoorTests({ folder: ".", isOlder: false }, room).length > 3]).toEqual([name, true]);
    const gone = { integration: "", contract: "", gone: room.gone };
    expect(findDoorTests({ folder: ".", isOlder: true }, gone)).toEqual([]);
  }
});

test("a name without a file is an error, except in an older tree", () => {
  const room = { integration: "", contract: "calls nothing" };
  const find = (isOlder: boolean) => findDoorTests({ folder: ".", isOlder }, room);
  expect(() => find(false)).toThrow("tests/contract/nothing.test.ts is no file");
  expect(find(true)).toEqual(["tests/contract/calls.test.ts"]);
});

test("every file of the tests on Citus exists", () => {
  expect(FILES.filter((path) => !existsSync(path))).toEqual([]);
});
