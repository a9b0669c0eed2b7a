import { randomUUID } from "node:crypto";
import { eq } from "drizzle-orm";
import { Secret, TOTP } from "otpauth";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  beginTotp,
  changePassword,
  createAccount,
  createAttempts,
  createUser,
  disableTotp,
  enableTotp,
  findSessionUser,
  getUser,
  type IdentityDeps,
  listUsers,
  renewRecoveryCodes,
  resetPassword,
  resetTotp,
  type SessionUser,
  setAccountStatus,
  signIn,
  signOutEverywhere,
} from "@/server/access";
import { openSession } from "@/server/access/sessions";
import { findIdentityByEmail } from "@/server/access/users";
import { type Database, openDatabase, tables } from "@/server/db";
import { createVault } from "@/server/vault";
import { freshDatabase } from "@/tests/support/database";

const PASSWORD = "a password that is long";
const STEP_MS = 30_000;
const vault = createVault("e".repeat(32));

let db: Database;
let now: Date;
let deps: IdentityDeps;

beforeAll(async () => {
  db = openDatabase(await freshDatabase());
  now = new Date("2026-03-01T12:00:00Z");
  deps = { attempts: createAttempts(db), vault, clock: () => now, pepper: "p".repeat(32) };
});
afterAll(() => db.close());

type Person = { id: string; email: string; accountId: string };

/** An owner of a new account. */
async function newcomer(): Promise<Person> {
  const account = await createAccount(db.orm, { name: randomUUID(), monthlyQuotaNanos: 0n });
  const email = `${randomUUID()}@tollgate.test`;
  const { id } = await createUser(db.orm, { accountId: account.id, email, password: PASSWORD });
  return { id, email, accountId: account.id };
}

const attempt = (person: Person, code?: string, password = PASSWORD) =>
  // Each from a network of its own, so that only the e-mail's failures count together.
  signIn(db.orm, deps, { email: person.email, password, code: code ?? null, address: randomAddress() });

let hosts = 0;
const randomAddress = () => `10.${Math.trunc(hosts / 250)}.${hosts++ % 250}.1`;

async function enter(person: Person, code?: string): Promise<SessionUser> {
  const result = await attempt(person, code);
  if (result.outcome !== "signed_in") {
    throw new Error(result.outcome);
  }
  return result.user;
}

const isOpen = async ({ sessionId }: SessionUser) => (await findSessionUser(db.orm, sessionId)) !== null;

/** The code that an authenticator shows `steps` steps from now. */
const codeOf = (secret: string, steps = 0) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: now.getTime() + steps * STEP_MS });

const later = (steps: number) => {
  now = new Date(now.getTime() + steps * STEP_MS);
};

type Proof = Parameters<typeof disableTotp>[2]["proof"];

const begin = (person: Person, proof: Proof = { password: PASSWORD }) =>
  beginTotp(db.orm, deps, { userId: person.id, issuer: "Tollgate", proof });

/** A user with a second factor, whose last code is of a step that is over. */
async function guarded(): Promise<{ person: Person; secret: string; codes: string[] }> {
  const person = await newcomer();
  const { secret } = await begin(person);
  const codes = await enableTotp(db.orm, deps, { userId: person.id, code: codeOf(secret) });
  later(2);
  return { person, secret, codes };
}

