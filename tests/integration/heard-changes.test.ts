import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { stopwatch } from "@/server/base/clock";
import { openDatabase, reportChange, watchChanges } from "@/server/db";
import { sqlOf } from "@/server/db/handles";
import { freshDatabase } from "@/tests/support/database";
import { eventually } from "@/tests/support/eventually";
import { perFile } from "@/tests/support/per-file";

const database = perFile(async () => ({ url: await freshDatabase() }));

beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
afterEach(() => void vi.useRealTimers());

/** Looks after the process has sent itself another notice. */
const afterEcho = <T>(look: () => T): T => {
  vi.advanceTimersByTime(5_000);
  return look();
};
const PATIENCE = 12_000;

test("a process knows the moment before which it heard of every change, and that moment does not advance while it hears nothing", async () => {
  const db = openDatabase(database.url);
  const operator = openDatabase(database.url);
  const heard: string[] = [];
  const changes = await watchChanges(db, {
    onChange: (topic) => heard.push(topic),
    onGap: () => heard.push("gap"),
  });
  expect(changes.heardAt()).toBe(0);
  await reportChange(operator, "access");
  const reportedAt = stopwatch();
  await eventually(() => afterEcho(() => changes.heardAt() > reportedAt), PATIENCE).toBe(true);
  expect(heard).toEqual(["gap", "access"]);

  // It gets no more notices, as behind a pooler that drops them.
  await sqlOf(operator)`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and query ilike 'listen%'`;
  const lostAt = stopwatch();
  await eventually(() => afterEcho(() => changes.heardAt() > lostAt), PATIENCE).toBe(true);
  // By then it knows that it may have missed some.
  expect(heard).toEqual(["gap", "access", "gap"]);
  await changes.stop();
  const other = await watchChanges(operator, { onChange: () => {}, onGap: () => {} });
  // A notice that was on its way has arrived when a later one has.
  await eventually(() => afterEcho(() => other.heardAt() > lostAt), PATIENCE).toBe(true);
  const [stoppedAt, laterAt] = [changes.heardAt(), stopwatch()];
  await eventually(() => afterEcho(() => other.heardAt() > laterAt), PATIENCE).toBe(true);
  expect(changes.heardAt()).toBe(stoppedAt);
  await other.stop();
  await Promise.all([db.close(), operator.close()]);
});
