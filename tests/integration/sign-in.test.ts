import { describe, expect, test } from "vitest";
import {
  changePassword,
  listUsers,
  resetPassword,
  setAccountStatus,
  signOutEverywhere,
} from "@/server/access";
import { transaction } from "@/server/db";
import { expectRefused } from "@/tests/support/refusal";
import { NEXT, PASSWORD, userRoom } from "@/tests/support/user-room";

const people = userRoom(new Date("2026-03-01T12:00:00Z"));

describe("guessing", () => {
  const change = ({ id }: { id: string }, current = "not the password") => ({
    userId: id,
    current,
    next: NEXT,
  });

  test.each<[string, (person: { id: string; email: string }, failure: number) => Promise<unknown>]>([
    [
      "counts for one e-mail, in whatever case that is typed",
      async ({ email }, failure) => {
        const typed = [email, email.toUpperCase(), ` ${email}`];
        const end = await people.attempt(typed[failure % 3] ?? "", undefined, "wrong");
        expect(end).toEqual({ outcome: "refused" });
      },
    ],
    [
      "within a session counts together with guesses at the sign-in",
      async (person, failure) => {
        if (failure % 2 === 0) {
          await expectRefused(changePassword(people.db, people.deps, change(person)), "passwordWrong");
        } else {
          const end = await people.attempt(person.email, undefined, "not the password");
          expect(end).toEqual({ outcome: "refused" });
        }
      },
    ],
    [
      "counts although the transaction around it rolls back",
      async (person) => {
        const inside = transaction(people.db, (tx) => changePassword(tx, people.deps, change(person)));
        await expectRefused(inside, "passwordWrong");
      },
    ],
  ])("a password %s, and after ten failures the right one is refused, too", async (_how, fail) => {
    const person = await people.owner();
    for (let failure = 0; failure < 10; failure++) {
      await fail(person, failure);
    }
    await expectRefused(people.enter(person.email), "rateLimited");
    const changed = changePassword(people.db, people.deps, change(person, PASSWORD));
    await expectRefused(changed, "rateLimited");
  });

  test("a code is limited like guessing a password: after ten failures the right one is refused, too", async () => {
    const { person, secret } = await people.ownerWithTotp();
    for (let failure = 0; failure < 10; failure++) {
      expect(await people.attempt(person.email, "000000")).toEqual({ outcome: "code_wrong" });
    }
    await expectRefused(people.attempt(person.email, people.codeOf(secret)), "rateLimited");
  });

  test("does not include correct sign-ins, twelve of them with a second factor", async () => {
    const { person, secret } = await people.ownerWithTotp();
    for (let time = 0; time < 12; time++) {
      expect(await people.attempt(person.email)).toEqual({ outcome: "code_required" });
      await people.enter(person.email, people.codeOf(secret));
      people.later(1);
    }
  });
});

describe("a password", () => {
  test("that is changed ends every session, and only the new one signs in", async () => {
    const person = await people.owner();
    const sessions = [await people.enter(person.email), await people.enter(person.email)];
    const next = "another long password";
    await changePassword(people.db, people.deps, { userId: person.id, current: PASSWORD, next });
    expect(await Promise.all(sessions.map(people.isOpen))).toEqual([false, false]);
    expect(await people.attempt(person.email)).toEqual({ outcome: "refused" });
    expect(await people.attempt(person.email, undefined, next)).toMatchObject({ outcome: "signed_in" });
  });

  test.each([
    ["too short", "nine char", "passwordTooShort"],
    ["too long", "x".repeat(1_025), "passwordTooLong"],
    ["the current one", PASSWORD, "passwordUnchanged"],
  ])("that is %s is refused, and the session continues", async (_, next, reason) => {
    const person = await people.owner();
    const session = await people.enter(person.email);
    const changed = changePassword(people.db, people.deps, { userId: person.id, current: PASSWORD, next });
    await expect(changed).rejects.toMatchObject({ reason });
    expect(await people.isOpen(session)).toBe(true);
    await people.enter(person.email);
  });

  test("that is changed twice at once becomes one of the two", async () => {
    const person = await people.owner();
    const change = (next: string) =>
      changePassword(people.db, people.deps, { userId: person.id, current: PASSWORD, next });
    const results = await Promise.allSettled([change("the first new one"), change("the second new one")]);
    expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  });

  test("that a command replaces ends the sessions, and must be changed", async () => {
    const person = await people.owner();
    const session = await people.enter(person.email);
    const password = "someone else chose this";
    await resetPassword(people.db, { userId: person.id, by: null, password });
    expect(await people.isOpen(session)).toBe(false);
    expect(await people.attempt(person.email)).toEqual({ outcome: "refused" });
    expect(await people.attempt(person.email, undefined, password)).toMatchObject({
      outcome: "signed_in",
      user: { mustChangePassword: true },
    });
    const next = "a password of one's own";
    await changePassword(people.db, people.deps, { userId: person.id, current: password, next });
    expect(await people.attempt(person.email, undefined, next)).toMatchObject({
      user: { mustChangePassword: false },
    });
  });
});

test("signing out everywhere ends every session of that user and of no other", async () => {
  const [first, second] = [await people.owner(), await people.owner()];
  const [here, there, bystander] = [
    await people.enter(first.email),
    await people.enter(first.email),
    await people.enter(second.email),
  ];
  await signOutEverywhere(people.db, first.id);
  expect(await Promise.all([here, there, bystander].map(people.isOpen))).toEqual([false, false, true]);
});

test("a disabled account's sessions end for good, and its users can neither sign in nor prove anything until it is enabled", async () => {
  const person = await people.owner();
  const session = await people.enter(person.email);
  await setAccountStatus(people.db, { accountId: person.accountId, status: "disabled" });
  expect(await people.isOpen(session)).toBe(false);
  expect(await people.attempt(person.email)).toEqual({ outcome: "disabled" });
  const change = { userId: person.id, current: PASSWORD, next: "another long password" };
  await expectRefused(changePassword(people.db, people.deps, change), "accountDisabled");
  await setAccountStatus(people.db, { accountId: person.accountId, status: "active" });
  expect(await people.isOpen(session)).toBe(false);
  expect(await people.isOpen(await people.enter(person.email))).toBe(true);
});

test("only a person who has passed every step of the sign-in learns that their account is disabled", async () => {
  const { person, secret } = await people.ownerWithTotp();
  await setAccountStatus(people.db, { accountId: person.accountId, status: "disabled" });
  expect(await people.attempt(person.email, undefined, "another password")).toEqual({ outcome: "refused" });
  expect(await people.attempt(person.email)).toEqual({ outcome: "code_required" });
  expect(await people.attempt(person.email, "000000")).toEqual({ outcome: "code_wrong" });
  expect(await people.attempt(person.email, people.codeOf(secret))).toEqual({ outcome: "disabled" });
});

test("users are listed by account, without their secrets", async () => {
  const { person } = await people.ownerWithTotp();
  const listed = await listUsers(people.db, { accountId: person.accountId });
  expect(listed).toEqual([
    {
      ...{ id: person.id, email: person.email, role: "owner", accountId: person.accountId },
      ...{ status: "active", hasPassword: true, linkedTo: null, mustChangePassword: false },
      ...{ language: null, hasTotp: true, recoveryCodesLeft: 10, createdAt: expect.any(Date) },
    },
  ]);
});
