import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import {
  changePassword,
  createAccount,
  createAttempts,
  createUser,
  endSession,
  findSessionUser,
  getUser,
  type IdentityDeps,
  issueLink,
  redeemLink,
  removeUser,
  resetPassword,
  resetTotp,
  setAccountStatus,
  setReadOnly,
  setUserStatus,
  signIn,
} from "@/server/access";
import { removeOldSessions } from "@/server/access/sessions";
import { type Database, openDatabase } from "@/server/db";
import { createVault } from "@/server/vault";
import { freshDatabase } from "@/tests/support/database";

const PASSWORD = "a password that is long";
const NEXT = "another password, as long";

let db: Database;
let deps: IdentityDeps;

beforeAll(async () => {
  db = openDatabase(await freshDatabase());
  const vault = createVault("e".repeat(32));
  deps = { attempts: createAttempts(db), vault, clock: () => new Date(), pepper: "p".repeat(32) };
});
afterAll(() => db.close());

let hosts = 0;
/** A network of its own for each attempt. */
const address = () => `10.${Math.trunc(hosts / 250)}.${hosts++ % 250}.1`;

type More = Partial<Parameters<typeof createUser>[1]>;

const someone = (more: More = {}) =>
  createUser(db.orm, {
    accountId: null,
    email: `${randomUUID()}@tollgate.test`,
    password: PASSWORD,
    ...more,
  });

async function owner(more: More = {}) {
  const account = await createAccount(db.orm, { name: randomUUID(), monthlyQuotaNanos: 0n });
  return await someone({ accountId: account.id, ...more });
}

const attempt = (email: string, password = PASSWORD) =>
  signIn(db.orm, deps, { email, password, address: address() });

async function enter(email: string, password = PASSWORD): Promise<string> {
  const result = await attempt(email, password);
  if (result.outcome !== "signed_in") {
    throw new Error(result.outcome);
  }
  return result.user.sessionId;
}

const isOpen = async (sessionId: string) => (await findSessionUser(db.orm, sessionId)) !== null;

const redeem = (token: string, password = NEXT, from = address()) =>
  redeemLink(db.orm, deps, { token, password, address: from });

const invalid = { reason: "linkInvalid" };

describe("a session", () => {
  test("ends on the server when it is signed out of, and no other one with it", async () => {
    const { email } = await owner();
    const [here, there] = [await enter(email), await enter(email)];
    await endSession(db.orm, here);
    expect([await isOpen(here), await isOpen(there)]).toEqual([false, true]);
  });

  test("is over when its time is, and its row is removed", async () => {
    const { email } = await owner();
    const [old, young] = [await enter(email), await enter(email)];
    await db.sql`update sessions set expires_at = now() - interval '1 second' where id = ${old}`;
    expect([await isOpen(old), await isOpen(young)]).toEqual([false, true]);
    await removeOldSessions(db.orm);
    const left = await db.sql`select id from sessions where id in ${db.sql([old, young])}`;
    expect(left.map(({ id }) => id)).toEqual([young]);
  });

  test("is not opened by a password that is reset while it is checked", async () => {
    for (let round = 0; round < 5; round++) {
      const { id, email } = await owner();
      const [result] = await Promise.all([
        attempt(email),
        new Promise((resolve) => setTimeout(resolve, 10 * round)).then(() =>
          resetPassword(db.orm, { userId: id, by: null, password: null }),
        ),
      ]);
      const left = await db.sql`select id from sessions where user_id = ${id}`;
      expect({ round, outcome: result.outcome, left: left.length }).toMatchObject({ left: 0 });
    }
  });
});

