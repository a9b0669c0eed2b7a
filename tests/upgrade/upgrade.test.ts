/**
 * `npm run test:upgrade`: the previous release as it was built (PREVIOUS_RELEASE, its folder) and this one, on one
 * database with a large ledger, under calls all the time.
 */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";
import { expect, onTestFinished, test } from "vitest";
import { verifyLedger } from "@/server/billing";
import { migrateDatabase, openDatabase } from "@/server/db";
import { readMigrations } from "@/server/db/migrations";
import { serverEnvironment } from "@/tests/support/gateway";
import { fillLedger } from "@/tests/support/large-ledger";
import { emptyDatabase, migrationsAnd, migrationsUpTo } from "@/tests/support/migrations";
import { NEXT_RELEASE, NEXT_TAGS } from "@/tests/support/next-release";
import { startServer } from "@/tests/support/process";
import { answerWith, startUpstream, usage } from "@/tests/support/upstream";
import { type Phase, startTraffic, watchLocks } from "./traffic";

const ROWS = Number(process.env.UPGRADE_ROWS ?? 1_000_000);
const PHASE_MS = Number(process.env.UPGRADE_SECONDS ?? 15) * 1_000;
const PREVIOUS = process.env.PREVIOUS_RELEASE ?? "";
const MODEL = "upgraded";
/** The limit for any call from before the migrations on: a slow machine is no excuse for a client's wait. */
const SLOWEST_MS = 250;

/** The previous release has just been started, and nothing has happened yet. */
const WARMING = "warming up";

const tags = readMigrations("drizzle").map(({ tag }) => tag);
/**
 * The newest migration of the previous release, and the later ones: none if this release has not changed a table yet.
 */
const last = readMigrations(join(PREVIOUS, "drizzle")).at(-1)?.tag ?? "";
const later = tags.slice(tags.indexOf(last) + 1);

/** Makes a customer, a model and a channel by the commands of the previous release. Returns the customer's key. */
function furnish(env: Record<string, string>, upstreamUrl: string): string {
  const program =
    ["tollgate.js", "cli.js"].map((name) => join(PREVIOUS, "dist", name)).find(existsSync) ?? "";
  const command = (...words: string[]): { secret?: string } =>
    JSON.parse(
      execFileSync(process.execPath, [program, ...words, "--json"], {
        cwd: PREVIOUS,
        env: { PATH: process.env.PATH ?? "", NODE_ENV: "production", ...env },
        encoding: "utf8",
      }),
    );
  command("account", "create", "--name", "both", "--quota", "100000");
  const { secret = "" } = command("key", "create", "--account", "both", "--name", "both");
  command(
    ...["model", "set", "--id", MODEL],
    ...["--kind", "chat", "--input", "1", "--output", "2", "--max-output", "1000"],
  );
  command(
    ...["channel", "add", "--name", "both", "--dialect", "openai", "--base-url", upstreamUrl],
    ...["--secret", "upstream-secret", "--model", MODEL],
  );
  return secret;
}

test("a database is migrated under the previous release, then both releases serve it, and no call fails or is slow", async () => {
  const url = await emptyDatabase();
  await migrateDatabase(url, await migrationsUpTo(last));
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  onTestFinished(() => sql.end());
  await fillLedger(sql, ROWS);
  const upstream = await startUpstream(answerWith("Hello there", usage(7, 3)));
  onTestFinished(() => upstream.close());
  const env = { ...serverEnvironment(url), WEB_CONCURRENCY: "1" };
  const secret = furnish(env, upstream.baseUrl);
  const traffic = startTraffic({ secret, model: MODEL });
  const locks = watchLocks(url);
  const phases: Phase[] = [];
  const phase = async (name: string, act: () => Promise<unknown>) => {
    await act();
    phases.push({ name, ...traffic.end(), waitMs: locks.longest() });
    process.stdout.write(`${JSON.stringify(phases.at(-1))}\n`);
  };

  const previous = await startServer(env, PREVIOUS);
  traffic.goTo([previous.url]);
  await phase(WARMING, () => sleep(5_000));
  await phase("before", () => sleep(PHASE_MS));
  await phase("migrating", async () => {
    expect(await migrateDatabase(url, "drizzle")).toEqual(later);
    await sleep(2_000);
  });
  await phase("after, on the release before", () => sleep(PHASE_MS));
  let current = previous;
  await phase("starting this release", async () => {
    current = await startServer(env);
  });
  traffic.goTo([previous.url, current.url]);
  await phase("the first calls of this release", () => sleep(3_000));
  await phase("both", () => sleep(PHASE_MS));
  const next = await migrationsAnd(NEXT_RELEASE);
  await phase("a column, an index and a backfill of the largest table", async () => {
    expect(await migrateDatabase(url, next)).toEqual(NEXT_TAGS);
  });
  traffic.goTo([current.url]);
  await phase("this release alone", async () => {
    await sleep(3_000);
    await previous.stop();
    await sleep(PHASE_MS);
  });
  await traffic.stop();
  await locks.stop();
  await current.stop();

  expect(traffic.failures).toEqual([]);
  const db = openDatabase(url, { patientConnections: 1 });
  onTestFinished(() => db.close());
  expect(await verifyLedger(db)).toEqual([]);
  const measured = phases.filter(({ name }) => name !== WARMING);
  expect(measured.filter(({ slowestMs, waitMs }) => Math.max(slowestMs, waitMs) > SLOWEST_MS)).toEqual([]);
  const [charged] = await sql<{ count: number }[]>`
    select count(*)::int as count from ledger_entries where kind = 'capture' and model_id = ${MODEL}`;
  expect(charged?.count).toBeGreaterThan(1_000);
});