describe("the second factor", () => {
  test("that was turned on while a password was checked is asked for", async () => {
    const person = await newcomer();
    const identity = await findIdentityByEmail(db.orm, person.email);
    const { secret } = await begin(person);
    await enableTotp(db.orm, deps, { userId: person.id, code: codeOf(secret) });
    expect(identity && (await openSession(db.orm, identity))).toBeNull();
  });

  test("is asked for only once a code has shown that the app has the secret", async () => {
    const person = await newcomer();
    const { secret, uri } = await begin(person);
    expect(uri).toContain(`secret=${secret}`);
    expect(uri).toMatch(/^otpauth:\/\/totp\/Tollgate:/);
    expect((await enter(person)).hasTotp).toBe(false);
    const wrong = enableTotp(db.orm, deps, { userId: person.id, code: codeOf(secret, 5) });
    await expect(wrong).rejects.toMatchObject({ reason: "codeWrong" });
    await enableTotp(db.orm, deps, { userId: person.id, code: codeOf(secret) });
    expect(await attempt(person)).toEqual({ outcome: "code_required" });
    expect(await attempt(person, " ")).toEqual({ outcome: "code_required" });
    later(1);
    expect((await enter(person, codeOf(secret))).hasTotp).toBe(true);
  });

  test("is begun with the password only, and guessing it there is counted", async () => {
    const person = await newcomer();
    const { secret } = await begin(person);
    for (const wrong of [{ code: codeOf(secret) }, { code: "000000" }]) {
      await expect(begin(person, wrong)).rejects.toMatchObject({ reason: "codeWrong" });
    }
    for (let failure = 2; failure < 10; failure++) {
      await expect(begin(person, { password: "a guess" })).rejects.toMatchObject({ reason: "passwordWrong" });
    }
    await expect(begin(person)).rejects.toMatchObject({ kind: "rateLimited" });
    // What the refused ones asked for has not replaced the secret of the one that was right.
    const [{ sealed } = { sealed: null }] = await db.orm
      .select({ sealed: tables.users.totpSecret })
      .from(tables.users)
      .where(eq(tables.users.id, person.id));
    expect(vault.open(sealed ?? "")).toBe(secret);
  });

  test("leaves neither its secret nor its recovery codes in the database", async () => {
    const { person, secret, codes } = await guarded();
    const rows = await db.orm.select().from(tables.users);
    const stored = JSON.stringify(rows.find((row) => row.id === person.id));
    expect(codes).toHaveLength(10);
    expect(new Set(codes).size).toBe(10);
    for (const shown of [secret, ...codes, ...codes.map((code) => code.replace("-", ""))]) {
      expect(stored).not.toContain(shown);
    }
  });

  test("is not told of to who does not know the password", async () => {
    const { person, secret } = await guarded();
    expect(await attempt(person, codeOf(secret), "not the password")).toEqual({ outcome: "refused" });
    expect(await attempt(person, undefined, "not the password")).toEqual({ outcome: "refused" });
  });

  test.each([-1, 0, 1])("takes the code of step %i from now, however it is spaced", async (steps) => {
    const { person, secret } = await guarded();
    const code = codeOf(secret, steps);
    await enter(person, ` ${code.slice(0, 3)} ${code.slice(3)} `);
  });

  test.each([-2, 2])("refuses the code of step %i from now", async (steps) => {
    const { person, secret } = await guarded();
    later(2);
    expect(await attempt(person, codeOf(secret, steps))).toEqual({ outcome: "code_wrong" });
  });

  test("takes a code once, and none that is older than it", async () => {
    const { person, secret } = await guarded();
    await enter(person, codeOf(secret));
    expect(await attempt(person, codeOf(secret))).toEqual({ outcome: "code_wrong" });
    expect(await attempt(person, codeOf(secret, -1))).toEqual({ outcome: "code_wrong" });
    await enter(person, codeOf(secret, 1));
  });

  test("does not take the code again that turned it on", async () => {
    const person = await newcomer();
    const { secret } = await begin(person);
    await enableTotp(db.orm, deps, { userId: person.id, code: codeOf(secret) });
    expect(await attempt(person, codeOf(secret))).toEqual({ outcome: "code_wrong" });
  });

  test.each(["an authenticator's", "a recovery"])(
    "lets one in of several who show %s code at once",
    async (kind) => {
      const { person, secret, codes } = await guarded();
      const code = kind === "a recovery" ? (codes[0] ?? "") : codeOf(secret);
      const results = await Promise.all(Array.from({ length: 6 }, () => attempt(person, code)));
      expect(results.filter(({ outcome }) => outcome === "signed_in")).toHaveLength(1);
      expect(results.filter(({ outcome }) => outcome === "code_wrong")).toHaveLength(5);
    },
  );

  test("each recovery code stands in for it once, in whatever case it is typed", async () => {
    const { person, codes } = await guarded();
    const [first = "", second = ""] = codes;
    await enter(person, first.toLowerCase().replace("-", " "));
    expect(await attempt(person, first)).toEqual({ outcome: "code_wrong" });
    await enter(person, second);
    expect((await getUser(db.orm, { userId: person.id })).recoveryCodesLeft).toBe(8);
  });

  test("another user's recovery code opens nothing", async () => {
    const [{ person }, { codes }] = [await guarded(), await guarded()];
    expect(await attempt(person, codes[0])).toEqual({ outcome: "code_wrong" });
  });

  test("new recovery codes end the old ones", async () => {
    const { person, codes } = await guarded();
    const proof = { password: PASSWORD };
    const fresh = await renewRecoveryCodes(db.orm, deps, { userId: person.id, proof });
    expect(await attempt(person, codes[0])).toEqual({ outcome: "code_wrong" });
    await enter(person, fresh[0]);
  });

  test("cannot be begun again while it is on: nobody swaps its secret", async () => {
    const { person, secret } = await guarded();
    const begun = begin(person);
    await expect(begun).rejects.toMatchObject({ reason: "totpOn" });
    await enter(person, codeOf(secret));
  });

  test("is turned off with the password or a code, never without, and every session ends", async () => {
    for (const right of ["password", "code"] as const) {
      const { person, secret } = await guarded();
      const session = await enter(person, codeOf(secret));
      later(1);
      const claim = { userId: person.id };
      const wrong = right === "password" ? { password: "not the password" } : { code: "000000" };
      await expect(disableTotp(db.orm, deps, { ...claim, proof: wrong })).rejects.toMatchObject({
        reason: `${right}Wrong`,
      });
      expect(await isOpen(session)).toBe(true);
      const proof = right === "password" ? { password: PASSWORD } : { code: codeOf(secret) };
      await disableTotp(db.orm, deps, { ...claim, proof });
      expect(await isOpen(session)).toBe(false);
      expect((await enter(person)).hasTotp).toBe(false);
    }
  });

  test("is reset by an operator without a code, and every session ends", async () => {
    const { person, secret } = await guarded();
    const session = await enter(person, codeOf(secret));
    await resetTotp(db.orm, person.id);
    expect(await isOpen(session)).toBe(false);
    expect(await getUser(db.orm, { userId: person.id })).toMatchObject({ recoveryCodesLeft: 0 });
    expect((await enter(person)).hasTotp).toBe(false);
    await expect(resetTotp(db.orm, person.id)).rejects.toMatchObject({ reason: "totpOff" });
  });
});

