import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { createAccount, getAccount, listAccountPage, renameAccount, setAccountStatus } from "@/server/access";
import { type Actor, exportChanges, listChanges, recordChange } from "@/server/audit";
import { nanos } from "@/server/base/money";
import { openDatabase, type Tx, transaction } from "@/server/db";
import { sqlOf } from "@/server/db/handles";
import type { AccountId } from "@/server/domain/ids";
import { allPages } from "@/tests/support/all-pages";
import { freshDatabase } from "@/tests/support/database";
import { perFile } from "@/tests/support/per-file";
import { expectRefused } from "@/tests/support/refusal";
import { branded } from "../support/branded";

const db = perFile(async () => openDatabase(await freshDatabase()));

const actor: Actor = { userId: "usr_1", name: "root@tollgate.test", address: "203.0.113.9" };

const newAccount = () => createAccount(db, { name: randomUUID(), monthlyQuotaNanos: nanos(0n) });

/** Disables an account and records it with these views, as a door does. */
async function disable(tx: Tx, accountId: AccountId, view: Record<string, unknown> = {}): Promise<void> {
  const { name } = await setAccountStatus(tx, { accountId, status: "disabled" });
  const target = { id: accountId, name };
  await recordChange(tx, { actor, action: "account.disable", accountId, target, after: view });
}

const changesOf = async (accountId: AccountId) => (await listChanges(db, { accountId }, { limit: 50 })).rows;

const record = (entry: Parameters<typeof recordChange>[1]) =>
  transaction(db, (tx) => recordChange(tx, entry));

async function history(count: number): Promise<AccountId> {
  const { id, name } = await newAccount();
  for (let index = 0; index < count; index++) {
    const action = index % 2 === 0 ? "account.enable" : "account.rename";
    await record({ actor, action, accountId: id, target: { id, name }, after: { index } });
  }
  return id;
}

test("an entry has the actor, the action, the account, the target and only the members that differ", async () => {
  const account = await newAccount();
  const before = { name: account.name, status: "active" };
  await record({
    ...{ actor, action: "account.rename", accountId: account.id },
    ...{ target: { id: account.id, name: account.name }, before, after: { ...before, name: "new" } },
  });
  expect(await changesOf(account.id)).toEqual([
    {
      ...{ id: expect.stringMatching(/^\d+$/), createdAt: expect.any(Date), userId: "usr_1" },
      ...{ actor: "root@tollgate.test", address: "203.0.113.9", action: "account.rename" },
      ...{ accountId: account.id, targetId: account.id, targetName: account.name },
      ...{ before: { name: account.name }, after: { name: "new" } },
    },
  ]);
});

test("a change and its entry are committed or rolled back together", async () => {
  const { id } = await newAccount();
  const failsLater = transaction(db, async (tx) => {
    await disable(tx, id);
    throw new Error("after all");
  });
  await expect(failsLater).rejects.toThrow("after all");
  // Money that is not a decimal string cannot be recorded.
  const cannotBeRecorded = transaction(db, (tx) => disable(tx, id, { quota: 1n }));
  await expect(cannotBeRecorded).rejects.toThrow(TypeError);
  expect((await getAccount(db, id)).status).toBe("active");
  expect(await changesOf(id)).toEqual([]);
  await transaction(db, (tx) => disable(tx, id));
  expect((await getAccount(db, id)).status).toBe("disabled");
  expect(await changesOf(id)).toMatchObject([{ action: "account.disable" }]);
});

test("pages are disjoint, newest first, and hold every change of the account and no other", async () => {
  const [accountId] = [await history(7), await history(2)];
  const rows = await allPages(async (cursor) => {
    const page = await listChanges(db, { accountId }, { cursor, limit: 3 });
    expect(page.rows.length).toBeLessThanOrEqual(3);
    return page;
  });
  expect(rows.map((row) => row.after)).toEqual([6, 5, 4, 3, 2, 1, 0].map((index) => ({ index })));
  await expectRefused(listChanges(db, {}, { cursor: "1 or 1=1", limit: 3 }), "pageUnknown");
});

test("filters restrict the list, alone and together", async () => {
  const accountId = await history(5);
  const count = async (filter: Parameters<typeof listChanges>[1]) =>
    (await listChanges(db, { accountId, ...filter }, { limit: 50 })).rows.length;
  const changes = await changesOf(accountId);
  const until = changes[0]?.createdAt ?? new Date(0);
  // A fast machine makes several within a millisecond.
  const since = changes.filter(({ createdAt }) => createdAt >= until).length;
  expect(await count({ action: "account.rename" })).toBe(2);
  expect(await count({ action: "account.rename", actor: "root@tollgate.test" })).toBe(2);
  expect(await count({ actor: "command" })).toBe(0);
  expect(await count({ targetId: accountId })).toBe(5);
  expect(await count({ targetId: "elsewhere" })).toBe(0);
  expect(await count({ from: until })).toBe(since);
  expect(await count({ until })).toBe(5 - since);
});

