/** Statements: a printed month, whose parts add up to the ledger's sums, to the nano-unit. */

import { expect, test } from "vitest";
import { nanos } from "@/server/base/money";
import { adjust, refundCharge, setMonthlyQuota, topUp } from "@/server/billing";
import { sqlOf } from "@/server/db/handles";
import type { AccountId } from "@/server/domain/ids";
import { wholeStatementQueries } from "@/server/queries";
import { allPages } from "@/tests/support/all-pages";
import { commandsOn } from "@/tests/support/command";
import { callerFor } from "@/tests/support/console";
import { money } from "@/tests/support/customer";
import { perFile } from "@/tests/support/per-file";
import { sharedGateway } from "@/tests/support/shared-gateway";

const gateway = perFile(sharedGateway);
const db = () => gateway.runtime.db;
const month = () => gateway.runtime.billing.period();
const commands = commandsOn(() => gateway.databaseUrl);

const sumOf = (rows: { amount: string }[]) => rows.reduce((sum, { amount }) => sum + money(amount), 0n);

/** A month with every kind of entry; one charge was given back in part. */
async function newMonth() {
  const model = await gateway.model();
  await gateway.channel({ model, dialect: "sandbox", baseUrl: "sandbox:" });
  const { accountId, secret } = await gateway.customer({ quota: "10" });
  const owner = await callerFor(gateway, { role: "owner", accountId });
  const messages = [{ role: "user", content: "hi" }];
  for (const key of [secret, secret, (await owner.keys.create({ name: "second" })).secret]) {
    await (await gateway.chat(key, { model, messages, max_tokens: 10 })).text();
  }
  const accountMonth = { accountId, period: month() };
  await topUp(db(), { ...accountMonth, amount: money("2.5"), reason: "invoice 7" });
  await setMonthlyQuota(db(), { ...accountMonth, quota: money("8"), reason: "smaller plan" });
  await adjust(db(), { ...accountMonth, amount: money("-0.25"), reason: "correction" });
  const [charge] = await sqlOf(db())<{ id: string; amount: string }[]>`
    select id, amount::text from ledger_entries where account_id = ${accountId} and kind = 'capture' order by id limit 1`;
  const chargeId = charge?.id ?? "";
  await refundCharge(db(), { ...accountMonth, chargeId, amount: nanos(1n), reason: "outage" });
  return { accountId, owner, model, chargeId };
}

async function ledgerSum(accountId: AccountId, kind: string): Promise<bigint> {
  const [row] = await sqlOf(db())<{ amount: string }[]>`
    select coalesce(sum(amount), 0)::text as amount from ledger_entries
    where account_id = ${accountId} and kind = ${kind}`;
  return BigInt(row?.amount ?? 0);
}

test("a statement's sums are the ledger's, and its models and its keys add up to what was used", async () => {
  const { accountId, owner, model, chargeId } = await newMonth();
  const statement = await owner.billing.wholeStatement({ period: month() });
  const kinds = {
    opening: "grant",
    adjusted: "adjust",
    topups: "topup",
    refunded: "refund",
    adjustments: "adjustment",
    used: "capture",
  } as const;
  for (const [term, kind] of Object.entries(kinds)) {
    expect([term, money(statement[term as keyof typeof kinds])]).toEqual([
      term,
      await ledgerSum(accountId, kind),
    ]);
  }
  expect(statement).toMatchObject({
    ...{ opening: "10", adjusted: "-2", quota: "8", topups: "2.5", refunded: "0.000000001" },
    ...{ adjustments: "-0.25", account: { id: accountId }, isUnderWay: true },
  });
  expect(money(statement.used)).toBeGreaterThan(0n);
  expect([sumOf(statement.models), sumOf(statement.keys)]).toEqual([
    money(statement.used),
    money(statement.used),
  ]);
  expect(statement.models).toMatchObject([{ modelId: model, calls: 3 }]);
  expect(statement.keys.map(({ key, calls }) => [key?.name, calls]).sort()).toEqual([
    ["second", 1],
    ["test", 2],
  ]);
  const { opening, adjusted, topups, refunded, adjustments, used, frozen } = statement;
  const credit = [opening, adjusted, topups, refunded, adjustments].reduce(
    (sum, term) => sum + money(term),
    0n,
  );
  expect(money(statement.closing)).toBe(credit - money(used) - money(frozen));
  const { available } = await owner.billing.statement({ period: month() });
  expect(statement.closing).toBe(available);
  expect(
    statement.entries.map(({ kind, change, note, requestId }) => [kind, change, note, requestId]),
  ).toEqual([
    ["topup", "2.5", "invoice 7", null],
    ["adjust", "-2", "smaller plan", null],
    ["adjustment", "-0.25", "correction", null],
    ["refund", "0.000000001", "outage", chargeId],
  ]);
  expect(await gateway.verify()).toEqual([]);
});

