import postgres from "postgres";
import { expect, inject, onTestFinished, test } from "vitest";
import { migrateDatabase, verifySchema } from "@/server/db";
import { readMigrations } from "@/server/db/migrations";
import { prepareSchema, refusePoolers } from "@/server/process/schema";
import { freshDatabase } from "@/tests/support/database";
import { emptyDatabase, migrationsAnd } from "@/tests/support/migrations";
import { processorClock, sleep, until } from "@/tests/support/until";

function open(url: string, max = 1): postgres.Sql {
  const sql = postgres(url, { max, onnotice: () => {} });
  onTestFinished(() => sql.end({ timeout: 1 }));
  return sql;
}

/**
 * Reads a table again and again until the returned function stops it. That returns the longest time of a read, in
 * processor time.
 */
function readAgainAndAgain(sql: postgres.Sql, table: string): () => Promise<number> {
  let isStopped = false;
  let longestMs = 0;
  const clock = processorClock();
  onTestFinished(clock.stop);
  const reading = (async () => {
    while (!isStopped) {
      const startedAt = clock.read();
      await sql.unsafe(`select 1 from ${table} limit 1`);
      longestMs = Math.max(longestMs, clock.read() - startedAt);
      await sleep(2);
    }
  })();
  return async () => {
    isStopped = true;
    await reading;
    return longestMs;
  };
}

test("servers that start at once on an empty database migrate it once, and all of them serve it", async () => {
  const url = await emptyDatabase();
  const applied = await Promise.all(Array.from({ length: 4 }, () => migrateDatabase(url, "drizzle")));
  const tags = readMigrations("drizzle").map(({ tag }) => tag);
  expect(applied.flat().sort()).toEqual(tags);
  expect(applied.filter((list) => list.length > 0)).toEqual([tags]);
  expect(await migrateDatabase(url, "drizzle")).toEqual([]);
});

test("a migration during a long transaction blocks no reader, names the process in its way, and completes after it", async () => {
  const url = await freshDatabase();
  const folder = await migrationsAnd({ more: 'ALTER TABLE "holds" ADD COLUMN "more" text;' });
  const busy = open(url);
  await busy.unsafe("begin");
  await busy.unsafe("select 1 from holds");
  const lines: string[] = [];
  const stop = readAgainAndAgain(open(url), "holds");
  const migrated = migrateDatabase(url, folder, (line) => lines.push(line));
  await until(() => lines.length > 0);
  await sleep(1_500);
  await busy.unsafe("commit");
  expect(await migrated).toEqual(["9001_more"]);
  // Each try blocks readers for a sixth of a second.
  expect(await stop()).toBeLessThan(1_000);
  expect(lines[0]).toMatch(/9001_more waits for a lock; processes of PostgreSQL with transactions open: \d+/);
});

test("a failed migration leaves nothing behind, and the ones before it stay", async () => {
  const url = await freshDatabase();
  const folder = await migrationsAnd({
    good: 'CREATE TABLE "good" ("a" int);',
    bad: 'CREATE TABLE "half" ("a" int);--> statement-breakpoint\nALTER TABLE "nowhere" ADD COLUMN "b" int;',
  });
  await expect(migrateDatabase(url, folder)).rejects.toThrow('relation "nowhere" does not exist');
  const [tables] = await open(url)`select to_regclass('good') as good, to_regclass('half') as half`;
  expect(tables).toEqual({ good: "good", half: null });
});

test("an index is built concurrently, also on a table in partitions, and is built again after a broken build", async () => {
  const url = await freshDatabase();
  const sql = open(url, 2);
  // The leftover of an index build that ended half-way.
  await sql`insert into audit_entries (actor, action, target_id, target_name) values ('a', 'b', 'same', 'c'), ('a', 'b', 'same', 'c')`;
  await expect(
    sql`create unique index concurrently "audit_target" on "audit_entries" ("target_id")`,
  ).rejects.toThrow("could not create unique index");
  const folder = await migrationsAnd({
    indexes: `-- tollgate: concurrently
CREATE INDEX CONCURRENTLY "audit_target" ON "audit_entries" USING btree ("target_id");--> statement-breakpoint
CREATE INDEX CONCURRENTLY "ledger_channel" ON "ledger_entries" USING btree ("channel_id");`,
  });
  expect(await migrateDatabase(url, folder)).toEqual(["9001_indexes"]);
  const indexes = await sql<{ name: string; valid: boolean }[]>`
    select relname as name, indisvalid as valid from pg_index join pg_class on pg_class.oid = indexrelid
    where relname ~ '^(audit_target|ledger_channel)' order by 1`;
  const [parts] = await sql<{ count: number }[]>`
    select count(*)::int as count from pg_inherits where inhparent = 'ledger_entries'::regclass`;
  expect(indexes.every(({ valid }) => valid)).toBe(true);
  expect(indexes.length).toBe(2 + (parts?.count ?? 0));
  expect(indexes.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["audit_target", "ledger_channel", "ledger_channel_rest"]),
  );
  const dropped = await migrationsAnd({
    indexes: "",
    dropped: `-- tollgate: concurrently
DROP INDEX CONCURRENTLY "audit_target";--> statement-breakpoint
DROP INDEX CONCURRENTLY "ledger_channel";`,
  });
  expect(await migrateDatabase(url, dropped)).toEqual(["9002_dropped"]);
  expect(await sql`select 1 from pg_class where relname ~ '^(audit_target|ledger_channel)'`).toHaveLength(0);
});

