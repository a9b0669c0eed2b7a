import { randomUUID } from "node:crypto";
import { afterAll, describe, expect, test } from "vitest";
import { nanos } from "@/server/base/money";
import { listEntries } from "@/server/billing";
import { callerFor, PASSWORD } from "@/tests/support/console";
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

describe("money", () => {
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

  test("granted is never negative", async () => {
    const { accountId } = await gateway.customer();
    await expect(operator.accounts.setQuota({ accountId, quota: "-1" })).rejects.toMatchObject({
      code: "BAD_REQUEST",
    });
  });
});
