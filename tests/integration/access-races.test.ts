import { eq } from "drizzle-orm";
import type { TransactionSql } from "postgres";
import { describe, expect, test } from "vitest";
import { enableTotp, findSessionUser, getUser, issueLink } from "@/server/access";
import { takeCode } from "@/server/access/people/reauthentication";
import { endSessionsOf, openSession } from "@/server/access/people/sessions";
import { findIdentityByEmail } from "@/server/access/people/users";
import { tables, transaction } from "@/server/db";
import { sqlOf } from "@/server/db/handles";
import { until } from "@/tests/support/until";
import { userRoom } from "@/tests/support/user-room";

const room = userRoom(new Date("2026-03-01T12:00:00Z"));

/** An owner of a new account, with the identity that a correct password returns. */
async function newOwner() {
  const person = await room.owner();
  const identity = await findIdentityByEmail(room.db, person.email);
  return { ...person, identity: identity ?? expect.fail("there is no such user") };
}

type AccountOwner = Awaited<ReturnType<typeof newOwner>>;

/** Starts `work` just before `change` commits, so that `work` waits for it. */
async function whileChanging<T>(
  change: (sql: TransactionSql) => Promise<unknown>,
  work: () => Promise<T>,
): Promise<T> {
  let pending: Promise<T> | undefined;
  await sqlOf(room.db).begin(async (sql) => {
    await change(sql);
    pending = work();
    pending.catch(() => {});
    await until(async () => (await room.waiters()) >= 1);
  });
  return await (pending as Promise<T>);
}

const sessionsOf = async (userId: string) =>
  (await sqlOf(room.db)<{ id: string }[]>`select id from sessions where user_id = ${userId}`).map(
    ({ id }) => id,
  );

describe("a session", () => {
  test.each<[string, (sql: TransactionSql, owner: AccountOwner) => Promise<unknown>]>([
    [
      "for a user who is being disabled",
      (sql, { id }) => sql`update users set status = 'disabled' where id = ${id}`,
    ],
    [
      "for a user of an account that is being disabled",
      (sql, { accountId }) => sql`update accounts set status = 'disabled' where id = ${accountId}`,
    ],
    [
      "by a password that is being changed",
      (sql, { id }) => sql`update users set password_hash = 'another' where id = ${id}`,
    ],
  ])("is not opened: %s", async (_whom, change) => {
    const owner = await newOwner();
    const opened = await whileChanging(
      (sql) => change(sql, owner),
      () => openSession(room.db, owner.identity),
    );
    expect(opened).toBeNull();
    expect(await sessionsOf(owner.id)).toEqual([]);
  });

  test("that is being opened ends together with the user's other sessions", async () => {
    const { id, identity } = await newOwner();
    let ending: Promise<unknown> = Promise.resolve();
    await transaction(room.db, async (transaction) => {
      expect(await openSession(transaction, identity)).not.toBeNull();
      ending = endSessionsOf(room.db, eq(tables.users.id, id));
      await until(async () => (await room.waiters()) >= 1);
    });
    await ending;
    expect(await sessionsOf(id)).toEqual([]);
  });

  const disabled = ["users", "accounts"] as const;
  test.each(disabled)("with a leftover row gives no access once its row in %s is disabled", async (table) => {
    const { id, accountId, identity } = await newOwner();
    const sessionId = (await openSession(room.db, identity))?.sessionId ?? "";
    expect(await findSessionUser(room.db, sessionId)).not.toBeNull();
    const row = table === "users" ? id : accountId;
    await sqlOf(room.db)`update ${sqlOf(room.db)(table)} set status = 'disabled' where id = ${row}`;
    expect(await sessionsOf(id)).toEqual([sessionId]);
    expect(await findSessionUser(room.db, sessionId)).toBeNull();
  });
});

test("a link is not made for a user who is being disabled", async () => {
  const { id } = await newOwner();
  const issuing = whileChanging(
    (sql) => sql`update users set status = 'disabled' where id = ${id}`,
    () => issueLink(room.db, id),
  );
  await expect(issuing).rejects.toMatchObject({ reason: "userDisabled" });
  expect(await sqlOf(room.db)`select 1 from user_links where user_id = ${id}`).toHaveLength(0);
});

describe("an authenticator's code", () => {
  test("is accepted while its secret is being sealed again", async () => {
    const owner = await room.owner();
    const { id } = owner;
    const { secret } = await room.begin(owner);
    await enableTotp(room.db, room.deps, { userId: id, code: room.codeOf(secret, -1) });
    const isTaken = await whileChanging(
      (sql) => sql`update users set totp_secret = ${room.vault.seal(secret)} where id = ${id}`,
      () => takeCode(room.db, room.deps, { userId: id, code: room.codeOf(secret) }),
    );
    expect(isTaken).toBe(true);
  });

  test("does not turn the second factor on while its secret is being replaced, because no app has the new one yet", async () => {
    const owner = await room.owner();
    const { id } = owner;
    const { secret } = await room.begin(owner);
    const enabling = whileChanging(
      (sql) => sql`update users set totp_secret = ${room.vault.seal("JBSWY3DPEHPK3PXP")} where id = ${id}`,
      () => enableTotp(room.db, room.deps, { userId: id, code: room.codeOf(secret) }),
    );
    await expect(enabling).rejects.toMatchObject({ reason: "totpOn" });
    expect(await getUser(room.db, { userId: id })).toMatchObject({ hasTotp: false });
  });
});
