/**
 * The previous release as it was (`tests/previous-release`), next to this one on one database under calls. The full
 * form, with built servers of both and a million rows: `npm run test:upgrade`.
 */

import postgres from "postgres";
import { expect, onTestFinished, test } from "vitest";
import { nanos } from "@/server/base/money";
import { migrateDatabase } from "@/server/db";
import { readMigrations } from "@/server/db/migrations";
import { SERVES_FROM } from "@/server/db/schema-state";
import about from "@/tests/previous-release/about.json";
import { fillLedger } from "@/tests/support/large-ledger";
import { emptyDatabase, migrationsAnd, migrationsUpTo } from "@/tests/support/migrations";
import { moveMoney } from "@/tests/support/money-between";
import { NEXT_RELEASE, NEXT_TAGS } from "@/tests/support/next-release";
import { promised } from "@/tests/support/refusal";
import { addCustomer, releases, type Serving, serve } from "@/tests/support/releases";
import { sleep } from "@/tests/support/until";

const ROWS = 50_000;
const PHASE_MS = 1_500;
/** Includes a margin for a busy machine; the full form measures the promised time. */
const SLOWEST_MS = 5_000;

const tags = readMigrations("drizzle").map(({ tag }) => tag);

const stopAll = (all: Serving[]) => Promise.all(all.map(({ stop }) => stop()));

test("a database is migrated under the previous release, both charge on it, no call is refused and no sum drifts", async () => {
  const url = await emptyDatabase();
  await migrateDatabase(url, await migrationsUpTo(about.schema));
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  onTestFinished(() => sql.end());
  await fillLedger(sql, ROWS);
  const secret = await addCustomer(releases.previous, url);
  const previous = serve(releases.previous, { url, secret, pauseMs: 5 });
  await sleep(PHASE_MS);
  expect(await migrateDatabase(url, "drizzle")).toEqual(tags.slice(tags.indexOf(about.schema) + 1));
  const current = serve(releases.current, { url, secret, pauseMs: 5 });
  await sleep(PHASE_MS);
  // A possible next release, under both.
  expect(await migrateDatabase(url, await migrationsAnd(NEXT_RELEASE))).toEqual(NEXT_TAGS);
  const drift = [await previous.verify(), await current.verify()];
  await previous.stop();
  await sleep(PHASE_MS);
  await current.stop();
  const results = [previous.since(), current.since()];
  expect(results.flatMap(({ failures }) => failures)).toEqual([]);
  expect(drift).toEqual([[], []]);
  expect(await verifyBy(url)).toEqual([]);
  expect(Math.min(...results.map(({ calls }) => calls))).toBeGreaterThan(10);
  expect(Math.max(...results.map(({ slowestMs }) => slowestMs))).toBeLessThan(SLOWEST_MS);
  const [charged] = await sql<{ count: number }[]>`
    select count(*)::int as count from ledger_entries where kind = 'capture' and account_id not like 'acc\_filled\_%'`;
  expect(charged?.count).toBe(results.reduce((sum, { calls }) => sum + calls, 0));
});

test.each([
  ["the release before this one", "this one", { first: releases.previous, second: releases.current }],
  ["this release", "the one before it", { first: releases.current, second: releases.previous }],
])(
  "a charge, a code, an adjustment and a video of %s are ended by %s, and no sum drifts",
  async (_one, _other, both) => {
    const url = await emptyDatabase();
    await migrateDatabase(url, "drizzle");
    const { actual, expected } = await moveMoney(url, both);
    expect(actual).toEqual(expected);
  },
);

test("a price that either release writes is charged by both", async () => {
  const url = await emptyDatabase();
  await migrateDatabase(url, "drizzle");
  const save = async (rooms: typeof releases.current, change: object) => {
    const db = rooms.openDatabase(url, { connections: 1 });
    await rooms.saveModel(db, { id: "sold", kind: "chat", ...change }).finally(() => db.close());
  };
  /** The price of input by both releases. */
  const soldPrices = async () => {
    const prices = [];
    for (const rooms of [releases.previous, releases.current]) {
      const db = rooms.openDatabase(url, { connections: 1 });
      const catalog = rooms.createCatalog({ db });
      const model: { prices: unknown } = await promised(() => catalog.get("sold", "chat", null)).finally(() =>
        db.close(),
      );
      prices.push(model.prices instanceof Map ? model.prices : new Map(Object.entries(model.prices ?? {})));
    }
    return prices.map((sheet) => [sheet.get("input"), sheet.get("input@200k")]);
  };
  await save(releases.previous, { inputPrice: nanos(1n), outputPrice: nanos(1n) });
  expect(await soldPrices()).toEqual([
    [1n, undefined],
    [1n, undefined],
  ]);
  const conditionalPrices = [{ name: "input@200k" as const, price: nanos(5n) }];
  await save(releases.current, { inputPrice: nanos(2n), conditionalPrices });
  expect(await soldPrices()).toEqual([
    [2n, undefined],
    [2n, 5n],
  ]);
  await save(releases.previous, { isEnabled: true });
  expect(await soldPrices()).toEqual([
    [2n, undefined],
    [2n, 5n],
  ]);
  await save(releases.previous, { inputPrice: nanos(3n) });
  expect(await soldPrices()).toEqual([
    [3n, undefined],
    [3n, 5n],
  ]);
  await save(releases.previous, { isFree: true });
  expect(await soldPrices()).toEqual([
    [0n, undefined],
    [undefined, undefined],
  ]);
});

async function verifyBy(url: string) {
  const db = releases.current.openDatabase(url, { connections: 1 });
  return await releases.current.verifyLedger(db).finally(() => db.close());
}

test("this release serves the oldest schema of its range, which has nothing later", async () => {
  const url = await emptyDatabase();
  const oldest = tags.find((tag) => Number(tag.slice(0, 4)) === SERVES_FROM) ?? "";
  await migrateDatabase(url, await migrationsUpTo(oldest));
  const secret = await addCustomer(releases.current, url);
  const current = serve(releases.current, { url, secret, pauseMs: 5 });
  await sleep(PHASE_MS);
  await stopAll([current]);
  expect(current.since()).toMatchObject({ failures: [], calls: expect.any(Number) });
  expect(await verifyBy(url)).toEqual([]);
});
