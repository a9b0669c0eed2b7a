import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { listChanges } from "@/server/audit";
import { openDatabase, tables } from "@/server/db";
import { ormOf, sqlOf } from "@/server/db/handles";
import { freshDatabase } from "@/tests/support/database";
import { perFile } from "@/tests/support/per-file";

const db = perFile(async () => openDatabase(await freshDatabase(), { connections: 1 }));

/** What is run once on a database of before: its rows, with the names that commands gave. */
async function migrate(): Promise<void> {
  const text = await readFile("drizzle/0007_one_name_each.sql", "utf8");
  await sqlOf(db).begin(async (transaction) => {
    for (const statement of text.split("--> statement-breakpoint")) {
      await transaction.unsafe(statement);
    }
  });
}

const entry = { actor: "command", accountId: null, targetId: "x", targetName: "x" };

test("what commands recorded under other names has the console's, and nothing else is touched", async () => {
  await ormOf(db)
    .insert(tables.auditEntries)
    .values([
      {
        ...entry,
        action: "key.create",
        before: null,
        after: {
          id: "key_1",
          account: "acc_1",
          allow_ips: ["::1/128"],
          rpm: 5,
          monthly_cap: null,
          name: "a",
        },
      },
      {
        ...entry,
        action: "model.save",
        before: { enabled: true, prices: { input: "1", cache_write_1h: "2" }, sold: false },
        after: { enabled: false, video_prices: { "5:720p": "1" } },
      },
      {
        ...entry,
        action: "channel.enable",
        before: {},
        after: { base_url: "https://a.test", timeout_seconds: 5 },
      },
      { ...entry, action: "account.create", before: null, after: { user: "o@a.test", account: "kept" } },
      { ...entry, actor: "o@a.test", action: "key.update", before: { rpm: 1 }, after: { rpm: 2 } },
    ]);
  await migrate();
  await migrate();
  const { rows } = await listChanges(db, {}, { limit: 10 });
  expect(rows.map(({ before, after }) => [before, after]).reverse()).toEqual([
    [null, { name: "a", allowedIps: ["::1/128"], requestsPerMinute: 5, monthlyCap: null }],
    [
      { isEnabled: true, prices: { input: "1", cache_write_1h: "2" } },
      { isEnabled: false, videoPrices: { "5:720p": "1" } },
    ],
    [{}, { baseUrl: "https://a.test", timeoutSeconds: 5 }],
    [null, { user: "o@a.test", account: "kept" }],
    [{ rpm: 1 }, { rpm: 2 }],
  ]);
});
