import { afterAll, beforeAll, expect, test } from "vitest";
import { nanos, parseMoney } from "@/server/base/money";
import { setMonthlyQuota, topUp } from "@/server/billing";
import { sqlOf } from "@/server/db/handles";
import { callerFor } from "../support/console";
import type { TestGateway } from "../support/gateway";
import { sharedGateway } from "../support/shared-gateway";

let gateway: TestGateway;
let model: string;
const money = (text: string) => parseMoney(text) ?? nanos(0n);

beforeAll(async () => {
  gateway = await sharedGateway();
  model = await gateway.model();
  await gateway.channel({ model, dialect: "sandbox", baseUrl: "sandbox:" });
});
afterAll(() => gateway.close());

async function newOwner(quota = "10") {
  const { accountId, secret } = await gateway.customer({ quota });
  return { accountId, secret, owner: await callerFor(gateway, { role: "owner", accountId }) };
}

const chat = async (secret: string) =>
  await (
    await gateway.chat(secret, { model, messages: [{ role: "user", content: "hi" }], max_tokens: 10 })
  ).text();

const month = () => gateway.runtime.billing.period();

/** A month with each kind of entry but a return. */
async function newMonth() {
  const customer = await newOwner("10");
  const { accountId, secret } = customer;
  const { db } = gateway.runtime;
  await chat(secret);
  await topUp(db, { accountId, period: month(), amount: money("2.5"), reason: "invoice 7" });
  await setMonthlyQuota(db, { accountId, period: month(), quota: money("8"), reason: "smaller plan" });
  await chat(secret);
  return customer;
}

test("an account has its month before its first call", async () => {
  const { owner } = await newOwner("10");
  expect(await owner.billing.periods()).toEqual([month()]);
  expect(await owner.billing.statement({ period: month() })).toMatchObject({
    isUnderWay: true,
    isArchived: false,
    grant: "10",
    adjusted: "0",
    topups: "0",
    used: "0",
    frozen: "0",
    available: "10",
  });
});

test("the lines of a statement add up to what is available, to the last digit", async () => {
  const { owner, accountId } = await newMonth();
  const statement = await owner.billing.statement({ period: month() });
  expect(statement).toMatchObject({ grant: "10", adjusted: "-2", topups: "2.5", quota: "8" });
  const { grant, adjusted, topups, used, frozen, available } = statement;
  expect(money(used)).toBe((await gateway.balance(accountId)).used);
  expect(money(used)).toBeGreaterThan(0n);
  expect(money(grant) + money(adjusted) + money(topups) - money(used) - money(frozen)).toBe(money(available));
});

test("the changes of all entries come to what may be spent, and each names what it is for", async () => {
  const { owner } = await newMonth();
  const { rows, nextCursor } = await owner.billing.entries({ period: month() });
  const { available } = await owner.billing.statement({ period: month() });
  expect(nextCursor).toBeNull();
  expect(rows.map(({ kind }) => kind)).toEqual(["capture", "adjust", "topup", "capture", "grant"]);
  expect(rows.reduce((sum, { change }) => sum + money(change), 0n)).toBe(money(available));
  expect(rows[0]).toMatchObject({ modelId: model, key: { name: "test" }, requestId: expect.any(String) });
  expect(rows[1]).toMatchObject({ change: "-2", note: "smaller plan", requestId: null });
  const topUps = await owner.billing.entries({ period: month(), kind: "topup" });
  expect(topUps.rows).toMatchObject([{ change: "2.5", note: "invoice 7" }]);
});

test("spending by day and by model is the same sum as the statement's", async () => {
  const { owner } = await newMonth();
  const { days, models } = await owner.billing.spend({ period: month() });
  const { used } = await owner.billing.statement({ period: month() });
  const sum = (rows: { amount: string }[]) => rows.reduce((total, row) => total + money(row.amount), 0n);
  expect(models).toMatchObject([{ modelId: model, calls: 2 }]);
  expect([sum(days), sum(models)]).toEqual([money(used), money(used)]);
});

test("each entry is on one page of the month, newest first", async () => {
  const { owner, accountId } = await newOwner();
  await sqlOf(gateway.runtime.db)`
    insert into ledger_entries (id, account_id, period, kind, amount, note)
    select 'ent_' || lpad(n::text, 3, '0'), ${accountId}, '2025-01', 'topup', n, n::text from generate_series(1, 70) n`;
  const first = await owner.billing.entries({ period: "2025-01" });
  const second = await owner.billing.entries({ period: "2025-01", cursor: first.nextCursor ?? "" });
  expect([...first.rows, ...second.rows].map(({ note }) => Number(note))).toEqual(
    Array.from({ length: 70 }, (_, index) => 70 - index),
  );
  expect(second.nextCursor).toBeNull();
});

test("a month that the account has not had is refused, and nothing of other accounts is in one's own", async () => {
  const theirs = await newMonth();
  const { owner } = await newOwner();
  await expect(owner.billing.statement({ period: "2020-01" })).rejects.toMatchObject({
    cause: { reason: "periodUnknown" },
  });
  const { rows } = await owner.billing.entries({ period: month() });
  expect(rows.map(({ kind }) => kind)).toEqual([]);
  expect(await owner.billing.spend({ period: month() })).toEqual({ days: [], models: [] });
  expect((await theirs.owner.billing.entries({ period: month() })).rows).toHaveLength(5);
});
