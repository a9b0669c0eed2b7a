import { randomUUID } from "node:crypto";
import { afterAll, describe, expect, test } from "vitest";
import { findSessionUser } from "@/server/access";
import { nanos } from "@/server/base/money";
import { listEntries } from "@/server/billing";
import { sqlOf } from "@/server/db/handles";
import { callerFor, contextFor, PASSWORD } from "@/tests/support/console";
import { eventually } from "@/tests/support/eventually";
import { perFile, servedModel } from "@/tests/support/per-file";
import { sharedGateway } from "@/tests/support/shared-gateway";
import { signIns, tokenOf } from "@/tests/support/sign-ins";
import { answerWith, startUpstream, usage } from "@/tests/support/upstream";

const gateway = perFile(sharedGateway);
const upstream = perFile(() => startUpstream(answerWith("hi", usage(0, 1_000))));
// A call of 1,000 tokens costs 0.002.
const model = servedModel({ gateway, upstream }, { inputPrice: nanos(0n) });
const operator = perFile(() => callerFor(gateway, { role: "operator" }));
afterAll(async () => {
  expect(await gateway.verify()).toEqual([]);
});

const { setPassword, enter, lastChange } = signIns(gateway);

const call = (secret: string) =>
  gateway.chat(secret, { model, max_tokens: 1_000, messages: [{ role: "user", content: "hi" }] });

async function create(more: object = {}) {
  const email = `${randomUUID()}@example.com`;
  const wanted = { name: randomUUID(), quota: "5", email, ...more };
  const { invitation, ...made } = await operator.accounts.create(wanted);
  if (!invitation) {
    throw new Error("nobody was invited");
  }
  return { ...made, ...invitation };
}

describe("a new account", () => {
  test("has the limits that it is made with, and those that are set later", async () => {
    const made = await create({ requestsPerMinute: 60, tokensPerMinute: 100_000 });
    const limits = { requestsPerMinute: 60, tokensPerMinute: 100_000, maxConcurrent: null };
    expect(await operator.accounts.get({ accountId: made.id })).toMatchObject(limits);
    expect(await lastChange(made.id)).toMatchObject({
      action: "account.create",
      after: { requestsPerMinute: 60, tokensPerMinute: 100_000 },
    });
    await operator.accounts.setLimits({ accountId: made.id, tokensPerMinute: 5 });
    expect(await operator.accounts.get({ accountId: made.id })).toMatchObject({
      ...limits,
      tokensPerMinute: 5,
    });
    await expect(create({ tokensPerMinute: 0 })).rejects.toMatchObject({ code: "BAD_REQUEST" });
  });

  test("has its quota at once, and its owner signs in with the password that they set by the link", async () => {
    const made = await create({ quota: "5.000000001" });
    expect(await enter(made.email, PASSWORD)).toBe("refused");
    await setPassword(made.url, PASSWORD);
    expect(await enter(made.email, PASSWORD)).toBe("signed_in");
    const account = await operator.accounts.get({ accountId: made.id });
    expect(account).toMatchObject({
      status: "active",
      quota: "5.000000001",
      month: { quota: "5.000000001", used: "0", frozen: "0", available: "5.000000001" },
      earlier: [],
    });
    const people = await operator.users.list({ accountId: made.id });
    expect(people).toMatchObject([{ email: made.email, role: "owner", hasTotp: false }]);
  });

  test("takes no password from who makes it, and no later answer tells the link again", async () => {
    await expect(create({ password: PASSWORD })).rejects.toMatchObject({ code: "BAD_REQUEST" });
    const made = await create();
    const shown = [await operator.accounts.get({ accountId: made.id }), await lastChange(made.id)];
    expect(JSON.stringify(shown)).not.toContain(tokenOf(made.url));
    expect(await lastChange(made.id)).toMatchObject({
      action: "account.create",
      targetName: made.name,
      before: null,
      after: { name: made.name, quota: "5", user: made.email },
    });
  });

  test("is not made when its name or its owner's e-mail is taken", async () => {
    const first = await create();
    await expect(create({ name: first.name })).rejects.toMatchObject({
      cause: { reason: "accountNameTaken" },
    });
    const name = randomUUID();
    await expect(create({ name, email: first.email })).rejects.toMatchObject({
      cause: { reason: "emailTaken" },
    });
    expect((await operator.accounts.list({ search: name })).rows).toEqual([]);
  });
});