test("servers that start at once build an index once, though each waits for the others", async () => {
  const url = await freshDatabase();
  const folder = await migrationsAnd({
    index: `-- tollgate: concurrently\nCREATE INDEX CONCURRENTLY "holds_more" ON "holds" ("amount");`,
  });
  const applied = await Promise.all([1, 2, 3].map(() => migrateDatabase(url, folder)));
  expect(applied.flat()).toEqual(["9001_index"]);
});

test("a backfill runs in batches, continues where it broke off, and locks no row for longer than a batch", async () => {
  const url = await freshDatabase();
  const sql = open(url);
  await sql`create table filled (id int primary key, old int not null, new int)`;
  await sql`insert into filled select at, at from generate_series(1, 2500) as at`;
  await sql`update filled set new = old where id <= 700`;
  const folder = await migrationsAnd({
    fill: `-- tollgate: in batches
UPDATE "filled" SET "new" = "old" WHERE "id" IN (SELECT "id" FROM "filled" WHERE "new" IS NULL LIMIT 1000);`,
  });
  expect(await migrateDatabase(url, folder)).toEqual(["9001_fill"]);
  const sizes = await sql<{ rows: number }[]>`
    select count(*)::int as rows from filled where new = old group by xmin order by min(id)`;
  expect(sizes.map(({ rows }) => rows).sort((a, b) => a - b)).toEqual([700, 800, 1000]);
});

test("a database of a later release is served until that release removes something, and then refused with a message", async () => {
  const url = await freshDatabase();
  const added = await migrationsAnd({ more: 'ALTER TABLE "holds" ADD COLUMN "more" text;' });
  await migrateDatabase(url, added);
  expect([await migrateDatabase(url, "drizzle"), await verifySchema(url, "drizzle")]).toEqual([[], []]);
  const contractFolder = await migrationsAnd({
    more: 'ALTER TABLE "holds" ADD COLUMN "more" text;',
    less: '-- tollgate: contract, for releases that know 9001\nALTER TABLE "holds" DROP COLUMN "in_use";',
  });
  expect(await migrateDatabase(url, contractFolder)).toEqual(["9002_less"]);
  for (const start of [migrateDatabase, verifySchema]) {
    await expect(start(url, "drizzle")).rejects.toThrow(/belongs to a later release.*before version 9001/);
    await start(url, contractFolder);
  }
});

test("a start that may change nothing names missing migrations, serves what it can, and refuses a schema that is too old", async () => {
  const url = await emptyDatabase();
  await expect(verifySchema(url, "drizzle")).rejects.toThrow(
    /too old.*lacks 0000_init, .*`tollgate migrate`/,
  );
  await migrateDatabase(url, "drizzle");
  expect(await verifySchema(url, "drizzle")).toEqual([]);
  const later = await migrationsAnd({ more: 'ALTER TABLE "holds" ADD COLUMN "more" text;' });
  expect(await verifySchema(url, later)).toEqual(["9001_more"]);
  await migrateDatabase(url, later);
  expect(await verifySchema(url, later)).toEqual([]);
});

test("a role that may not change tables gets an error if a migration is missing, and migrates nothing if none is", async () => {
  const url = await freshDatabase();
  const role = `tollgate_serve_${process.pid}`;
  const owner = open(inject("nodes").urls[0] ?? "");
  await owner.unsafe(`create role ${role} login password 'serve'`);
  onTestFinished(async () => {
    await open(url).unsafe(`drop owned by ${role}`);
    await owner.unsafe(`drop role ${role}`);
  });
  const asRole = new URL(url);
  asRole.username = role;
  asRole.password = "serve";
  await expect(migrateDatabase(asRole.href, "drizzle")).rejects.toThrow(
    "permission denied for schema drizzle",
  );
  await expect(verifySchema(asRole.href, "drizzle")).rejects.toThrow(/may not read.*docs\/upgrading\.md/);
  await open(url).unsafe(
    `grant usage on schema drizzle to ${role}; grant select on all tables in schema drizzle to ${role}`,
  );
  expect(await migrateDatabase(asRole.href, "drizzle")).toEqual([]);
  const folder = await migrationsAnd({ more: 'ALTER TABLE "holds" ADD COLUMN "more" text;' });
  await expect(migrateDatabase(asRole.href, folder)).rejects.toThrow(/may not change its schema/);
});

test("a start reports that the database refuses its user or does not exist", async () => {
  const url = new URL(await freshDatabase());
  const sql = open(url.href);
  const role = `stranger_${Date.now()}`;
  onTestFinished(async () => void (await sql.unsafe(`drop role ${role}`)));
  await sql.unsafe(`create role ${role} nologin password 'secret'`);
  const words = async (change: (to: URL) => void) => {
    const to = new URL(url);
    change(to);
    const options = { url: to.href, say: () => {} };
    const starts = [() => refusePoolers(to.href), () => prepareSchema({ MIGRATE: "start" }, options)];
    return await Promise.all(starts.map((start) => start().catch((error: Error) => error.message)));
  };
  const shut = await words((to) => Object.assign(to, { username: role, password: "secret" }));
  const missing = await words((to) => Object.assign(to, { pathname: "/nothing_of_the_kind" }));
  expect([...shut, ...missing]).toEqual([
    ...shut.map(() => expect.stringMatching(/cannot be used: it refuses this user or password \(28000\)/)),
    ...missing.map(() => expect.stringMatching(/cannot be used: there is no such database \(3D000\)/)),
  ]);
});