test("every door gives the same statement, with the same number", async () => {
  const { accountId, owner } = await newMonth();
  const operator = await callerFor(gateway, { role: "operator" });
  const statement = await operator.accounts.statement({ accountId, period: month() });
  expect(await owner.billing.wholeStatement({})).toEqual(statement);
  const printed = await commands.json<{ number: string; closing: string; keys: unknown[] }>(
    ...["account", "statement"],
    ...["--account", accountId, "--month", month()],
  );
  expect([printed.number, printed.closing]).toEqual([statement.number, statement.closing]);
  expect(statement.number).toMatch(/^\d{6}-[0-9A-F]{8}$/);
});

test("a month that an account never had is refused, and a statement has nothing of another account", async () => {
  const theirs = await newMonth();
  const { accountId } = await gateway.customer();
  const owner = await callerFor(gateway, { role: "owner", accountId });
  await expect(owner.billing.wholeStatement({ period: "2020-01" })).rejects.toMatchObject({
    cause: { reason: "periodUnknown" },
  });
  await owner.billing.periods();
  const own = await owner.billing.wholeStatement({ period: month() });
  expect([own.models, own.keys, own.entries, own.used]).toEqual([[], [], [], "0"]);
  expect((await theirs.owner.billing.wholeStatement({})).entries).toHaveLength(4);
});

test("the list of a month has each account once, page by page, with the sums of its statement", async () => {
  const { accountId, owner } = await newMonth();
  for (let more = 0; more < 3; more++) {
    await gateway.customer();
  }
  const statement = await owner.billing.wholeStatement({});
  const reading = { db: db(), billing: gateway.runtime.billing };
  const rows = await allPages((cursor) =>
    wholeStatementQueries.readMonths(reading, {}, { cursor, limit: 2 }),
  );
  const monthRows = await sqlOf(db())`select 1 from account_months where period = ${month()}`;
  expect(new Set(rows.map((row) => row.accountId)).size).toBe(monthRows.length);
  expect(rows).toHaveLength(monthRows.length);
  const { quota, topups, refunded, adjustments, used, frozen, closing } = statement;
  expect(rows.find((row) => row.accountId === accountId)).toMatchObject({
    ...{ quota, topups, refunded, adjustments },
    ...{ used, frozen, closing },
  });
  const listed = await commands.json<Record<string, string>[]>("account", "months", "--month", month());
  expect(listed.find((row) => row.account_id === accountId)).toMatchObject({ refunded, used, closing });
});

test("with a seller a statement is an invoice, whose charges are the ledger's and whose tax moves no money", async () => {
  const { accountId, owner } = await newMonth();
  const before = await owner.billing.wholeStatement({});
  expect(before).toMatchObject({ currency: "CNY", invoice: null });
  const { runtime } = gateway;
  const read = (more: Partial<typeof runtime.config>) =>
    wholeStatementQueries.get.read(
      {
        ...runtime,
        config: { ...runtime.config, SELLER_NAME: "Northwind", SELLER_TAX_ID: "91310000", ...more },
      },
      { accountId, period: month() },
      "owner",
    );
  const { invoice, ...rest } = await read({ TAX_RATE: "6", TAX_INCLUDED: false, QUOTA_INVOICED: true });
  expect({ ...rest, invoice: null }).toEqual(before);
  const { charges = "", tax = "", total = "", due = "" } = invoice ?? {};
  expect(invoice).toMatchObject({
    seller: { name: "Northwind", address: null, taxId: "91310000" },
    ...{ charges: rest.used, net: rest.used, fromQuota: "0", paid: "0", taxRate: "6", isTaxIncluded: false },
  });
  expect(money(total)).toBe(money(charges) + money(tax));
  expect(money(due)).toBe(money(total));
  expect(await read({})).toMatchObject({
    invoice: { fromQuota: rest.used, total: "0", tax: "0", due: "0", taxRate: null },
  });
});