describe("a link", () => {
  test("lets an invited user set a password, once", async () => {
    const { id, email } = await owner({ password: null });
    expect((await attempt(email)).outcome).toBe("refused");
    const { token } = await issueLink(db.orm, id);
    expect(await redeem(token)).toMatchObject({ id, email });
    await enter(email, NEXT);
    await expect(redeem(token, "a third long password")).rejects.toMatchObject(invalid);
    await enter(email, NEXT);
  });

  test("is used by one of several who open it at once", async () => {
    const { id } = await owner({ password: null });
    const { token } = await issueLink(db.orm, id);
    const results = await Promise.allSettled([1, 2, 3, 4].map((each) => redeem(token, `${NEXT} ${each}`)));
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });

  test.each<[string, (userId: string) => Promise<unknown>]>([
    ["disabled", (userId) => setUserStatus(db.orm, { userId, by: null, status: "disabled" })],
    ["removed", (userId) => removeUser(db.orm, { userId, by: null })],
    ["reset", (userId) => resetPassword(db.orm, { userId, by: null, password: null })],
    ["given a new one", (userId) => issueLink(db.orm, userId)],
  ])("that is used while its user is %s fails no change, and is not valid after it", async (_, change) => {
    const { id } = await owner({ password: null });
    const { token } = await issueLink(db.orm, id);
    const waiting = async (count: number) => {
      const locked = () =>
        db.sql`select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      await vi.waitFor(async () => expect(await locked()).toHaveLength(count), { timeout: 10_000 });
    };
    // Both wait for the user's row, the change before the link: as it comes free, neither may hold what the other
    // needs.
    const results = await db.sql.begin(async (transaction) => {
      await transaction`select from users where id = ${id} for update`;
      const first = change(id);
      await waiting(1);
      const second = redeem(token);
      await waiting(2);
      return { both: Promise.allSettled([first, second]) };
    });
    const [changed, used] = await results.both;
    expect({ changed: changed.status, used }).toMatchObject({
      changed: "fulfilled",
      used: { status: "rejected", reason: invalid },
    });
  });

  test("is not used up by a password that will not do", async () => {
    const { id } = await owner({ password: null });
    const { token } = await issueLink(db.orm, id);
    await expect(redeem(token, "short")).rejects.toMatchObject({ reason: "passwordTooShort" });
    await redeem(token);
  });

  test("is stored as its hash, ends the sessions of before, and is worth nothing after a day", async () => {
    const { id, email } = await owner();
    const session = await enter(email);
    const { token } = await issueLink(db.orm, id);
    const [row] = await db.sql`select to_jsonb(l)::text as row from user_links l where user_id = ${id}`;
    expect(row?.row).not.toContain(token);
    await db.sql`update user_links set expires_at = now() - interval '1 second' where user_id = ${id}`;
    await expect(redeem(token)).rejects.toMatchObject(invalid);
    expect(await isOpen(session)).toBe(true);
    const fresh = await issueLink(db.orm, id);
    expect(fresh.expiresAt.getTime() - Date.now()).toBeLessThanOrEqual(24 * 3_600_000);
    await redeem(fresh.token);
    expect(await isOpen(session)).toBe(false);
  });

  test.each<[string, (userId: string, accountId: string) => Promise<unknown>]>([
    ["a new one is made", (userId) => issueLink(db.orm, userId)],
    [
      "its user is disabled, even if enabled again",
      async (userId) => {
        await setUserStatus(db.orm, { userId, by: null, status: "disabled" });
        await setUserStatus(db.orm, { userId, by: null, status: "active" });
      },
    ],
    ["its user is removed", (userId) => removeUser(db.orm, { userId, by: null })],
    ["the password is reset", (userId) => resetPassword(db.orm, { userId, by: null, password: PASSWORD })],
    [
      "its user changes the password",
      (userId) => changePassword(db.orm, deps, { userId, current: PASSWORD, next: `${NEXT} still` }),
    ],
    [
      "the account is disabled, even if enabled again",
      async (_, accountId) => {
        await setAccountStatus(db.orm, { accountId, status: "disabled" });
        await setAccountStatus(db.orm, { accountId, status: "active" });
      },
    ],
  ])("ends when %s", async (_, change) => {
    const { id, accountId } = await owner();
    const { token } = await issueLink(db.orm, id);
    await change(id, accountId ?? "");
    await expect(redeem(token)).rejects.toMatchObject(invalid);
  });

  test("cannot be made for a disabled user", async () => {
    const { id } = await owner();
    await setUserStatus(db.orm, { userId: id, by: null, status: "disabled" });
    await expect(issueLink(db.orm, id)).rejects.toMatchObject({ reason: "userDisabled" });
  });

  test("cannot be made for a user of a disabled account, and the refusal says that it is the account", async () => {
    const { id, accountId } = await owner();
    await setAccountStatus(db.orm, { accountId: accountId ?? "", status: "disabled" });
    await expect(issueLink(db.orm, id)).rejects.toMatchObject({ reason: "accountDisabled" });
  });

  test("is not guessed for ever from one network", async () => {
    const from = address();
    for (let guess = 0; guess < 30; guess++) {
      await expect(redeem(`guess ${guess}`, NEXT, from)).rejects.toMatchObject(invalid);
    }
    const { id } = await owner({ password: null });
    const { token } = await issueLink(db.orm, id);
    await expect(redeem(token, NEXT, from)).rejects.toMatchObject({ kind: "rateLimited" });
    await redeem(token);
  });

  test("is not guessed for ever from one IPv6 network either, whose every host has 2^64 addresses", async () => {
    for (let guess = 0; guess < 30; guess++) {
      await expect(redeem(`guess ${guess}`, NEXT, `2001:db8:1:2::${guess}`)).rejects.toMatchObject(invalid);
    }
    const another = redeem("guess", NEXT, "2001:db8:1:2:ffff:ffff:ffff:ffff");
    await expect(another).rejects.toMatchObject({ kind: "rateLimited" });
    await expect(redeem("guess", NEXT, "2001:db8:1:3::1")).rejects.toMatchObject(invalid);
  });
});

test.each([
  "",
  "nobody",
  "two@at@signs.test",
  "a line\nmore@tollgate.test",
  `${"a".repeat(300)}@tollgate.test`,
])("%j is nobody's e-mail", async (email) => {
  await expect(someone({ email })).rejects.toMatchObject({ reason: "invalid" });
});

describe("a user who is disabled", () => {
  test("has no session any more and gets none; enabled again, no old one comes back", async () => {
    const { id, email } = await owner();
    const session = await enter(email);
    await setUserStatus(db.orm, { userId: id, by: null, status: "disabled" });
    expect(await isOpen(session)).toBe(false);
    expect((await attempt(email)).outcome).toBe("disabled");
    const change = { userId: id, current: PASSWORD, next: NEXT };
    await expect(changePassword(db.orm, deps, change)).rejects.toMatchObject({ reason: "userDisabled" });
    await setUserStatus(db.orm, { userId: id, by: null, status: "active" });
    expect(await isOpen(session)).toBe(false);
    expect(await isOpen(await enter(email))).toBe(true);
  });

  test("or removed leaves nobody who could sign in with their e-mail", async () => {
    const { id, email } = await owner();
    const session = await enter(email);
    await removeUser(db.orm, { userId: id, by: null });
    expect(await isOpen(session)).toBe(false);
    expect((await attempt(email)).outcome).toBe("refused");
    await expect(getUser(db.orm, { userId: id })).rejects.toMatchObject({ reason: "userUnknown" });
  });
});

describe("operators", () => {
  const ends = {
    disable: (userId: string) => setUserStatus(db.orm, { userId, by: null, status: "disabled" }),
    demote: (userId: string) => setReadOnly(db.orm, { userId, by: null, isReadOnly: true }),
    remove: (userId: string) => removeUser(db.orm, { userId, by: null }),
  };
  const clear = () => db.sql`delete from users where account_id is null`;

  test.each(Object.entries(ends))("%s does not reach the last one who can sign in", async (_, end) => {
    await clear();
    const last = await someone();
    // None of these could run the gateway in the other's place.
    await someone({ isReadOnly: true });
    await someone({ password: null });
    const disabled = await someone();
    await ends.disable(disabled.id);
    await expect(end(last.id)).rejects.toMatchObject({ reason: "lastOperator" });
    await setUserStatus(db.orm, { userId: disabled.id, by: null, status: "active" });
    await end(last.id);
  });

  test.each(Object.entries(ends))("two who %s each other at once leave one", async (_, end) => {
    for (let round = 0; round < 5; round++) {
      await clear();
      const [one, other] = [await someone(), await someone()];
      const results = await Promise.allSettled([end(one.id), end(other.id)]);
      expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    }
  });

  type Target = { userId: string; by: string | null };

  /** What an operator can do that bars another one. */
  const bars: Record<string, (target: Target) => Promise<unknown>> = {
    disable: (target) => setUserStatus(db.orm, { ...target, status: "disabled" }),
    demote: (target) => setReadOnly(db.orm, { ...target, isReadOnly: true }),
    remove: (target) => removeUser(db.orm, target),
    "reset the password of": (target) => resetPassword(db.orm, { ...target, password: null }),
  };

  test.each(Object.entries(bars))(
    "two who %s each other at once bar one, whoever else there is",
    async (_, bar) => {
      for (let round = 0; round < 5; round++) {
        await clear();
        const [one, other] = [await someone(), await someone(), await someone()];
        const results = await Promise.allSettled([
          bar({ userId: other.id, by: one.id }),
          bar({ userId: one.id, by: other.id }),
        ]);
        const refused = results.filter((result) => result.status === "rejected").map(({ reason }) => reason);
        expect(refused).toMatchObject([{ reason: "signedOut" }]);
        const left = await db.sql`select id from users
        where role = 'operator' and status = 'active' and password_hash is not null`;
        expect(left).toHaveLength(2);
      }
    },
  );

  test.each(Object.entries(bars))(
    "whom others %s take nothing away from anybody any more",
    async (_, bar) => {
      await clear();
      const [barred, other] = [await someone(), await someone()];
      await bar({ userId: barred.id, by: null });
      for (const late of [...Object.values(bars), (target: Target) => resetTotp(db.orm, target)]) {
        await expect(late({ userId: other.id, by: barred.id })).rejects.toMatchObject({
          reason: "signedOut",
        });
      }
    },
  );

  test("take nothing away from themselves", async () => {
    await clear();
    const [one] = [await someone(), await someone()];
    const target = { userId: one.id, by: one.id };
    const self = { reason: "userIsYou" };
    await expect(setUserStatus(db.orm, { ...target, status: "disabled" })).rejects.toMatchObject(self);
    await expect(setReadOnly(db.orm, { ...target, isReadOnly: true })).rejects.toMatchObject(self);
    await expect(removeUser(db.orm, target)).rejects.toMatchObject(self);
    await expect(resetPassword(db.orm, { ...target, password: null })).rejects.toMatchObject(self);
    await expect(resetTotp(db.orm, target)).rejects.toMatchObject(self);
  });

  test("are not made of an account's user", async () => {
    const { id } = await owner();
    for (const isReadOnly of [true, false]) {
      await expect(setReadOnly(db.orm, { userId: id, by: null, isReadOnly })).rejects.toMatchObject({
        reason: "userIsOwner",
      });
    }
  });
});
