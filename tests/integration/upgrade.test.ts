import postgres from "postgres";
import { expect, onTestFinished, test } from "vitest";
import { findCharges, listStatement, verifyLedger } from "@/server/billing";
import { getCall } from "@/server/calls";
import { migrateDatabase, openDatabase } from "@/server/db";
import { listPartitions } from "@/server/db/partitions";
import type { AccountId } from "@/server/domain/ids";
import { branded } from "@/tests/support/branded";
import { emptyDatabase, migrationsBefore } from "@/tests/support/migrations";

test("a ledger of an earlier release keeps every entry, hold, sum and call, without drift", async () => {
  const url = await emptyDatabase();
  await migrateDatabase(url, await migrationsBefore("0011_years"));
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  await sql.unsafe(`
    insert into accounts (id, name, monthly_quota) values ('acc_1', 'one', 1000);
    insert into account_months (account_id, period, quota, topups, used, frozen, counts_keys) values
      ('acc_1', '2025-12', 900, 0, 30, 0, false), ('acc_1', '2026-01', 1000, 50, 70, 25, true);
    insert into ledger_entries (account_id, period, kind, amount, request_id, held, key_id, model_id, note, created_at) values
      ('acc_1', '2025-12', 'grant', 1000, null, null, null, null, null, '2025-12-01Z'),
      ('acc_1', '2025-12', 'adjust', -100, null, null, null, null, 'quota set', '2025-12-02Z'),
      ('acc_1', '2025-12', 'capture', 30, 'req_019b7a1a0000_1', 40, 'key_1', 'm', null, '2025-12-03Z'),
      ('acc_1', '2026-01', 'grant', 1000, null, null, null, null, null, '2026-01-01Z'),
      ('acc_1', '2026-01', 'topup', 50, null, null, null, null, 'paid', '2026-01-02Z'),
      ('acc_1', '2026-01', 'release', 40, 'req_019b7a1a0000_2', 40, null, null, 'expired', '2026-01-03Z'),
      ('acc_1', '2026-01', 'capture', 20, 'req_019b7a1a0000_2', 0, 'key_1', 'm', 'late', '2026-01-04Z'),
      ('acc_1', '2026-01', 'capture', 50, 'task_019b7a1a0000_3', 50, 'key_1', 'm', null, '2026-01-05Z'),
      ('acc_1', '2026-01', 'release', 10, 'req_019b7a1a0000_4', 10, null, null, 'upstreams_unavailable', '2026-01-06Z');
    insert into spend_hours (account_id, period, hour, key_id, model_id, calls, amount, input_tokens, output_tokens) values
      ('acc_1', '2025-12', '2025-12-03Z', 'key_1', 'm', 1, 30, 0, 0),
      ('acc_1', '2026-01', '2026-01-04Z', 'key_1', 'm', 2, 70, 0, 0);
    insert into holds (request_id, account_id, period, amount, key_id, expires_at) values
      ('req_019b7a1a0000_5', 'acc_1', '2026-01', 25, 'key_1', now() + interval '1 hour');
    insert into key_months (key_id, period, used, frozen) values ('key_1', '2026-01', 70, 25);
    insert into calls (request_id, account_id, key_id, endpoint, status, elapsed_ms, started_at) values
      ('req_019b7a1a00007000800000000000000a', 'acc_1', 'key_1', 'chat.completions', 200, 5, '2026-01-01T12:00Z'),
      ('req_by_hand', 'acc_1', 'key_1', 'chat.completions', 200, 5, '2026-01-01T12:00Z');`);
  await migrateDatabase(url, "drizzle");
  await sql.end();

  const db = openDatabase(url, { connections: 1 });
  onTestFinished(() => db.close());
  const accountId: AccountId = branded("acc_1");
  expect(await verifyLedger(db)).toEqual([]);
  const january = await listStatement(db, { accountId, period: "2026-01" }, { limit: 10 });
  expect(january.rows.map(({ kind, amount, requestId, note }) => [kind, amount, requestId, note])).toEqual([
    ["release", 10n, "req_019b7a1a0000_4", "upstreams_unavailable"],
    ["capture", 50n, "task_019b7a1a0000_3", null],
    ["capture", 20n, "req_019b7a1a0000_2", "late"],
    ["release", 40n, "req_019b7a1a0000_2", "expired"],
    ["topup", 50n, null, "paid"],
    ["grant", 1000n, null, null],
  ]);
  expect(new Set(january.rows.map(({ id }) => id)).size).toBe(6);
  const charges = await findCharges(
    db,
    ["req_019b7a1a0000_1", "req_019b7a1a0000_2", "task_019b7a1a0000_3", "req_019b7a1a0000_4"].map((id) => ({
      id,
      accountId,
    })),
  );
  expect([...charges.values()].map(({ requestId, kind }) => [requestId, kind]).sort()).toEqual([
    ["req_019b7a1a0000_1", "capture"],
    ["req_019b7a1a0000_2", "capture"],
    ["req_019b7a1a0000_4", "release"],
    ["task_019b7a1a0000_3", "capture"],
  ]);
  expect(await listPartitions(db, "ledger_entries")).toEqual(expect.arrayContaining(["2025-12", "2026-01"]));
  for (const requestId of ["req_019b7a1a00007000800000000000000a", "req_by_hand"]) {
    expect(await getCall(db, { requestId, accountId })).toMatchObject({ requestId, elapsedMs: 5 });
  }
});