describe("guessing", () => {
  test("a code is bounded like guessing a password: after ten failures even the right one waits", async () => {
    const { person, secret } = await guarded();
    for (let failure = 0; failure < 10; failure++) {
      expect(await attempt(person, "000000")).toEqual({ outcome: "code_wrong" });
    }
    await expect(attempt(person, codeOf(secret))).rejects.toMatchObject({ kind: "rateLimited" });
  });

  test("counts for one e-mail in whatever case it is typed", async () => {
    const person = await newcomer();
    const typed = [person.email, person.email.toUpperCase(), ` ${person.email}`];
    for (let tries = 0; tries < 10; tries++) {
      const email = typed[tries % typed.length] ?? "";
      expect(await attempt({ ...person, email }, undefined, "wrong")).toMatchObject({ outcome: "refused" });
    }
    await expect(attempt(person)).rejects.toMatchObject({ kind: "rateLimited" });
  });

  test("from within a session counts with guessing at the sign-in", async () => {
    const person = await newcomer();
    const change = { userId: person.id, current: "not the password", next: "another long password" };
    for (let failure = 0; failure < 5; failure++) {
      await expect(changePassword(db.orm, deps, change)).rejects.toMatchObject({ reason: "passwordWrong" });
      expect(await attempt(person, undefined, "not the password")).toEqual({ outcome: "refused" });
    }
    await expect(enter(person)).rejects.toMatchObject({ kind: "rateLimited" });
    await expect(changePassword(db.orm, deps, { ...change, current: PASSWORD })).rejects.toMatchObject({
      kind: "rateLimited",
    });
  });

  test("is counted although the transaction around it rolls back", async () => {
    const person = await newcomer();
    const change = { userId: person.id, current: "not the password", next: "another long password" };
    for (let failure = 0; failure < 10; failure++) {
      const inside = db.orm.transaction((transaction) => changePassword(transaction, deps, change));
      await expect(inside).rejects.toMatchObject({ reason: "passwordWrong" });
    }
    await expect(enter(person)).rejects.toMatchObject({ kind: "rateLimited" });
  });

  test("is not what signing in rightly is: twelve times with a second factor", async () => {
    const { person, secret } = await guarded();
    for (let time = 0; time < 12; time++) {
      expect(await attempt(person)).toEqual({ outcome: "code_required" });
      await enter(person, codeOf(secret));
      later(1);
    }
  });
});

