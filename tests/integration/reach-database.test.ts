/** How a start waits for a database that comes back imperfectly. */
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { sqlOf } from "@/server/db/handles";
import { reachDatabase } from "@/server/process/reach";
import { freshDatabase, openFresh } from "@/tests/support/database";
import { linkTo } from "@/tests/support/database-link";
import { until } from "@/tests/support/until";

async function linked() {
  const databaseUrl = await freshDatabase();
  const link = await linkTo(databaseUrl);
  const db = openFresh(databaseUrl);
  onTestFinished(async () => {
    await link.close();
    await db.close();
  });
  const seen = { away: 0, uses: 0 };
  const reach = (use = async () => {}) =>
    reachDatabase(
      async () => {
        seen.uses += 1;
        await use();
        return seen.uses;
      },
      { url: link.url, mayWait: true, onAway: () => void seen.away++ },
    );
  return { link, db, seen, reach };
}

test("a database that only reads is away until it writes", async () => {
  const { db, seen, reach } = await linked();
  const sql = sqlOf(db);
  const [row] = await sql<{ name: string }[]>`select current_database() as name`;
  const set = (value: string) =>
    sql.unsafe(`alter database "${row?.name}" set default_transaction_read_only = ${value}`);
  await set("on");
  const reached = reach();
  await until(() => seen.away === 1);
  expect(seen.uses).toBe(0);
  await sql.unsafe("set default_transaction_read_only = off");
  await set("off");
  expect(await reached).toBe(1);
  expect(seen.away).toBe(1);
});

test("a database that answers and goes away again is used again when it is back", async () => {
  const { link, seen, reach } = await linked();
  link.cut();
  const reached = reach();
  await until(() => seen.away === 1);
  link.mend();
  await until(() => seen.uses === 1);
  link.cut();
  // Longer than a database must stay.
  await sleep(4_000);
  link.mend();
  expect(await reached).toBeGreaterThan(1);
});

test("a lost connection while the database is used is an absence, and any other error is thrown", async () => {
  const { seen, reach } = await linked();
  const lost = Object.assign(new Error("lost"), { code: "CONNECTION_CLOSED" });
  const reached = reach(async () => {
    if (seen.uses === 1) {
      throw lost;
    }
  });
  expect([await reached, seen.away]).toEqual([2, 1]);
  for (const error of [
    new Error("a newer schema"),
    Object.assign(new Error("no connection is left"), { code: "53300" }),
  ]) {
    const before = seen.uses;
    // The second use would succeed.
    const reaching = reach(async () => {
      if (seen.uses === before + 1) {
        throw error;
      }
    });
    await expect(reaching).rejects.toBe(error);
  }
  expect(seen.away).toBe(1);
});