test("an export of many batches has each change once", async () => {
  const { id, name } = await newAccount();
  await sqlOf(db)`
    insert into audit_entries (actor, action, account_id, target_id, target_name)
    select 'command', 'account.enable', ${id}, ${id}, ${name} from generate_series(1, 1201)`;
  const ids: string[] = [];
  const sizes: number[] = [];
  for await (const rows of exportChanges(db, { accountId: id })) {
    sizes.push(rows.length);
    ids.push(...rows.map((row) => row.id));
  }
  expect(sizes).toEqual([500, 500, 201]);
  expect(new Set(ids).size).toBe(1201);
});

test("a change of an account's status or name returns the earlier state, and a taken name is refused", async () => {
  const [first, second] = [await newAccount(), await newAccount()];
  expect(await setAccountStatus(db, { accountId: first.id, status: "disabled" })).toEqual(first);
  const disabled = { ...first, status: "disabled" };
  expect(await renameAccount(db, { accountId: first.id, name: `${first.name} & sons` })).toEqual(disabled);
  expect((await getAccount(db, first.id)).name).toBe(`${first.name} & sons`);
  const renaming = renameAccount(db, { accountId: first.id, name: second.name });
  await expect(renaming).rejects.toMatchObject({ reason: "accountNameTaken", values: { name: second.name } });
  const unknown = setAccountStatus(db, { accountId: branded("acc_none"), status: "active" });
  await expectRefused(unknown, "accountUnknown");
});

test("a search finds accounts by a part of their name as typed, page by page, newest first", async () => {
  const mark = randomUUID();
  const made = [];
  for (const name of [`${mark} 50%_off`, `${mark} plain`, `${mark} OTHER`, `${mark} 500 off`]) {
    made.push(await createAccount(db, { name, monthlyQuotaNanos: nanos(0n) }));
  }
  const names = async (filter: Parameters<typeof listAccountPage>[1]) =>
    (await listAccountPage(db, filter, { limit: 10 })).rows.map((row) => row.name.slice(mark.length + 1));
  expect(await names({ search: mark })).toEqual(["500 off", "OTHER", "plain", "50%_off"]);
  expect(await names({ search: `${mark} other` })).toEqual(["OTHER"]);
  expect(await names({ search: "%_OFF" })).toEqual(["50%_off"]);
  expect(await names({ search: made[1]?.id })).toEqual(["plain"]);
  await setAccountStatus(db, { accountId: made[0]?.id ?? branded(""), status: "disabled" });
  expect(await names({ search: mark, status: "disabled" })).toEqual(["50%_off"]);
  const first = await listAccountPage(db, { search: mark }, { limit: 3 });
  const second = await listAccountPage(
    db,
    { search: mark },
    { cursor: first.nextCursor ?? undefined, limit: 3 },
  );
  expect([first.rows.length, second.rows.length, second.nextCursor]).toEqual([3, 1, null]);
  for (const sort of ["created", "name", "-name"] as const) {
    const whole = await listAccountPage(db, { search: mark }, { limit: 4, sort });
    const begin = await listAccountPage(db, { search: mark }, { limit: 2, sort });
    const end = await listAccountPage(
      db,
      { search: mark },
      { limit: 2, sort, cursor: begin.nextCursor ?? "" },
    );
    expect([...begin.rows, ...end.rows]).toEqual(whole.rows);
    expect(end.nextCursor).toBeNull();
  }
  const last = await listAccountPage(db, { search: mark }, { limit: 1 });
  const misplaced = { limit: 1, sort: "name", cursor: last.nextCursor ?? "" } as const;
  await expect(listAccountPage(db, { search: mark }, misplaced)).rejects.toThrow("does not exist");
  const sortedBy = async (sort: "created" | "name" | "-name") =>
    (await listAccountPage(db, { search: mark }, { limit: 4, sort })).rows.map(({ name }) => name);
  const namesMade = made.map(({ name }) => name);
  expect(await sortedBy("created")).toEqual(namesMade);
  expect(await sortedBy("-name")).toEqual((await sortedBy("name")).toReversed());
});
