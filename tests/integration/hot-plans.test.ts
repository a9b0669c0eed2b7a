import { afterAll, beforeAll, expect, test } from "vitest";
import { createAccount } from "@/server/access";
import { nanos } from "@/server/base/money";
import { drawOnEscrows } from "@/server/billing/escrow/draws";
import { foldEscrows } from "@/server/billing/escrow/folds";
import { endHolds } from "@/server/billing/holds/end-calls";
import { type HoldRequest, insertHolds, renewHolds } from "@/server/billing/holds/holds";
import { openPurse } from "@/server/billing/months/months";
import { type Database, openDatabase } from "@/server/db";
import { sqlOf } from "@/server/db/handles";
import { type AccountId, type KeyId, newId } from "@/server/domain/ids";
import { branded } from "@/tests/support/branded";
import { freshDatabase } from "@/tests/support/database";
import { chargeOf } from "@/tests/support/ledger";

const PERIOD = "2026-05";
const LEASE_SECONDS = 20;

let db: Database;
let accountId: AccountId;
const texts: string[] = [];
beforeAll(async () => {
  db = openDatabase(await freshDatabase(), { connections: 1, onStatement: (text) => void texts.push(text) });
  accountId = (await createAccount(db, { name: "hot", monthlyQuotaNanos: nanos(10n ** 12n) })).id;
  await openPurse(db, { accountId, period: PERIOD, keyId: branded("key_hot"), keyCap: nanos(10n ** 12n) });
});
afterAll(() => db.close());

const request = (): HoldRequest => ({
  ...{ requestId: newId("req"), accountId, period: PERIOD, keyId: branded("key_hot") },
  ...{ keyCap: nanos(10n ** 12n), amount: nanos(10n), minimum: nanos(10n) },
});
const charge = { ...chargeOf(5n), keyId: branded<KeyId>("key_hot") };

/** Moves the money of calls, one or more at once, in all ways: with their own holds, and with a part of an escrow. */
async function pay(calls: number): Promise<void> {
  const several = <T>(make: () => T) => Array.from({ length: calls }, make);
  for (const keyCap of [nanos(10n ** 12n), null]) {
    const own = several(() => ({ ...request(), keyCap }));
    await insertHolds(db, own, LEASE_SECONDS);
    await renewHolds(db, own, LEASE_SECONDS);
    await endHolds(
      db,
      own.map((hold) => ({ ...hold, charge })),
    );
  }
  const escrowId = newId("esc");
  const first = { ...request(), escrow: { id: escrowId, processId: newId("proc"), amount: nanos(100n) } };
  await insertHolds(db, [first], LEASE_SECONDS);
  const draw = { escrowId, held: first.amount };
  const drawing = { inUseOf: () => nanos(0n), leaseSeconds: LEASE_SECONDS };
  const draws = several(() => ({ ...request(), charge, draw }));
  expect(await drawOnEscrows(db, draws, drawing)).toEqual(draws.map(() => "ended"));
  await foldEscrows(db, [{ id: escrowId, accountId, period: PERIOD, keep: null }]);
}

type Node = { "Relation Name"?: string; "Node Type": string; "Index Cond"?: string; Plans?: Node[] };
const TABLES = ["account_months", "key_months", "holds", "ledger_entries", "spend_hours"];
const grows = (relation = "") => TABLES.some((table) => relation.startsWith(table));

/** The scans of growing tables in a plan, except those that find rows by request, account or key. */
const scansIn = (node: Node): string[] => [
  ...(node["Node Type"].includes("Scan") &&
  grows(node["Relation Name"]) &&
  !/\b(request_id|account_id|key_id) =/.test(node["Index Cond"] ?? "")
    ? [`${node["Node Type"]} on ${node["Relation Name"]} ${node["Index Cond"] ?? ""}`]
    : []),
  ...(node.Plans ?? []).flatMap(scansIn),
];

test("on a new database without statistics each money statement of a call finds its rows by request, account or key", async () => {
  texts.length = 0;
  await pay(1);
  await pay(3);
  const statements = new Set(texts);
  expect(statements.size).toBeGreaterThanOrEqual(12);
  for (const text of statements) {
    const [row] = await sqlOf(db).unsafe(`explain (generic_plan, format json) ${text}`);
    expect(scansIn(row?.["QUERY PLAN"][0].Plan), text).toEqual([]);
  }
});

test("each money statement has one plan, whatever its parameters", async () => {
  for (let call = 0; call < 12; call += 1) {
    await pay(1 + (call % 2));
  }
  const plans = await sqlOf(db)<{ custom: number; generic: number }[]>`
    select custom_plans::int as custom, generic_plans::int as generic from pg_prepared_statements
    where statement like '%(values (%' or statement like '%unnest%'`;
  expect(plans.length).toBeGreaterThan(0);
  expect(plans.every(({ custom }) => custom === 0)).toBe(true);
});
