import { randomUUID } from "node:crypto";
import { eq } from "drizzle-orm";
import { Secret, TOTP } from "otpauth";
import type { TransactionSql } from "postgres";
import { beforeAll, describe, expect, test } from "vitest";
import {
  beginTotp,
  createAccount,
  createSignInLimiter,
  createUser,
  enableTotp,
  findSessionUser,
  getUser,
  type IdentityDeps,
  issueLink,
} from "@/server/access";
import { takeCode } from "@/server/access/reauthentication";
import { endSessionsOf, openSession } from "@/server/access/sessions";
import { findIdentityByEmail } from "@/server/access/users";
import { nanos } from "@/server/base/money";
import { createVault } from "@/server/base/vault";
import { type Database, tables, transaction } from "@/server/db";
import { sqlOf } from "@/server/db/handles";
import { freshDatabase } from "@/tests/support/database";
import { openLedger } from "@/tests/support/ledger";
import { perFile } from "@/tests/support/per-file";
import { until } from "@/tests/support/until";

const PASSWORD = "a password that is long";
const vault = createVault("e".repeat(32));
const now = new Date("2026-03-01T12:00:00Z");

const ledger = perFile(async () => openLedger(await freshDatabase()));
let db: Database;
let deps: IdentityDeps;
beforeAll(() => {
  db = ledger.db;
  deps = { attempts: createSignInLimiter(db), vault, clock: () => now, pepper: "p".repeat(32) };
});

/** An owner of a new account, as a password that was just found right says. */
async function newOwner() {
  const { id: accountId } = await createAccount(db, { name: randomUUID(), monthlyQuotaNanos: nanos(0n) });
  const email = `${randomUUID()}@tollgate.test`;
  const { id } = await createUser(db, { accountId, email, password: PASSWORD });
  const identity = await findIdentityByEmail(db, email);
  if (!identity) {
    throw new Error("there is no such user");
  }
  return { id, accountId, identity };
}

type Owner = Awaited<ReturnType<typeof newOwner>>;

/** Starts `work` while `change` is about to commit, so that it waits for it. */
async function besides<T>(
  change: (sql: TransactionSql) => Promise<unknown>,
  work: () => Promise<T>,
): Promise<T> {
  let pending: Promise<T> | undefined;
  await sqlOf(db).begin(async (sql) => {
    await change(sql);
    pending = work();
    pending.catch(() => {});
    await until(async () => (await ledger.waiters()) >= 1);
  });
  return await (pending as Promise<T>);
}

const sessionsOf = async (userId: string) =>
  (await sqlOf(db)<{ id: string }[]>`select id from sessions where user_id = ${userId}`).map(({ id }) => id);

describe("a session", () => {
  test.each<[string, (sql: TransactionSql, owner: Owner) => Promise<unknown>]>([
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
    const opened = await besides(
      (sql) => change(sql, owner),
      () => openSession(db, owner.identity),
    );
    expect(opened).toBeNull();
    expect(await sessionsOf(owner.id)).toEqual([]);
  });

  test("that is being opened is ended with the others", async () => {
    const { id, identity } = await newOwner();
    let ending: Promise<unknown> = Promise.resolve();
    await transaction(db, async (transaction) => {
      expect(await openSession(transaction, identity)).not.toBeNull();
      ending = endSessionsOf(db, eq(tables.users.id, id));
      await until(async () => (await ledger.waiters()) >= 1);
    });
    await ending;
    expect(await sessionsOf(id)).toEqual([]);
  });

  test.each(["users", "accounts"] as const)(
    "whose row is left over opens nothing once %s say disabled",
    async (table) => {
      const { id, accountId, identity } = await newOwner();
      const sessionId = (await openSession(db, identity))?.sessionId ?? "";
      expect(await findSessionUser(db, sessionId)).not.toBeNull();
      const row = table === "users" ? id : accountId;
      await sqlOf(db)`update ${sqlOf(db)(table)} set status = 'disabled' where id = ${row}`;
      expect(await sessionsOf(id)).toEqual([sessionId]);
      expect(await findSessionUser(db, sessionId)).toBeNull();
    },
  );
});

test("a link is not made for a user who is being disabled", async () => {
  const { id } = await newOwner();
  const issuing = besides(
    (sql) => sql`update users set status = 'disabled' where id = ${id}`,
    () => issueLink(db, id),
  );
  await expect(issuing).rejects.toMatchObject({ reason: "userDisabled" });
  expect(await sqlOf(db)`select 1 from user_links where user_id = ${id}`).toHaveLength(0);
});

describe("an authenticator's code", () => {
  const codeOf = (secret: string, steps = 0) =>
    new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: now.getTime() + steps * 30_000 });
  const begin = (userId: string) =>
    beginTotp(db, deps, { userId, issuer: "Tollgate", proof: { password: PASSWORD } });

  test("is right although its secret is being sealed anew", async () => {
    const { id } = await newOwner();
    const { secret } = await begin(id);
    await enableTotp(db, deps, { userId: id, code: codeOf(secret, -1) });
    const taken = await besides(
      (sql) => sql`update users set totp_secret = ${vault.seal(secret)} where id = ${id}`,
      () => takeCode(db, deps, { userId: id, code: codeOf(secret) }),
    );
    expect(taken).toBe(true);
  });

  test("turns nothing on when its secret is being replaced: nobody has the new one in an app yet", async () => {
    const { id } = await newOwner();
    const { secret } = await begin(id);
    const enabling = besides(
      (sql) => sql`update users set totp_secret = ${vault.seal("JBSWY3DPEHPK3PXP")} where id = ${id}`,
      () => enableTotp(db, deps, { userId: id, code: codeOf(secret) }),
    );
    await expect(enabling).rejects.toMatchObject({ reason: "totpOn" });
    expect(await getUser(db, { userId: id })).toMatchObject({ hasTotp: false });
  });
});
