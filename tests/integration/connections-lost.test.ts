import { sql } from "drizzle-orm";
import { expect, onTestFinished, test } from "vitest";
import { retryWhileTransient } from "@/server/base/retry";
import { openDatabase, tables, transaction } from "@/server/db";
import { ormOf, relaxed, sqlOf } from "@/server/db/handles";
import { freshDatabase } from "@/tests/support/database";
import { linkTo } from "@/tests/support/database-link";
import { perFile } from "@/tests/support/per-file";
import { processorClock, sleep, until } from "@/tests/support/until";

const link = perFile(async () => await linkTo(await freshDatabase()));
const db = perFile(async () => openDatabase(link.url));
const operator = perFile(async () => openDatabase(link.directUrl));

const { secretChecks } = tables;

const LOSSES = 12;
/** Callers for each query: more than there are connections. */
const ASKERS = 6;
/** Less than the timeout of a connection that is never made; in processor time. */
const SOON_MS = 4_000;

const endBackends = () => sqlOf(operator)`
  select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid()`;

const losses = [
  { how: "reset", lose: () => link.cut({ abruptly: true }) },
  { how: "closed", lose: () => link.cut() },
  { how: "ended by PostgreSQL", lose: endBackends },
];

type Echo = (word: string) => Promise<Iterable<{ word?: unknown }>>;
/** Queries that return their argument: a statement on each pool, and a transaction. */
const echoes: Echo[] = [
  (word) => ormOf(db).execute(sql`select ${word} as word, pg_sleep(0.002)`),
  (word) => sqlOf(db)`select ${word} as word`,
  (word) => sqlOf(relaxed(db))`select ${word} as word`,
  (word) =>
    transaction(db, async (tx) => {
      await ormOf(tx).execute(sql`select pg_sleep(0.002)`);
      return await ormOf(tx).execute(sql`select ${word} as word`);
    }),
];

test.each(losses)(
  "when connections are $how, every statement on them fails at once or gets its own answer",
  async ({ lose }) => {
    const took: number[] = [];
    const answered = { right: 0, failed: 0, wrong: [] as string[] };
    let isOver = false;
    const clock = processorClock();
    onTestFinished(clock.stop);
    const ask = async (echo: Echo) => {
      const word = `word ${took.length}`;
      const started = clock.read();
      try {
        const [row] = await echo(word);
        row?.word === word ? answered.right++ : answered.wrong.push(word);
      } catch {
        answered.failed++;
      }
      took.push(clock.read() - started);
    };
    const askers = Array.from({ length: ASKERS }, () => echoes)
      .flat()
      .map(async (echo) => {
        while (!isOver) {
          await ask(echo);
        }
      });
    for (let loss = 0; loss < LOSSES; loss++) {
      await sleep(150 + loss * 10);
      await lose();
      await sleep(loss * 10);
      link.mend();
    }
    await sleep(500);
    isOver = true;
    let isEnded = false;
    void Promise.all(askers).then(() => {
      isEnded = true;
    });
    // Statements under way end.
    await until(() => isEnded, SOON_MS);
    expect(answered.wrong).toEqual([]);
    expect(answered.failed).toBeGreaterThan(0);
    expect(answered.right).toBeGreaterThan(0);
    expect(Math.max(...took)).toBeLessThan(SOON_MS);
  },
);

test("a transaction that lost its connection continues on no other connection", async () => {
  const single = openDatabase(link.url, { connections: 1 });
  const ghost = { name: "ghost", sealed: "ghost" };
  const lost = transaction(single, async (tx) => {
    await ormOf(tx).insert(secretChecks).values({ name: "before", sealed: "before" });
    await endBackends();
    // Another caller opens the only connection again.
    await retryWhileTransient(() => ormOf(single).execute(sql`select 1`), SOON_MS);
    await ormOf(tx).insert(secretChecks).values(ghost);
  });
  await expect(lost).rejects.toThrow();
  await sleep(200);
  expect(await ormOf(single).$count(secretChecks)).toBe(0);
  await single.close();
});
