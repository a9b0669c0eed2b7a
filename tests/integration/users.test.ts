import { describe, expect, test } from "vitest";
import {
  changePassword,
  endSession,
  getUser,
  removeUser,
  resetPassword,
  resetTotp,
  setRole,
  setUserStatus,
} from "@/server/access";
import { removeOldSessions } from "@/server/access/people/sessions";
import { sqlOf } from "@/server/db/handles";
import { accountRoles, staffRoles } from "@/server/domain/enums";
import { expectRefused } from "@/tests/support/refusal";
import { NEXT, PASSWORD, userRoom } from "@/tests/support/user-room";

const room = userRoom();
const { newUser, owner, attempt, enter, isOpen } = room;

const sql = () => sqlOf(room.db);

test.each([
  "",
  "nobody",
  "two@at@signs.test",
  "a line\nmore@tollgate.test",
  `${"a".repeat(300)}@tollgate.test`,
])("%j is no valid e-mail", async (email) => {
  await expectRefused(newUser({ email }), "invalid");
});

describe("a user", () => {
  test("who is disabled loses all sessions, and no old one returns when the user is enabled again", async () => {
    const { id, email } = await owner();
    const session = await enter(email);
    await setUserStatus(room.db, { userId: id, by: null, status: "disabled" });
    expect(await isOpen(session)).toBe(false);
    expect((await attempt(email)).outcome).toBe("disabled");
    const change = { userId: id, current: PASSWORD, next: NEXT };
    await expectRefused(changePassword(room.db, room.deps, change), "userDisabled");
    await setUserStatus(room.db, { userId: id, by: null, status: "active" });
    expect(await isOpen(session)).toBe(false);
    expect(await isOpen(await enter(email))).toBe(true);
  });

  test("who is removed cannot sign in any more", async () => {
    const { id, email } = await owner();
    const session = await enter(email);
    await removeUser(room.db, { userId: id, by: null });
    expect(await isOpen(session)).toBe(false);
    expect((await attempt(email)).outcome).toBe("refused");
    await expectRefused(getUser(room.db, { userId: id }), "userUnknown");
  });
});

describe("a session", () => {
  test("ends on the server when its user signs out, and no other session does", async () => {
    const { email } = await owner();
    const [here, there] = [await enter(email), await enter(email)];
    await endSession(room.db, here.sessionId);
    expect([await isOpen(here), await isOpen(there)]).toEqual([false, true]);
  });

  test("ends at its expiry, and its row is removed", async () => {
    const { email } = await owner();
    const [old, young] = [await enter(email), await enter(email)];
    await sql()`update sessions set expires_at = now() - interval '1 second' where id = ${old.sessionId}`;
    expect([await isOpen(old), await isOpen(young)]).toEqual([false, true]);
    await removeOldSessions(room.db);
    const left = await sql()`
      select id from sessions where id in ${sql()([old.sessionId, young.sessionId])}`;
    expect(left.map(({ id }) => id)).toEqual([young.sessionId]);
  });
});

type UserTarget = { userId: string; by: string | null };