describe("the list", () => {
  test("finds an account by a part of its name in any case, by its identifier, and by its state", async () => {
    const mark = randomUUID();
    const made = await create({ name: `ACME ${mark}` });
    const search = async (filter: object) => (await operator.accounts.list(filter)).rows.map(({ id }) => id);
    expect(await search({ search: `acme ${mark}` })).toEqual([made.id]);
    expect(await search({ search: made.id })).toEqual([made.id]);
    expect(await search({ search: mark, status: "disabled" })).toEqual([]);
    await operator.accounts.setStatus({ accountId: made.id, status: "disabled" });
    expect(await search({ search: mark, status: "disabled" })).toEqual([made.id]);
  });

  test("shows each account once over its pages, newest first, with the month's exact figures", async () => {
    const mark = randomUUID();
    const { db } = gateway.runtime;
    const ids = Array.from({ length: 60 }, (_, index) => `acc_${mark}_${String(index).padStart(2, "0")}`);
    await sqlOf(db)`
      insert into accounts ${sqlOf(db)(ids.map((id) => ({ id, name: id, monthly_quota: "1000000001" })))}`;
    const first = await operator.accounts.list({ search: mark });
    const second = await operator.accounts.list({ search: mark, cursor: first.nextCursor ?? "" });
    expect(second.nextCursor).toBeNull();
    const rows = [...first.rows, ...second.rows];
    expect(rows.map(({ id }) => id)).toEqual([...ids].reverse());
    expect(rows[0]?.month).toMatchObject({ quota: "1.000000001", available: "1.000000001" });
  });
});

describe("money", () => {
  test("that a call spent is on the account's page to the last digit", async () => {
    const { accountId, secret } = await gateway.customer({ quota: "1" });
    expect((await call(secret)).status).toBe(200);
    const { month } = await operator.accounts.get({ accountId });
    expect(month).toMatchObject({ quota: "1", used: "0.002", frozen: "0", available: "0.998" });
  });

  test("topped up cures an empty account at once; its reason stands in the ledger and in the log of changes", async () => {
    const { accountId, secret } = await gateway.customer({ quota: "0" });
    expect((await call(secret)).status).toBe(402);
    const reason = "invoice 118 paid";
    expect(await operator.accounts.topUp({ accountId, amount: "0.5", reason })).toEqual({ available: "0.5" });
    expect((await call(secret)).status).toBe(200);
    const entries = await listEntries(gateway.runtime.db, { accountId, limit: 10 });
    expect(entries.find(({ kind }) => kind === "topup")).toMatchObject({ amount: 500000000n, note: reason });
    const period = gateway.runtime.billing.period();
    expect(await lastChange(accountId)).toMatchObject({
      action: "account.top_up",
      after: { amount: "0.5", reason, period },
    });
  });

  test.each(["0", "-1", "1e3", "0.0000000001", ""])(
    "of %j is no top-up, and moves nothing",
    async (amount) => {
      const { accountId } = await gateway.customer({ quota: "1" });
      await expect(operator.accounts.topUp({ accountId, amount, reason: "r" })).rejects.toMatchObject({
        code: "BAD_REQUEST",
      });
      expect(await gateway.balance(accountId)).toMatchObject({ topups: 0n, available: 1_000_000_000n });
    },
  );

  test("needs a reason to be topped up", async () => {
    const { accountId } = await gateway.customer();
    const change = { accountId, amount: "1", reason: "  " };
    await expect(operator.accounts.topUp(change)).rejects.toMatchObject({ code: "BAD_REQUEST" });
  });

  test("granted falls to what is spent in this month, and to the new quota in the next", async () => {
    const { accountId, secret } = await gateway.customer({ quota: "1" });
    expect((await call(secret)).status).toBe(200);
    expect(await operator.accounts.setQuota({ accountId, quota: "0.001" })).toEqual({ thisMonth: "0.002" });
    const account = await operator.accounts.get({ accountId });
    expect(account).toMatchObject({ quota: "0.001", month: { quota: "0.002", available: "0" } });
    expect(await lastChange(accountId)).toMatchObject({
      action: "account.set_quota",
      before: { quota: "1" },
      after: { quota: "0.001" },
    });
  });

  test("granted is never negative", async () => {
    const { accountId } = await gateway.customer();
    await expect(operator.accounts.setQuota({ accountId, quota: "-1" })).rejects.toMatchObject({
      code: "BAD_REQUEST",
    });
  });
});

