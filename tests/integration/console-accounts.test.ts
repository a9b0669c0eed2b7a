import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { callerFor, PASSWORD } from "@/tests/support/console";
import { perFile } from "@/tests/support/per-file";
import { sharedGateway } from "@/tests/support/shared-gateway";
import { signIns, tokenOf } from "@/tests/support/sign-ins";

const gateway = perFile(sharedGateway);
const operator = perFile(() => callerFor(gateway, { role: "operator" }));

const { lastChange } = signIns(gateway);

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

test("money of no amount or for no reason is no top-up, a negative quota is none, and nothing moves", async () => {
  const { accountId } = await gateway.customer({ quota: "1" });
  const amounts = ["0", "-1", "1e3", "0.0000000001", ""].map((amount) => ({ amount, reason: "r" }));
  for (const wrong of [...amounts, { amount: "1", reason: "  " }]) {
    await expect(operator.accounts.topUp({ accountId, ...wrong })).rejects.toMatchObject({
      code: "BAD_REQUEST",
    });
  }
  await expect(operator.accounts.setQuota({ accountId, quota: "-1" })).rejects.toMatchObject({
    code: "BAD_REQUEST",
  });
  expect(await gateway.balance(accountId)).toMatchObject({ topups: 0n, available: 1_000_000_000n });
});
