import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import about from "@/tests/previous-release/about.json";
import { parseConcurrent } from "./concurrent-index";
import { pauseMs } from "./lock-patience";
import { type Migration, marksOf, readMigrations } from "./migrations";
import { explainState, judge, SERVES_FROM } from "./schema-state";

const migration = (version: number): Migration => ({
  version,
  tag: `${String(version).padStart(4, "0")}_some`,
  ...{ when: version * 1_000, hash: "", how: "transaction", serves: null, statements: [] },
});
const upTo = (version: number) => Array.from({ length: version + 1 }, (_, at) => migration(at));
const applied = (version: number) => upTo(version).map(({ when }) => ({ when, serves: null }));

test("a migration's marks say how it runs, and an unknown mark is refused", () => {
  expect(marksOf("a", "ALTER TABLE t ADD c int;")).toEqual({ how: "transaction", serves: null });
  expect(marksOf("a", "-- tollgate: concurrently\nCREATE INDEX…")).toMatchObject({ how: "concurrently" });
  expect(marksOf("a", "-- tollgate: in batches\nUPDATE…")).toMatchObject({ how: "batches" });
  expect(marksOf("a", "-- Why.\n-- tollgate: contract, for releases that know 0021\n")).toEqual({
    how: "transaction",
    serves: 21,
  });
  expect(() => marksOf("0019_a", "-- tollgate: concurently\n")).toThrow(
    "0019_a has a mark that means nothing",
  );
});

test("this release names the oldest schema that it serves, and has every later migration", () => {
  const versions = readMigrations("drizzle").map(({ version }) => version);
  expect(versions).toEqual(versions.map((_, at) => at));
  expect(versions).toContain(SERVES_FROM);
  const schemas = [...new Set([SERVES_FROM, versions.length - 1])].map((version) =>
    String(version).padStart(4, "0"),
  );
  expect(readFileSync("CHANGELOG.md", "utf8")).toContain(`| Unreleased | ${schemas.join(" to ")} |`);
});

test("the previous release can serve on this release's schema", () => {
  const kept = Number(about.schema.slice(0, 4));
  const added = readMigrations("drizzle").filter(({ version }) => version > kept);
  expect(added.filter(({ serves }) => serves !== null && serves > kept).map(({ tag }) => tag)).toEqual([]);
  expect(readFileSync("CHANGELOG.md", "utf8")).toMatch(
    new RegExp(
      `^\\| ${about.release.replaceAll(".", "\\.")} \\| (\\d{4} to )?${about.schema.slice(0, 4)} \\|`,
      "m",
    ),
  );
});

test("a release serves databases from its oldest version on, with the additions of later releases", () => {
  expect(judge(upTo(18), applied(18), 17)).toMatchObject({ kind: "current", from: 17, to: 18 });
  expect(judge(upTo(18), applied(19), 17).kind).toBe("current");
  expect(judge(upTo(18), applied(17), 17)).toMatchObject({ kind: "behind", pending: [{ version: 18 }] });
  expect(judge(upTo(18), applied(16), 17).kind).toBe("old");
  expect(judge(upTo(18), [], 17).kind).toBe("old");
});

test("a missing migration is pending, even if a later one was run", () => {
  const all = upTo(18);
  const state = judge(
    all,
    applied(18).filter(({ when }) => when !== 17_000),
    17,
  );
  expect(state.pending.map(({ version }) => version)).toEqual([17]);
});

test("a later release that removed something is recognized by its mark, and both refusals say what to do", () => {
  const contracted = judge(upTo(18), [...applied(18), { when: 20_000, serves: 19 }], 17);
  expect(explainState(contracted)).toMatch(/later release.*before version 0019.*knows 0017 to 0018/);
  expect(judge(upTo(19), [...applied(19), { when: 20_000, serves: 19 }], 17).kind).toBe("current");
  expect(explainState(judge(upTo(18), applied(16), 17))).toMatch(
    /lacks 0017_some, 0018_some.*tollgate migrate/,
  );
  expect(explainState(judge(upTo(18), applied(17), 17))).toBeNull();
});

test("only an index is built concurrently", () => {
  expect(
    parseConcurrent('-- why\nCREATE INDEX CONCURRENTLY "i" ON "t" USING btree ("a","b") WHERE c;\n'),
  ).toEqual({ name: "i", table: "t", unique: "", rest: 'USING btree ("a","b") WHERE c' });
  expect(parseConcurrent('CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "i" ON "t" ("a")')).toMatchObject({
    unique: "unique",
  });
  expect(parseConcurrent('DROP INDEX CONCURRENTLY "i";')).toEqual({ dropped: "i" });
  expect(parseConcurrent('CREATE INDEX "i" ON "t" ("a")')).toBeNull();
});

test("tries for a lock come at longer and longer intervals, and not all replicas try at once", () => {
  expect([pauseMs(1, 1), pauseMs(3, 1), pauseMs(40, 1)]).toEqual([400, 1_600, 5_000]);
  expect(pauseMs(3, 0)).toBe(800);
});