describe("an account that is disabled", () => {
  test("answers 403 within a second, and enabling lets its keys and passwords in again, but no session of before", async () => {
    const { accountId, secret } = await gateway.customer();
    const { viewer } = await contextFor(gateway, { role: "owner", accountId });
    const session = viewer?.sessionId ?? "";
    const isIn = async () => (await findSessionUser(gateway.runtime.db, session)) !== null;
    expect((await call(secret)).status).toBe(200);
    await operator.accounts.setStatus({ accountId, status: "disabled" });
    await eventually(async () => (await call(secret)).status, 1_000).toBe(403);
    expect(await isIn()).toBe(false);
    expect(await enter(viewer?.email ?? "", PASSWORD)).toBe("disabled");
    expect(await lastChange(accountId)).toMatchObject({
      action: "account.disable",
      before: { status: "active" },
      after: { status: "disabled" },
    });
    await operator.accounts.setStatus({ accountId, status: "active" });
    await eventually(async () => (await call(secret)).status, 1_000).toBe(200);
    expect(await enter(viewer?.email ?? "", PASSWORD)).toBe("signed_in");
    expect(await isIn()).toBe(false);
  });
});

describe("a name", () => {
  test("is changed and recorded with the old one; one that is taken is refused", async () => {
    const [one, other] = [await create(), await create()];
    const name = randomUUID();
    await operator.accounts.rename({ accountId: one.id, name });
    expect((await operator.accounts.get({ accountId: one.id })).name).toBe(name);
    expect(await lastChange(one.id)).toMatchObject({
      action: "account.rename",
      targetName: name,
      before: { name: one.name },
      after: { name },
    });
    await expect(operator.accounts.rename({ accountId: one.id, name: other.name })).rejects.toMatchObject({
      cause: { reason: "accountNameTaken" },
    });
  });
});

describe("the keys of an account", () => {
  test("are listed without a secret, and switched off and on, which is recorded", async () => {
    const { accountId, keyId, secret } = await gateway.customer();
    const { rows } = await operator.accounts.keys.list({ accountId });
    expect(rows).toMatchObject([{ id: keyId, lastFour: secret.slice(-4), status: "active" }]);
    expect(JSON.stringify(rows)).not.toContain(secret);
    await operator.accounts.keys.setStatus({ accountId, keyId, status: "disabled" });
    await eventually(async () => (await call(secret)).status, 1_000).toBe(403);
    expect(await lastChange(accountId)).toMatchObject({
      action: "key.disable",
      targetId: keyId,
      before: { status: "active" },
      after: { status: "disabled" },
    });
  });

  test("are not reached by way of another account", async () => {
    const [one, other] = [await gateway.customer(), await gateway.customer()];
    const change = { accountId: one.accountId, keyId: other.keyId, status: "disabled" } as const;
    await expect(operator.accounts.keys.setStatus(change)).rejects.toMatchObject({
      cause: { reason: "keyUnknown" },
    });
  });
});
