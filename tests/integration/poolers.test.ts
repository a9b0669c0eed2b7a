import { expect, test } from "vitest";
import { refusePoolers } from "@/server/process/schema";
import { freshDatabase } from "@/tests/support/database";
import { eventually } from "@/tests/support/eventually";
import { startGateway } from "@/tests/support/gateway";
import { perFile } from "@/tests/support/per-file";
import { pgbouncerProgram, startPgbouncer } from "@/tests/support/pgbouncer";
import { type PoolerMode, startPooler } from "@/tests/support/pooler";

const database = perFile(async () => ({ url: await freshDatabase() }));

async function startBehind(mode: PoolerMode): Promise<string> {
  const pooler = await startPooler(database.url, mode);
  try {
    return await refusePoolers(pooler.url).then(
      () => "started",
      (error: Error) => error.message,
    );
  } finally {
    await pooler.close();
  }
}

test("PostgreSQL itself and a pooler that pools sessions do not stop a start", async () => {
  await expect(refusePoolers(database.url)).resolves.toBeUndefined();
  expect(await startBehind("sessions")).toBe("started");
});

test("a pooler in transaction mode is refused with a message", async () => {
  expect(await startBehind("transactions")).toMatch(
    /gives each transaction another session.*pool_mode = session/,
  );
});

test("a start is refused with a message if LISTEN receives nothing", async () => {
  expect(await startBehind("deaf")).toMatch(/does not arrive by LISTEN.*a key that is disabled/);
});

test("/readyz reports that notices are lost under a running server, which goes on serving", async () => {
  const pooler = await startPooler(database.url, "sessions");
  const gateway = await startGateway({ databaseUrl: pooler.url });
  const ready = async () => {
    const answer = await fetch(`${gateway.url}/readyz`);
    return `${answer.status} ${await answer.text()}`;
  };
  expect(await ready()).toContain("notices: ok");
  pooler.setMode("deaf");
  await eventually(ready, 40_000).toMatch(/^200 ready\n[\s\S]*notices: degraded: none/);
  pooler.setMode("sessions");
  await eventually(ready, 20_000).toContain("notices: ok");
  await gateway.close();
  await pooler.close();
});

const IGNORED =
  "ignore_startup_parameters = extra_float_digits,lock_timeout,synchronous_commit,jit,statement_timeout,idle_in_transaction_session_timeout,plan_cache_mode,enable_seqscan,random_page_cost";

/** The settings of docs/database.md, and the result of a start with each. */
const pgbouncers = [
  { settings: ["pool_mode = session", "default_pool_size = 30", IGNORED], says: /^started$/ },
  {
    settings: ["pool_mode = session"],
    says: /ignore_startup_parameters = extra_float_digits,lock_timeout,.*jit/,
  },
  { settings: ["pool_mode = transaction", IGNORED], says: /gives each transaction another session/ },
  {
    settings: ["pool_mode = transaction", "server_round_robin = 1", IGNORED],
    says: /gives each transaction/,
  },
  { settings: ["pool_mode = transaction", "default_pool_size = 1", IGNORED], says: /gives each transaction/ },
];

// Only if PGBOUNCER names the program.
for (const { settings, says } of pgbouncerProgram ? pgbouncers : []) {
  test(`pgbouncer with ${settings.slice(0, 2).join(", ").slice(0, 60)}`, async () => {
    const pgbouncer = await startPgbouncer(pgbouncerProgram ?? "", database.url, settings);
    const outcome = await refusePoolers(pgbouncer.url).then(
      () => "started",
      (error: Error) => error.message,
    );
    expect(outcome).toMatch(says);
    if (outcome === "started") {
      const gateway = await startGateway({ databaseUrl: pgbouncer.url });
      const answer = await fetch(`${gateway.url}/readyz`);
      expect(await answer.text()).not.toMatch(/FAILED|degraded/);
      await gateway.close();
    }
    await pgbouncer.close();
  });
}
