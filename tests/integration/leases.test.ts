import { inArray, lte, sql } from "drizzle-orm";
import { integer, pgTable, text, timestamp } from "drizzle-orm/pg-core";
import { afterAll, beforeEach, expect, test } from "vitest";
import { transaction } from "@/server/db";
import { ormOf, sqlOf } from "@/server/db/handles";
import { isNextOf, isOver, leaseFor, sweepExpired } from "@/server/db/lease";
import { freshDatabase, openFresh } from "@/tests/support/database";
import { perFile } from "@/tests/support/per-file";

const jobs = pgTable("jobs", {
  accountId: text("account_id").notNull(),
  hash: text().notNull(),
  place: integer().notNull(),
  worker: text(),
  expiresAt: timestamp("expires_at", { withTimezone: true, mode: "date" }).notNull(),
});

const database = perFile(async () => {
  const db = openFresh(await freshDatabase());
  await sqlOf(
    db,
  )`create table jobs (account_id text, hash text, place int, worker text, expires_at timestamptz)`;
  return db;
});
afterAll(() => database.close());

/** A hundred rows, of which the first ten have expired. */
beforeEach(async () => {
  await sqlOf(database)`truncate jobs`;
  await sqlOf(database)`
    insert into jobs select 'acc', 'job_' || n, n, null, now() + make_interval(secs => n - 10.5)
    from generate_series(1, 100) as n`;
});

const next = (db: typeof database, limit: number) =>
  isNextOf(db, jobs.hash, { where: sql`worker is null`, orderBy: [jobs.place], limit });

test("many processes claim each row once, the first rows first", async () => {
  const workers = Array.from({ length: 12 }, (_, index) => `worker_${index}`);
  const claims = await Promise.all(
    workers.map((worker) =>
      ormOf(database).update(jobs).set({ worker }).where(next(database, 5)).returning({ hash: jobs.hash }),
    ),
  );
  const claimed = claims.flat().map(({ hash }) => hash);
  expect(new Set(claimed).size).toBe(claimed.length);
  expect(claims.every((rows) => rows.length <= 5)).toBe(true);
  const [first] = await ormOf(database)
    .update(jobs)
    .set({ worker: "last" })
    .where(next(database, 1))
    .returning();
  expect(claimed).not.toContain(first?.hash);
});

test("a claim takes no more rows than its limit, whatever plan PostgreSQL chooses", async () => {
  await transaction(database, async (tx) => {
    // The plan for a table that was empty when it was analysed: the condition is computed for each row.
    for (const name of ["hashjoin", "mergejoin", "hashagg", "material", "sort", "memoize"]) {
      await sqlOf(tx).unsafe(`set local enable_${name} = off`);
    }
    const claimed = await ormOf(tx)
      .update(jobs)
      .set({ worker: "one" })
      .where(isNextOf(tx, jobs.hash, { where: sql`worker is null`, limit: 5 }))
      .returning();
    expect(claimed).toHaveLength(5);
  });
});

test("leases end by the database's clock, and expired rows are swept once", async () => {
  expect(await ormOf(database).select().from(jobs).where(isOver(jobs.expiresAt))).toHaveLength(10);
  await ormOf(database)
    .update(jobs)
    .set({ expiresAt: leaseFor(60) })
    .where(inArray(jobs.hash, ["job_1", "job_2"]));
  expect(await ormOf(database).select().from(jobs).where(isOver(jobs.expiresAt))).toHaveLength(8);
  expect(await sweepExpired(database, jobs, { isFree: lte(jobs.place, 5) })).toBe(3);
  expect(await sweepExpired(database, jobs)).toBe(5);
  expect(await sweepExpired(database, jobs)).toBe(0);
  expect(await sweepExpired(database, jobs, { now: new Date(Date.now() + 3_600_000) })).toBe(92);
});
