import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sqlOf } from "@/server/db/handles";
import { callerFor } from "@/tests/support/console";
import type { TestGateway } from "@/tests/support/gateway";
import { sharedGateway } from "@/tests/support/shared-gateway";

let gateway: TestGateway;
let operator: Awaited<ReturnType<typeof callerFor>>;

beforeAll(async () => {
  gateway = await sharedGateway();
  operator = await callerFor(gateway, { role: "operator" });
});
afterAll(() => gateway.close());

const actionsOf = async (filter: Parameters<typeof operator.audit.list>[0]) =>
  (await operator.audit.list(filter)).rows.map(({ action }) => action);

test("a change is told by who made it, from where, to what of whose, and what differed", async () => {
  const { accountId } = await gateway.customer();
  const name = randomUUID();
  await operator.accounts.rename({ accountId, name });
  const [change] = (await operator.audit.list({ accountId })).rows;
  expect(change).toMatchObject({
    action: "account.rename",
    actor: expect.stringMatching(/@example\.com$/),
    address: "203.0.113.7",
    accountId,
    accountName: name,
    targetId: accountId,
    before: { name: expect.any(String) },
    after: { name },
  });
});

test("changes are found by action, account, target, who made them, and time", async () => {
  const { accountId, keyId } = await gateway.customer();
  const other = await callerFor(gateway, { role: "operator" });
  await operator.accounts.setStatus({ accountId, status: "disabled" });
  await other.accounts.setStatus({ accountId, status: "active" });
  await operator.accounts.keys.setStatus({ accountId, keyId, status: "disabled" });
  expect(await actionsOf({ accountId })).toEqual(["key.disable", "account.enable", "account.disable"]);
  expect(await actionsOf({ accountId, action: "account.enable" })).toEqual(["account.enable"]);
  expect(await actionsOf({ targetId: keyId })).toEqual(["key.disable"]);
  const [, enabled] = (await operator.audit.list({ accountId })).rows;
  expect(await actionsOf({ actor: enabled?.actor })).toEqual(["account.enable"]);
  const at = enabled?.createdAt.toISOString() ?? "";
  expect(await actionsOf({ accountId, from: at })).toEqual(["key.disable", "account.enable"]);
  expect(await actionsOf({ accountId, until: at })).toEqual(["account.disable"]);
});

test("each change is on one page of the list, newest first", async () => {
  const { accountId } = await gateway.customer();
  const sql = sqlOf(gateway.runtime.db);
  await sql`
    insert into audit_entries (actor, action, account_id, target_id, target_name)
    select 'command', 'account.rename', ${accountId}, ${accountId}, n::text from generate_series(1, 70) n`;
  const first = await operator.audit.list({ accountId });
  const second = await operator.audit.list({ accountId, cursor: first.nextCursor ?? "" });
  expect(first.rows).toHaveLength(50);
  expect(second.nextCursor).toBeNull();
  const names = [...first.rows, ...second.rows].map(({ targetName }) => Number(targetName));
  expect(names).toEqual(Array.from({ length: 70 }, (_, index) => 70 - index));
});

test("a cursor that no list gave is refused, not taken for the first page", async () => {
  await expect(operator.audit.list({ cursor: "~" })).rejects.toMatchObject({
    cause: { reason: "pageUnknown" },
  });
});