test("the buyer that an owner enters is on the statement, empty lines are none, and readers cannot change it", async () => {
  const { owner, accountId } = await newMonth();
  expect((await owner.billing.wholeStatement({})).buyer).toEqual({ name: null, address: null, taxId: null });
  await owner.account.setBuyer({ buyerName: " ACME GmbH ", buyerAddress: "", buyerTaxNumber: "DE 123" });
  const buyer = { name: "ACME GmbH", address: null, taxId: "DE 123" };
  expect((await owner.billing.wholeStatement({})).buyer).toEqual(buyer);
  await owner.account.setBuyer({ buyerTaxNumber: null });
  expect((await owner.billing.wholeStatement({})).buyer).toEqual({ ...buyer, taxId: null });
  await expect(owner.account.setBuyer({ buyerName: "two\nlines" })).rejects.toThrow();
  await expect(owner.account.setBuyer({ buyerName: "x".repeat(201) })).rejects.toThrow();
  const reader = await callerFor(gateway, { role: "reader", accountId });
  await expect(reader.account.setBuyer({ buyerName: "other" })).rejects.toMatchObject({ code: "FORBIDDEN" });
});

test("operators see refunds apart from top-ups on an account's page and in the list, and both are the month's", async () => {
  const { accountId } = await newMonth();
  const operator = await callerFor(gateway, { role: "operator" });
  const { month: shown, apart } = await operator.accounts.get({ accountId });
  expect(money(apart.refunds)).toBeGreaterThan(0n);
  expect(money(apart.topups) + money(apart.refunds)).toBe(money(shown.topups));
  const { rows } = await operator.accounts.list({ search: accountId });
  expect(rows.map((row) => row.apart)).toEqual([apart]);
});

test("an owner's month shows payments, refunds, adjustments and what was carried apart, and they add up to its top-ups", async () => {
  const { owner } = await newMonth();
  const { topups, apart } = await owner.billing.statement({ period: month() });
  expect(apart).toEqual({ topups: "2.5", refunded: "0.000000001", adjustments: "-0.25", carried: "0" });
  expect(Object.values(apart).reduce((sum, part) => sum + money(part), 0n)).toBe(money(topups));
});

test("operators see the refunds of an earlier month apart from its top-ups", async () => {
  const { accountId } = await newMonth();
  const earlier = "2020-02";
  await sqlOf(db()).begin(async (tx) => {
    await tx`set constraints all deferred`;
    // The worker would carry the rest over.
    await tx`update accounts set carries_topups_since = null where id = ${accountId}`;
    await tx`update ledger_entries set period = ${earlier} where account_id = ${accountId} and kind in ('topup', 'refund')`;
    const [moved] = await tx<{ topups: string }[]>`
      insert into account_months (account_id, period, quota, topups)
      select account_id, ${earlier}, 0, sum(amount) from ledger_entries
      where account_id = ${accountId} and period = ${earlier} group by account_id
      returning topups::text`;
    await tx`
      update account_months set topups = topups - ${moved?.topups ?? "0"}::bigint
      where account_id = ${accountId} and period = ${month()}`;
  });
  const operator = await callerFor(gateway, { role: "operator" });
  const { earlier: months } = await operator.accounts.get({ accountId });
  expect(months).toMatchObject([
    { period: earlier, topups: "2.500000001", apart: { topups: "2.5", refunds: "0.000000001" } },
  ]);
});
