/** Codes that customers redeem for money: each works once, even if several try at the same moment. */
import { expect, test } from "vitest";
import { sqlOf } from "@/server/db/handles";
import { callerFor } from "@/tests/support/console";
import { perFile } from "@/tests/support/per-file";
import { sharedGateway } from "@/tests/support/shared-gateway";

const gateway = perFile(sharedGateway);
const sql = () => sqlOf(gateway.runtime.db);

async function newCodes(terms: { count?: number; amount?: string; expiresAt?: string } = {}) {
  const operator = await callerFor(gateway, { role: "operator" });
  const batch = await operator.codes.create({ name: "spring", amount: "2.5", count: 1, ...terms });
  const [code = ""] = batch.codes;
  return { operator, batch, code };
}

async function newOwner() {
  const { accountId } = await gateway.customer();
  return { accountId, owner: await callerFor(gateway, { role: "owner", accountId }) };
}

const topupsOf = (accountId: string) =>
  sql()<{ amount: string; note: string }[]>`
    select amount, note from ledger_entries where account_id = ${accountId} and kind = 'topup'`;

test("a code adds its amount to the month, as one entry that names its batch, and the ledger agrees", async () => {
  const { batch, code, operator } = await newCodes();
  const { accountId, owner } = await newOwner();
  const { amount, available } = await owner.codes.redeem({ code: ` ${code.toLowerCase()} ` });
  expect(amount).toBe("2.5");
  const month = await owner.billing.statement({ period: gateway.runtime.billing.period() });
  expect([month.topups, month.available]).toEqual(["2.5", available]);
  expect(await topupsOf(accountId)).toEqual([
    { amount: "2500000000", note: `code …${code.slice(-4)}, spring` },
  ]);
  const { uses, redeemed } = await operator.codes.get({ batchId: batch.id });
  expect(redeemed).toBe(1);
  expect(uses).toEqual([
    {
      lastFour: code.slice(-4),
      redeemedAt: expect.any(Date),
      account: { id: accountId, name: expect.any(String) },
    },
  ]);
  expect(await gateway.verify()).toEqual([]);
});

test("of twenty concurrent redemptions of a code, two by each account, one gets its amount", async () => {
  const { code } = await newCodes();
  const owners = await Promise.all(Array.from({ length: 10 }, newOwner));
  const tries = await Promise.allSettled(
    [...owners, ...owners].map(({ owner }) => owner.codes.redeem({ code })),
  );
  expect(tries.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  const refused = tries.flatMap((result) => (result.status === "rejected" ? [String(result.reason)] : []));
  expect(new Set(refused)).toEqual(new Set([expect.stringContaining("already been redeemed")]));
  const entries = (await Promise.all(owners.map(({ accountId }) => topupsOf(accountId)))).flat();
  expect(entries).toHaveLength(1);
});

test("a code that has expired, was disabled or was never made gives nothing, and is not spent by the attempt", async () => {
  const { accountId, owner } = await newOwner();
  const expired = await newCodes({ expiresAt: new Date(Date.now() - 1_000).toISOString() });
  await expect(owner.codes.redeem({ code: expired.code })).rejects.toThrow(/expired/);
  const disabled = await newCodes({ count: 2 });
  const [first = "", second = ""] = disabled.batch.codes;
  await owner.codes.redeem({ code: first });
  await disabled.operator.codes.disable({ batchId: disabled.batch.id });
  await expect(owner.codes.redeem({ code: second })).rejects.toThrow(/disabled/);
  await expect(owner.codes.redeem({ code: "3F9A-7K2M-XW40-HQ8Z-1BCD" })).rejects.toThrow(
    /code does not exist/,
  );
  await expect(owner.codes.redeem({ code: "x" })).rejects.toThrow(/code does not exist/);
  expect(await topupsOf(accountId)).toHaveLength(1);
  const { redeemed } = await disabled.operator.codes.get({ batchId: disabled.batch.id });
  expect(redeemed).toBe(1);
});

test("disabling and redeeming a code at once leave it either redeemed or refused", async () => {
  for (let round = 0; round < 10; round++) {
    const { code, batch, operator } = await newCodes();
    const { accountId, owner } = await newOwner();
    const [redeemed] = await Promise.allSettled([
      owner.codes.redeem({ code }),
      operator.codes.disable({ batchId: batch.id }),
    ]);
    expect(await topupsOf(accountId)).toHaveLength(redeemed.status === "fulfilled" ? 1 : 0);
  }
});

test("no code is stored in plain text, neither in its table nor in the audit log", async () => {
  const { code, batch } = await newCodes({ count: 1_000 });
  expect(new Set(batch.codes).size).toBe(1_000);
  const rows = await sql()`select t::text as row from redeem_codes t where batch_id = ${batch.id}`;
  const changes = await sql()`select t::text as row from audit_entries t where target_id = ${batch.id}`;
  expect(changes).toHaveLength(1);
  const kept = JSON.stringify([rows, changes]);
  for (const text of [code, code.replaceAll("-", "")]) {
    expect(kept).not.toContain(text);
  }
});

test("a code without a value is refused", async () => {
  const operator = await callerFor(gateway, { role: "operator" });
  const free = operator.codes.create({ name: "free", amount: "0", count: 1 });
  await expect(free).rejects.toThrow(/more than zero/);
});
