import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { disableTotp, enableTotp, getUser, renewRecoveryCodes, resetTotp } from "@/server/access";
import { openSession } from "@/server/access/people/sessions";
import { findIdentityByEmail } from "@/server/access/people/users";
import { tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { expectRefused } from "@/tests/support/refusal";
import { PASSWORD, userRoom } from "@/tests/support/user-room";

const people = userRoom(new Date("2026-03-01T12:00:00Z"));

const codeWrong = { outcome: "code_wrong" };
const refused = { outcome: "refused" };

describe("the second factor", () => {
  test("is required if it was turned on while a password was checked", async () => {
    const person = await people.owner();
    const identity = await findIdentityByEmail(people.db, person.email);
    const { secret } = await people.begin(person);
    await enableTotp(people.db, people.deps, { userId: person.id, code: people.codeOf(secret) });
    expect(identity && (await openSession(people.db, identity))).toBeNull();
  });

  test("is required only once a code has shown that the app has the secret", async () => {
    const person = await people.owner();
    const { secret, uri } = await people.begin(person);
    expect(uri).toContain(`secret=${secret}`);
    expect(uri).toMatch(/^otpauth:\/\/totp\/Tollgate:/);
    expect((await people.enter(person.email)).hasTotp).toBe(false);
    const wrong = enableTotp(people.db, people.deps, { userId: person.id, code: people.codeOf(secret, 5) });
    await expectRefused(wrong, "codeWrong");
    await enableTotp(people.db, people.deps, { userId: person.id, code: people.codeOf(secret) });
    expect(await people.attempt(person.email)).toEqual({ outcome: "code_required" });
    expect(await people.attempt(person.email, " ")).toEqual({ outcome: "code_required" });
    people.later(1);
    expect((await people.enter(person.email, people.codeOf(secret))).hasTotp).toBe(true);
  });

  test("is set up with the password only, and guesses of it are counted", async () => {
    const person = await people.owner();
    const { secret } = await people.begin(person);
    for (const wrong of [{ code: people.codeOf(secret) }, { code: "000000" }]) {
      await expectRefused(people.begin(person, wrong), "codeWrong");
    }
    for (let failure = 2; failure < 10; failure++) {
      await expectRefused(people.begin(person, { password: "a guess" }), "passwordWrong");
    }
    await expectRefused(people.begin(person), "rateLimited");
    // The refused attempts have not replaced the secret of the correct one.
    const [{ sealed } = { sealed: null }] = await ormOf(people.db)
      .select({ sealed: tables.users.totpSecret })
      .from(tables.users)
      .where(eq(tables.users.id, person.id));
    expect(people.vault.open(sealed ?? "")).toBe(secret);
  });

  test("stores neither its secret nor its recovery codes in plain text", async () => {
    const { person, secret, codes } = await people.ownerWithTotp();
    const rows = await ormOf(people.db).select().from(tables.users);
    const stored = JSON.stringify(rows.find((row) => row.id === person.id));
    expect(codes).toHaveLength(10);
    expect(new Set(codes).size).toBe(10);
    for (const shown of [secret, ...codes, ...codes.map((code) => code.replace("-", ""))]) {
      expect(stored).not.toContain(shown);
    }
  });

  test("is not revealed to a person who does not know the password", async () => {
    const { person, secret } = await people.ownerWithTotp();
    expect(await people.attempt(person.email, people.codeOf(secret), "not the password")).toEqual(refused);
    expect(await people.attempt(person.email, undefined, "not the password")).toEqual(refused);
  });

  test.each([-1, 0, 1])("accepts the code of step %i from now, however it is spaced", async (steps) => {
    const { person, secret } = await people.ownerWithTotp();
    const code = people.codeOf(secret, steps);
    await people.enter(person.email, ` ${code.slice(0, 3)} ${code.slice(3)} `);
  });

  test.each([-2, 2])("refuses the code of step %i from now", async (steps) => {
    const { person, secret } = await people.ownerWithTotp();
    people.later(2);
    expect(await people.attempt(person.email, people.codeOf(secret, steps))).toEqual(codeWrong);
  });

  test("accepts a code once, and none that is older than it", async () => {
    const { person, secret } = await people.ownerWithTotp();
    await people.enter(person.email, people.codeOf(secret));
    expect(await people.attempt(person.email, people.codeOf(secret))).toEqual(codeWrong);
    expect(await people.attempt(person.email, people.codeOf(secret, -1))).toEqual(codeWrong);
    await people.enter(person.email, people.codeOf(secret, 1));
  });

  test("does not accept the code again that turned it on", async () => {
    const person = await people.owner();
    const { secret } = await people.begin(person);
    await enableTotp(people.db, people.deps, { userId: person.id, code: people.codeOf(secret) });
    expect(await people.attempt(person.email, people.codeOf(secret))).toEqual(codeWrong);
  });

  const kinds = ["an authenticator's", "a recovery"];
  test.each(kinds)("accepts %s code from one of several attempts at once", async (kind) => {
    const { person, secret, codes } = await people.ownerWithTotp();
    const code = kind === "a recovery" ? (codes[0] ?? "") : people.codeOf(secret);
    const results = await Promise.all(Array.from({ length: 6 }, () => people.attempt(person.email, code)));
    expect(results.filter(({ outcome }) => outcome === "signed_in")).toHaveLength(1);
    expect(results.filter(({ outcome }) => outcome === "code_wrong")).toHaveLength(5);
  });

  test("is replaced once by each recovery code, in whatever case that is typed", async () => {
    const { person, codes } = await people.ownerWithTotp();
    const [first = "", second = ""] = codes;
    await people.enter(person.email, first.toLowerCase().replace("-", " "));
    expect(await people.attempt(person.email, first)).toEqual(codeWrong);
    await people.enter(person.email, second);
    expect((await getUser(people.db, { userId: person.id })).recoveryCodesLeft).toBe(8);
  });

  test("is not passed with another user's recovery code", async () => {
    const [{ person }, { codes }] = [await people.ownerWithTotp(), await people.ownerWithTotp()];
    expect(await people.attempt(person.email, codes[0])).toEqual(codeWrong);
  });

  test("has recovery codes whose renewal ends the old ones", async () => {
    const { person, codes } = await people.ownerWithTotp();
    const proof = { password: PASSWORD };
    const fresh = await renewRecoveryCodes(people.db, people.deps, { userId: person.id, proof });
    expect(await people.attempt(person.email, codes[0])).toEqual(codeWrong);
    await people.enter(person.email, fresh[0]);
  });

  test("cannot be set up again while it is on, so that its secret cannot be swapped", async () => {
    const { person, secret } = await people.ownerWithTotp();
    const begun = people.begin(person);
    await expectRefused(begun, "totpOn");
    await people.enter(person.email, people.codeOf(secret));
  });

  test("is turned off with the password or a code, never without, and that ends every session", async () => {
    for (const right of ["password", "code"] as const) {
      const { person, secret } = await people.ownerWithTotp();
      const session = await people.enter(person.email, people.codeOf(secret));
      people.later(1);
      const claim = { userId: person.id };
      const wrong = right === "password" ? { password: "not the password" } : { code: "000000" };
      await expect(disableTotp(people.db, people.deps, { ...claim, proof: wrong })).rejects.toMatchObject({
        reason: `${right}Wrong`,
      });
      expect(await people.isOpen(session)).toBe(true);
      const proof = right === "password" ? { password: PASSWORD } : { code: people.codeOf(secret) };
      await disableTotp(people.db, people.deps, { ...claim, proof });
      expect(await people.isOpen(session)).toBe(false);
      expect((await people.enter(person.email)).hasTotp).toBe(false);
    }
  });

  test("is reset by an operator without a code, and that ends every session", async () => {
    const { person, secret } = await people.ownerWithTotp();
    const session = await people.enter(person.email, people.codeOf(secret));
    await resetTotp(people.db, { userId: person.id, by: null });
    expect(await people.isOpen(session)).toBe(false);
    expect(await getUser(people.db, { userId: person.id })).toMatchObject({ recoveryCodesLeft: 0 });
    expect((await people.enter(person.email)).hasTotp).toBe(false);
    await expectRefused(resetTotp(people.db, { userId: person.id, by: null }), "totpOff");
  });
});
