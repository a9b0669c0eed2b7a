import { expect, inject, test } from "vitest";
import { createAccount } from "@/server/access";
import { nanos } from "@/server/base/money";
import { verifyLedger } from "@/server/billing";
import { endHolds } from "@/server/billing/holds/end-calls";
import { insertHolds } from "@/server/billing/holds/holds";
import { openMonth } from "@/server/billing/months/months";
import { sumMonth } from "@/server/billing/months/whole-month";
import { findDrift } from "@/server/billing/verify/figures";
import {
  distributeDatabase,
  findDistribution,
  migrateDatabase,
  openDatabase,
  watchChanges,
} from "@/server/db";
import { OF_ACCOUNTS } from "@/server/db/distribution";
import { sqlOf } from "@/server/db/handles";
import { type AccountId, type KeyId, newId } from "@/server/domain/ids";
import { branded } from "@/tests/support/branded";
import { commandsOn } from "@/tests/support/command";
import { freshDatabase, openFresh } from "@/tests/support/database";
import { chargeOf } from "@/tests/support/ledger";
import { joinNodes, onEach, urlOf } from "@/tests/support/nodes";

const [server = "", ...workers] = inject("nodes").urls;
const isCitus = workers.length > 0;

test("a database reports whether it is distributed", async () => {
  expect(await findDistribution(await freshDatabase())).toBe(isCitus);
});

test("a database without Citus is refused with a message, and stays as it is", async () => {
  const name = `${inject("template")}_plain_${process.pid}`;
  await onEach({ urls: [server] }, (sql) => sql.unsafe(`create database ${name} template template0`));
  const url = urlOf(server, name);
  await expect(distributeDatabase(url, { shards: 4 })).rejects.toThrow("this database has no Citus");
  expect(await findDistribution(url)).toBe(false);
});

test("a database that a server uses is not distributed", async () => {
  const url = await freshDatabase();
  const db = openFresh(url);
  const changes = await watchChanges(db, { onChange: () => {}, onGap: () => {} });
  try {
    await expect(distributeDatabase(url, { shards: 4 })).rejects.toThrow("a server uses this database");
  } finally {
    await changes.stop();
    await db.close();
  }
});

test("a second distribution changes nothing, and without Citus the first never begins", async () => {
  const again = distributeDatabase(await freshDatabase(), { shards: 4 });
  if (!isCitus) {
    await expect(again).rejects.toThrow("create extension citus");
    return;
  }
  const tables = await again;
  expect(tables.map(({ table }) => table)).toContain("ledger_entries");
  expect(tables.filter(({ before }) => !before)).toEqual([]);
});

test("a database keeps its data when it is distributed or refused, and later charges add up with it", async () => {
  const nodes = inject("nodes");
  const name = `${inject("template")}_filled_${process.pid}`;
  await onEach(nodes, (sql) => sql.unsafe(`create database ${name} template template0`));
  await joinNodes(nodes, name);
  const url = urlOf(server, name);
  await migrateDatabase(url, "drizzle");
  const period = "2026-11";
  const accountIds: AccountId[] = [];
  /** Charges each account once. Returns the result of the verification and the number of charges. */
  const charge = async (isDistributed: boolean) => {
    const db = openDatabase(url, { isDistributed });
    try {
      for (const name of accountIds.length === 0 ? ["one", "two", "three"] : []) {
        accountIds.push((await createAccount(db, { name, monthlyQuotaNanos: nanos(100n) })).id);
      }
      for (const accountId of accountIds) {
        await openMonth(db, { accountId, period });
        const keyId = branded<KeyId>("key_any");
        const call = { requestId: newId("req"), accountId, period };
        const amount = nanos(10n);
        const hold = { ...call, keyId, keyCap: null, amount, minimum: amount };
        expect(await insertHolds(db, [hold], 60)).toMatchObject([{ granted: amount }]);
        expect(await endHolds(db, [{ ...call, charge: { ...chargeOf(7n), keyId } }])).toEqual(["ended"]);
      }
      const drift = await verifyLedger(db);
      const rows = await sqlOf(db)`select account_id from ledger_entries where kind = 'capture'`;
      return { drift, charges: rows.length };
    } finally {
      await db.close();
    }
  };
  expect(await charge(false)).toEqual({ drift: [], charges: 3 });
  const distributed = distributeDatabase(url, { shards: 4 });
  await (isCitus ? distributed : expect(distributed).rejects.toThrow("no Citus"));
  expect(await charge(await findDistribution(url))).toEqual({ drift: [], charges: 6 });
});

test("the command says what it did with each table, or why it did nothing", async () => {
  const url = await freshDatabase();
  const { run } = commandsOn(() => url);
  const { code, out, err } = await run("db", "distribute", "--json");
  if (!isCitus) {
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toMatch(/^this database has no Citus: /);
    return;
  }
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(JSON.parse(out)).toContainEqual({ table: "holds", as: "by account", done: "before" });
  expect(await run("db", "distribute", "--shards", "0")).toMatchObject({ code: 2 });
});

test("a month's verification and its statement name the account at each table: one machine has one snapshot", async () => {
  const texts: string[] = [];
  const db = openDatabase(await freshDatabase(), {
    isDistributed: isCitus,
    onStatement: (text) => void texts.push(text),
  });
  try {
    const month = { accountId: newId("acc"), period: "2026-11" };
    for (const by of ["entries", "checkpoints"] as const) {
      await findDrift(db, { period: month.period, accountIds: [month.accountId], by });
    }
    await sumMonth(db, month);
  } finally {
    await db.close();
  }
  const reads = texts.flatMap((text) => {
    // Each piece begins with a table's name and ends before the next one's.
    const [, ...pieces] = text.split(/\b(?:from|join)\s+(?=")/);
    return pieces.filter((piece) => OF_ACCOUNTS.includes(piece.split('"')[1] ?? ""));
  });
  expect(reads.length).toBeGreaterThanOrEqual(20);
  const isBound = (piece: string) => /account_id"?\s*(?:=\s*\$|in\s*\(\$|=\s*any\(\$)/.test(piece);
  expect(reads.filter((piece) => !isBound(piece))).toEqual([]);
});