describe("operators", () => {
  /** Changes that would leave the gateway without an operator. */
  const ends: Record<string, (target: UserTarget) => Promise<unknown>> = {
    disable: (target) => setUserStatus(room.db, { ...target, status: "disabled" }),
    demote: (target) => setRole(room.db, { ...target, role: "viewer" }),
    remove: (target) => removeUser(room.db, target),
  };
  /** Changes by which one operator locks out another. */
  const bars = {
    ...ends,
    "reset the password of": (target: UserTarget) => resetPassword(room.db, { ...target, password: null }),
  };
  const barring = Object.entries(bars);
  const clear = () => sql()`delete from users where account_id is null`;

  test.each(Object.entries(ends))("cannot %s the last one who can sign in", async (_, end) => {
    await clear();
    const last = await newUser();
    // None of these could run the gateway instead.
    await newUser({ role: "viewer" });
    await newUser({ password: null });
    const disabled = await newUser();
    await setUserStatus(room.db, { userId: disabled.id, by: null, status: "disabled" });
    await expectRefused(end({ userId: last.id, by: null }), "lastOperator");
    await setUserStatus(room.db, { userId: disabled.id, by: null, status: "active" });
    await end({ userId: last.id, by: null });
  });

  test.each(Object.entries(ends))("two who %s each other at once leave one of them", async (_, end) => {
    for (let round = 0; round < 5; round++) {
      await clear();
      const [first, second] = [await newUser(), await newUser()];
      const results = await Promise.allSettled(
        [first, second].map(({ id }) => end({ userId: id, by: null })),
      );
      expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    }
  });

  test.each(barring)(
    "two who %s each other at once lose one of them, whatever others there are",
    async (_, bar) => {
      for (let round = 0; round < 5; round++) {
        await clear();
        const [first, second] = [await newUser(), await newUser(), await newUser()];
        const results = await Promise.allSettled([
          bar({ userId: second.id, by: first.id }),
          bar({ userId: first.id, by: second.id }),
        ]);
        const refused = results.filter((result) => result.status === "rejected").map(({ reason }) => reason);
        expect(refused).toMatchObject([{ reason: "signedOut" }]);
        const left = await sql()`
        select id from users where role = 'operator' and status = 'active' and password_hash is not null`;
        expect(left).toHaveLength(2);
      }
    },
  );

  test.each(barring)("whom others %s cannot lock out anyone any more", async (_, bar) => {
    await clear();
    const [barred, other] = [await newUser(), await newUser()];
    await bar({ userId: barred.id, by: null });
    for (const late of [...Object.values(bars), (target: UserTarget) => resetTotp(room.db, target)]) {
      await expectRefused(late({ userId: other.id, by: barred.id }), "signedOut");
    }
  });

  test("cannot lock out themselves", async () => {
    await clear();
    const [admin] = [await newUser(), await newUser()];
    for (const take of [...Object.values(bars), (target: UserTarget) => resetTotp(room.db, target)]) {
      await expectRefused(take({ userId: admin.id, by: admin.id }), "userIsYou");
    }
  });

  test("are never made of an account's user", async () => {
    const { id } = await owner();
    for (const role of staffRoles) {
      await expectRefused(setRole(room.db, { userId: id, by: null, role }), "roleElsewhere");
    }
  });
});

describe("an account's people", () => {
  const bars: Record<string, (userId: string, by: string | null) => Promise<unknown>> = {
    demotes: (userId, by) => setRole(room.db, { userId, by, role: "member" }),
    removes: (userId, by) => removeUser(room.db, { userId, by }),
  };
  const barring = Object.entries(bars);

  const pair = async () => {
    const user = await owner();
    const { accountId } = user;
    return {
      first: user,
      second: await newUser({ accountId }),
      member: await newUser({ accountId, role: "member" }),
    };
  };

  test.each(barring)("when each of two owners %s the other at once, one of them remains", async (_, bar) => {
    for (let round = 0; round < 5; round++) {
      const { first, second } = await pair();
      const results = await Promise.allSettled([bar(first.id, second.id), bar(second.id, first.id)]);
      expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    }
  });

  test.each(barring)("no person and no command %s the last owner of others", async (_, bar) => {
    const { first, second } = await pair();
    await bar(second.id, null);
    await expectRefused(bar(first.id, null), "lastOwner");
  });

  test.each(accountRoles.filter((role) => role !== "owner"))("a %s changes no user", async (role) => {
    const target = await owner();
    const asker = await newUser({ accountId: target.accountId, role });
    for (const bar of Object.values(bars)) {
      await expectRefused(bar(target.id, asker.id), "signedOut");
    }
  });

  test("are unknown to another account's owner", async () => {
    const [own, foreign] = [await owner(), await owner()];
    for (const bar of Object.values(bars)) {
      await expectRefused(bar(own.id, foreign.id), "userUnknown");
    }
  });

  test("have their password reset by support, which cannot reset that of staff or of an account's owner", async () => {
    const [customer, support, admin] = [await owner(), await newUser({ role: "support" }), await newUser()];
    const member = await newUser({ accountId: customer.accountId, role: "member" });
    const reset = (target: { id: string }, by: { id: string } = support) =>
      resetPassword(room.db, { userId: target.id, by: by.id, password: null });
    await reset(member);
    for (const target of [admin, await newUser({ role: "viewer" })]) {
      await expectRefused(reset(target), "userIsStaff");
    }
    await expectRefused(reset(customer), "userIsOwner");
    await reset(customer, admin);
    await expectRefused(
      setRole(room.db, { userId: customer.id, by: support.id, role: "member" }),
      "signedOut",
    );
  });
});