describe("a password", () => {
  test("once changed ends every session, and only the new one signs in", async () => {
    const person = await newcomer();
    const sessions = [await enter(person), await enter(person)];
    const next = "another long password";
    await changePassword(db.orm, deps, { userId: person.id, current: PASSWORD, next });
    expect(await Promise.all(sessions.map(isOpen))).toEqual([false, false]);
    expect(await attempt(person)).toEqual({ outcome: "refused" });
    expect(await attempt(person, undefined, next)).toMatchObject({ outcome: "signed_in" });
  });

  test.each([
    ["too short", "nine char", "passwordTooShort"],
    ["too long", "x".repeat(1_025), "passwordTooLong"],
    ["the current one", PASSWORD, "passwordUnchanged"],
  ])("that is %s is refused, and the session goes on", async (_, next, reason) => {
    const person = await newcomer();
    const session = await enter(person);
    const changed = changePassword(db.orm, deps, { userId: person.id, current: PASSWORD, next });
    await expect(changed).rejects.toMatchObject({ reason });
    expect(await isOpen(session)).toBe(true);
    await enter(person);
  });

  test("changed twice at once becomes one of the two", async () => {
    const person = await newcomer();
    const change = (next: string) =>
      changePassword(db.orm, deps, { userId: person.id, current: PASSWORD, next });
    const results = await Promise.allSettled([change("the first new one"), change("the second new one")]);
    expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  });

  test("reset by a command with another one ends the sessions, and must be changed", async () => {
    const person = await newcomer();
    const session = await enter(person);
    const password = "somebody else chose this";
    await resetPassword(db.orm, { userId: person.id, password });
    expect(await isOpen(session)).toBe(false);
    expect(await attempt(person)).toEqual({ outcome: "refused" });
    expect(await attempt(person, undefined, password)).toMatchObject({
      outcome: "signed_in",
      user: { mustChangePassword: true },
    });
    const next = "a password of one's own";
    await changePassword(db.orm, deps, { userId: person.id, current: password, next });
    expect(await attempt(person, undefined, next)).toMatchObject({ user: { mustChangePassword: false } });
  });
});

test("signing out everywhere ends every session of that user and of nobody else", async () => {
  const [one, other] = [await newcomer(), await newcomer()];
  const [here, there, bystander] = [await enter(one), await enter(one), await enter(other)];
  await signOutEverywhere(db.orm, one.id);
  expect(await Promise.all([here, there, bystander].map(isOpen))).toEqual([false, false, true]);
});

test("a disabled account's session is over for good, and until it is enabled nobody signs in or proves anything", async () => {
  const person = await newcomer();
  const session = await enter(person);
  await setAccountStatus(db.orm, { accountId: person.accountId, status: "disabled" });
  expect(await isOpen(session)).toBe(false);
  expect(await attempt(person)).toEqual({ outcome: "disabled" });
  const change = { userId: person.id, current: PASSWORD, next: "another long password" };
  await expect(changePassword(db.orm, deps, change)).rejects.toMatchObject({
    reason: "accountDisabled",
  });
  await setAccountStatus(db.orm, { accountId: person.accountId, status: "active" });
  expect(await isOpen(session)).toBe(false);
  expect(await isOpen(await enter(person))).toBe(true);
});

test("that an account is disabled is told to nobody who has not shown all that signing in asks for", async () => {
  const { person, secret } = await guarded();
  await setAccountStatus(db.orm, { accountId: person.accountId, status: "disabled" });
  expect(await attempt(person, undefined, "another password")).toEqual({ outcome: "refused" });
  expect(await attempt(person)).toEqual({ outcome: "code_required" });
  expect(await attempt(person, "000000")).toEqual({ outcome: "code_wrong" });
  expect(await attempt(person, codeOf(secret))).toEqual({ outcome: "disabled" });
});

test("users are listed by account, without anything that signs in", async () => {
  const { person } = await guarded();
  const listed = await listUsers(db.orm, { accountId: person.accountId });
  expect(listed).toEqual([
    {
      id: person.id,
      email: person.email,
      role: "owner",
      accountId: person.accountId,
      status: "active",
      hasPassword: true,
      mustChangePassword: false,
      hasTotp: true,
      recoveryCodesLeft: 10,
      createdAt: expect.any(Date),
    },
  ]);
  const elsewhere = getUser(db.orm, { userId: person.id, accountId: "acc_of_somebody_else" });
  await expect(elsewhere).rejects.toMatchObject({ reason: "userUnknown" });
  const twice = createUser(db.orm, {
    accountId: null,
    email: ` ${person.email.toUpperCase()}`,
    password: PASSWORD,
  });
  await expect(twice).rejects.toMatchObject({ reason: "emailTaken" });
});
