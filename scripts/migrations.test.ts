import { execFileSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { expect, test } from "vitest";
import { judgeMigration } from "./migration-rules";
import { findCommit, previousRelease } from "./previous-release.mjs";

/**
 * Migrations older than the rules, written when a server was stopped for its upgrade. Databases have run them, so
 * they stay unchanged.
 */
const BEFORE_RULES = [
  ...["0000_init", "0001_channel_capabilities", "0002_videos", "0003_console"],
  ...["0004_sealed_edges", "0005_sessions_are_rows", "0006_token_windows", "0007_one_name_each"],
  ...["0008_management_keys", "0009_escrow", "0010_ledger_checks", "0011_years"],
];

const files = globSync("drizzle/*.sql").map((path) => ({
  tag: basename(path, ".sql"),
  text: readFileSync(path, "utf8"),
}));

const broken = async (text: string, tag = "0030_probe") =>
  (await judgeMigration(tag, text)).map(({ rule }) => rule);

test("no migration stops a running release, or removes what that release uses", async () => {
  expect(BEFORE_RULES.filter((tag) => !files.some((file) => file.tag === tag))).toEqual([]);
  const judged = await Promise.all(
    files
      .filter(({ tag }) => !BEFORE_RULES.includes(tag))
      .map(async ({ tag, text }) =>
        (await judgeMigration(tag, text)).map((finding) => ({ tag, ...finding })),
      ),
  );
  expect(judged.flat()).toEqual([]);
});

test("a migration of a release stays unchanged, so that every database has run the same one", async () => {
  const release = await findCommit(previousRelease.commit);
  const changed = ["diff", "--name-only", "--diff-filter=a", release, "--", "drizzle/*.sql"];
  expect(execFileSync("git", changed).toString()).toBe("");
});

test("git has only the last snapshot of the schema, with which drizzle-kit compares", () => {
  const { entries } = JSON.parse(readFileSync("drizzle/meta/_journal.json", "utf8")) as {
    entries: { tag: string }[];
  };
  expect(files.map(({ tag }) => tag).sort()).toEqual(entries.map(({ tag }) => tag));
  const last = entries.at(-1)?.tag.slice(0, 4);
  expect(globSync("drizzle/meta/*.json").sort()).toEqual([
    `drizzle/meta/${last}_snapshot.json`,
    "drizzle/meta/_journal.json",
  ]);
});

test("the rules find the migration that once took 18 seconds, and the statements that took the time", async () => {
  const { tag = "", text = "" } = files.find((file) => file.tag === "0011_years") ?? {};
  expect([...new Set(await broken(text, tag))].sort()).toEqual([
    ...["builds-index", "index", "reads-all", "renames", "takes-away", "unbounded", "unknown-statement"],
  ]);
});

test.each([
  ["a nullable column", 'ALTER TABLE "calls" ADD COLUMN "a" text;'],
  [
    "a column with a constant default",
    `ALTER TABLE "calls" ADD COLUMN "a" jsonb DEFAULT '{}'::jsonb NOT NULL;`,
  ],
  [
    "a column with the time of the statement",
    'ALTER TABLE "calls" ADD COLUMN "a" timestamptz DEFAULT now() NOT NULL;',
  ],
  [
    "a new table with its indexes",
    'CREATE TABLE "n" ("a" int);--> statement-breakpoint\nCREATE INDEX "i" ON "n" ("a");',
  ],
  ["a new table filled by constants", "CREATE TABLE n (a int); INSERT INTO n VALUES (1);"],
  [
    "an index that is built concurrently",
    '-- tollgate: concurrently\nCREATE INDEX CONCURRENTLY "i" ON "calls" ("a");',
  ],
  ["a check that is not validated", 'ALTER TABLE "calls" ADD CONSTRAINT "c" CHECK (a > 0) NOT VALID;'],
  ["a constraint with an existing index", 'ALTER TABLE "calls" ADD CONSTRAINT "c" UNIQUE USING INDEX "i";'],
  [
    "a bounded backfill",
    "-- tollgate: in batches\nUPDATE t SET b = a WHERE id IN (SELECT id FROM t WHERE b IS NULL LIMIT 9);",
  ],
  ["a contract", '-- tollgate: contract, for releases that know 0029\nALTER TABLE "calls" DROP COLUMN "a";'],
  [
    "a statement that its file allows with a reason",
    "-- tollgate: allowed, reads-all: 0029 validated the check\nALTER TABLE calls ALTER COLUMN a SET NOT NULL;",
  ],
])("%s is harmless", async (_, text) => {
  expect(await broken(text)).toEqual([]);
});

test.each([
  ["index", 'CREATE INDEX "i" ON "calls" ("a");'],
  ["index", 'CREATE INDEX CONCURRENTLY "i" ON "calls" ("a");'],
  ["index", 'DROP INDEX "i";'],
  ["not-null", 'ALTER TABLE "calls" ADD COLUMN "a" text NOT NULL;'],
  ["rewrites", 'ALTER TABLE "calls" ADD COLUMN "a" uuid DEFAULT gen_random_uuid();'],
  ["column-constraint", 'ALTER TABLE "calls" ADD COLUMN "a" bigint GENERATED ALWAYS AS IDENTITY;'],
  ["column-constraint", 'ALTER TABLE "calls" ADD COLUMN "a" text REFERENCES "accounts" ("id");'],
  ["rewrites", 'ALTER TABLE "calls" ALTER COLUMN "a" TYPE bigint;'],
  ["reads-all", 'ALTER TABLE "calls" ALTER COLUMN "a" SET NOT NULL;'],
  ["validates", 'ALTER TABLE "calls" ADD CONSTRAINT "c" CHECK (a > 0);'],
  ["validates-here", 'ALTER TABLE "calls" VALIDATE CONSTRAINT "c";'],
  ["builds-index", 'ALTER TABLE "calls" ADD PRIMARY KEY ("a");'],
  ["takes-away", 'ALTER TABLE "calls" DROP COLUMN "a";'],
  ["takes-away", 'ALTER TABLE "calls" ALTER COLUMN "a" DROP DEFAULT;'],
  ["takes-away", 'DROP TABLE "calls";'],
  ["unknown-change", 'ALTER TABLE "calls" DETACH PARTITION "calls_rest";'],
  ["renames", 'ALTER TABLE "calls" RENAME TO "asked";'],
  ["renames", 'ALTER TABLE "calls" RENAME COLUMN "a" TO "b";'],
  ["unbounded", 'UPDATE "calls" SET "a" = 1;'],
  ["unbounded", 'DELETE FROM "calls";'],
  ["unbounded", 'CREATE TABLE "n" ("a" int); INSERT INTO "n" SELECT "a" FROM "calls";'],
  ["unknown-statement", "DO $$ BEGIN DELETE FROM calls; END $$;"],
  ["unknown-statement", "TRUNCATE calls;"],
  ["unknown-statement", "SET lock_timeout = 0;"],
  ["batch", '-- tollgate: in batches\nUPDATE "calls" SET "a" = 1;'],
  ["batch", '-- tollgate: in batches\nALTER TABLE "calls" ADD COLUMN "a" text;'],
  ["concurrently", '-- tollgate: concurrently\nALTER TABLE "calls" ADD COLUMN "a" text;'],
  ["contract", '-- tollgate: contract, for releases that know 0030\nALTER TABLE "calls" DROP COLUMN "a";'],
])("the rule %s finds %s", async (rule, text) => {
  expect(await broken(text)).toEqual([rule]);
});
