import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import {
  beginTotp,
  changePassword,
  enterByProvider,
  getUser,
  issueLink,
  linkIdentity,
  proveSession,
  removeUser,
  resetPassword,
  setAccountStatus,
  setUserStatus,
  unlinkIdentity,
  unlinkOwnIdentity,
} from "@/server/access";
import { transaction } from "@/server/db";
import { sqlOf } from "@/server/db/handles";
import type { AccountId } from "@/server/domain/ids";
import { eventually } from "@/tests/support/eventually";
import { expectRefused } from "@/tests/support/refusal";
import { NEXT, PASSWORD, userRoom } from "@/tests/support/user-room";

const room = userRoom();
const { owner, attempt, enter, isOpen, redeem } = room;

const sql = () => sqlOf(room.db);

describe("a link", () => {
  test("lets an invited user set a password, once", async () => {
    const { id, email } = await owner({ password: null });
    expect((await attempt(email)).outcome).toBe("refused");
    const { token } = await issueLink(room.db, id);
    expect(await redeem(token)).toMatchObject({ id, email });
    await enter(email, undefined, NEXT);
    await expectRefused(redeem(token, "a third long password"), "linkInvalid");
    await enter(email, undefined, NEXT);
  });

  test("sets the password of its own user only", async () => {
    const [{ id }, other] = [await owner({ password: null }), await owner()];
    const { token } = await issueLink(room.db, id);
    await redeem(token);
    await enter(other.email);
  });

  test("works for one of several who use it at once", async () => {
    const { id } = await owner({ password: null });
    const { token } = await issueLink(room.db, id);
    const results = await Promise.allSettled([1, 2, 3, 4].map((each) => redeem(token, `${NEXT} ${each}`)));
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });

  test.each<[string, (userId: string) => Promise<unknown>]>([
    ["disabled", (userId) => setUserStatus(room.db, { userId, by: null, status: "disabled" })],
    ["removed", (userId) => removeUser(room.db, { userId, by: null })],
    ["reset", (userId) => resetPassword(room.db, { userId, by: null, password: null })],
    ["sent a new link", (userId) => issueLink(room.db, userId)],
  ])("that is used while its user is %s fails no change, and is invalid after it", async (_, change) => {
    const { id } = await owner({ password: null });
    const { token } = await issueLink(room.db, id);
    const waiting = (count: number) => eventually(room.waiters).toBe(count);
    // Both wait for the user's row, the change before the link: when it becomes free, neither may hold a lock that the
    // other needs.
    const results = await sql().begin(async (transaction) => {
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
      used: { status: "rejected", reason: { reason: "linkInvalid" } },
    });
  });

  test("is not used up by a password that is refused", async () => {
    const { id } = await owner({ password: null });
    const { token } = await issueLink(room.db, id);
    await expectRefused(redeem(token, "short"), "passwordTooShort");
    await redeem(token);
  });

  test("is stored as its hash, ends earlier sessions when it is used, and expires after a day", async () => {
    const { id, email } = await owner();
    const session = await enter(email);
    const { token } = await issueLink(room.db, id);
    const [row] = await sql()`select to_jsonb(l)::text as row from user_links l where user_id = ${id}`;
    expect(row?.row).not.toContain(token);
    await sql()`update user_links set expires_at = now() - interval '1 second' where user_id = ${id}`;
    await expectRefused(redeem(token), "linkInvalid");
    expect(await isOpen(session)).toBe(true);
    const fresh = await issueLink(room.db, id);
    expect(fresh.expiresAt.getTime() - Date.now()).toBeLessThanOrEqual(24 * 3_600_000);
    await redeem(fresh.token);
    expect(await isOpen(session)).toBe(false);
  });

  test.each<[string, (userId: string, accountId: AccountId) => Promise<unknown>]>([
    [
      "its user is disabled, even if enabled again",
      async (userId) => {
        await setUserStatus(room.db, { userId, by: null, status: "disabled" });
        await setUserStatus(room.db, { userId, by: null, status: "active" });
      },
    ],
    [
      "its user changes the password",
      (userId) => changePassword(room.db, room.deps, { userId, current: PASSWORD, next: `${NEXT} still` }),
    ],
    [
      "the account is disabled, even if enabled again",
      async (_, accountId) => {
        await setAccountStatus(room.db, { accountId, status: "disabled" });
        await setAccountStatus(room.db, { accountId, status: "active" });
      },
    ],
  ])("becomes invalid when %s", async (_, change) => {
    const { id, accountId } = await owner();
    const { token } = await issueLink(room.db, id);
    await change(id, accountId);
    await expectRefused(redeem(token), "linkInvalid");
  });

  test("cannot be made for a user of a disabled account, and the refusal names the account", async () => {
    const { id, accountId } = await owner();
    await setAccountStatus(room.db, { accountId: accountId, status: "disabled" });
    await expectRefused(issueLink(room.db, id), "accountDisabled");
  });

  test("cannot be guessed without limit from one network, which in IPv6 is all addresses of a host", async () => {
    for (let guess = 0; guess < 30; guess++) {
      await expectRefused(redeem(`guess ${guess}`, NEXT, `2001:db8:1:2::${guess}`), "linkInvalid");
    }
    const { id } = await owner({ password: null });
    const { token } = await issueLink(room.db, id);
    const right = redeem(token, NEXT, "2001:db8:1:2:ffff:ffff:ffff:ffff");
    await expectRefused(right, "rateLimited");
    await redeem(token, NEXT, "2001:db8:1:3::1");
  });
});

const ISSUER = "https://login.example";

type Coming = { email: string; subject: string; sessionId?: string; provedAt?: Date; address?: string };

const signInByProvider = ({ email, subject, sessionId, provedAt, address }: Coming) => {
  const identity = { issuer: ISSUER, subject };
  return enterByProvider(room.db, room.deps, {
    identity,
    provedAt: provedAt ?? null,
    address: address ?? room.address(),
    link: () =>
      transaction(room.db, (tx) => linkIdentity(tx, { ...identity, email, sessionId: sessionId ?? null })),
  });
};

/** The session that was opened. */
async function openedSession(coming: Coming) {
  const user = await signInByProvider(coming);
  if (user === "disabled") {
    throw new Error(user);
  }
  return user;
}

const invitedUser = async () => ({ user: await room.newUser({ password: null }), subject: randomUUID() });

test("an invited user is linked by the verified e-mail once, and signs in by the subject from then on", async () => {
  const { user, subject } = await invitedUser();
  const { token } = await issueLink(room.db, user.id);
  expect(await openedSession({ email: user.email.toUpperCase(), subject })).toMatchObject({ id: user.id });
  expect(await getUser(room.db, { userId: user.id })).toMatchObject({ linkedTo: ISSUER, hasPassword: false });
  // Another e-mail at the provider does not change the user.
  expect(await openedSession({ email: "renamed@example.com", subject })).toMatchObject({ id: user.id });
  // The invitation has been used.
  await expectRefused(room.redeem(token), "linkInvalid");
});

test("another subject with a linked user's e-mail at the provider cannot sign in as that user", async () => {
  const { user, subject } = await invitedUser();
  await openedSession({ email: user.email, subject });
  await expectRefused(signInByProvider({ email: user.email, subject: "a thief" }), "identityElsewhere");
});

test("one of two subjects that first sign in with one e-mail at once is linked", async () => {
  const { user } = await invitedUser();
  const both = await Promise.allSettled(
    ["one", "two"].map((name) => signInByProvider({ email: user.email, subject: user.id + name })),
  );
  expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
});

test("a user with a password is linked in a session with a fresh proof, and never by e-mail alone", async () => {
  const user = await room.newUser();
  const subject = randomUUID();
  const { sessionId } = await room.enter(user.email);
  const other = (await room.enter((await room.newUser()).email)).sessionId;
  await expectRefused(signInByProvider({ email: user.email, subject }), "identityNotLinked");
  await expectRefused(signInByProvider({ email: user.email, subject, sessionId }), "identityNotLinked");
  await proveSession(room.db, room.deps, { userId: user.id, sessionId, proof: { password: PASSWORD } });
  // Another user's session proves nothing.
  await expectRefused(
    signInByProvider({ email: user.email, subject, sessionId: other }),
    "identityNotLinked",
  );
  expect(await openedSession({ email: user.email, subject, sessionId })).toMatchObject({ id: user.id });
  expect(await room.attempt(user.email)).toMatchObject({ outcome: "signed_in" });
});

test("a proof counts only in a session of the user who gave it", async () => {
  const [user, other] = [await room.newUser(), await room.newUser()];
  const { sessionId } = await room.enter(other.email);
  await proveSession(room.db, room.deps, { userId: user.id, sessionId, proof: { password: PASSWORD } });
  await expectRefused(
    signInByProvider({ email: other.email, subject: randomUUID(), sessionId }),
    "identityNotLinked",
  );
});

test("a proof of more than five minutes ago links no identity", async () => {
  const user = await room.newUser();
  const { sessionId } = await room.enter(user.email);
  await proveSession(room.db, room.deps, { userId: user.id, sessionId, proof: { password: PASSWORD } });
  await sql()`update sessions set proved_at = now() - interval '301 seconds' where id = ${sessionId}`;
  await expectRefused(
    signInByProvider({ email: user.email, subject: randomUUID(), sessionId }),
    "identityNotLinked",
  );
});

test("an unknown person is refused, and so is a disabled user, linked or not", async () => {
  await expectRefused(
    signInByProvider({ email: `${randomUUID()}@example.com`, subject: randomUUID() }),
    "identityUnknown",
  );
  const { user, subject } = await invitedUser();
  const { sessionId } = await openedSession({ email: user.email, subject });
  await setUserStatus(room.db, { userId: user.id, status: "disabled", by: null });
  expect(await room.isOpen({ sessionId })).toBe(false);
  expect(await signInByProvider({ email: user.email, subject })).toBe("disabled");
  const fresh = await invitedUser();
  await setUserStatus(room.db, { userId: fresh.user.id, status: "disabled", by: null });
  await expectRefused(signInByProvider({ email: fresh.user.email, subject: fresh.subject }), "userDisabled");
});

test("failed sign-ins by the provider are counted by their address, and successful ones are not", async () => {
  const address = room.address();
  const { user, subject } = await invitedUser();
  for (let time = 0; time < 30; time++) {
    await signInByProvider({ email: user.email, subject, address });
    await expectRefused(
      signInByProvider({ email: "nobody@example.com", subject: "nobody", address }),
      "identityUnknown",
    );
  }
  await expectRefused(signInByProvider({ email: user.email, subject, address }), "rateLimited");
});

test("unlinking ends every session, and users without a password cannot unlink themselves", async () => {
  const { user, subject } = await invitedUser();
  const { sessionId } = await openedSession({ email: user.email, subject, provedAt: new Date() });
  const proof = { sessionId };
  await expectRefused(unlinkOwnIdentity(room.db, room.deps, { userId: user.id, proof }), "identityOnlyWay");
  expect(await room.isOpen({ sessionId })).toBe(true);
  expect(await unlinkIdentity(room.db, user.id)).toEqual({ issuer: ISSUER, subject });
  expect(await room.isOpen({ sessionId })).toBe(false);
  await expectRefused(unlinkIdentity(room.db, user.id), "identityNone");
});

test.each([
  ["five minutes ago", new Date(Date.now() - 301_000)],
  ["at an unknown time", undefined],
])(
  "a user whom the provider authenticated %s must sign in again before a change that needs a proof",
  async (_, provedAt) => {
    const { user, subject } = await invitedUser();
    const { sessionId } = await openedSession({ email: user.email, subject, ...(provedAt && { provedAt }) });
    const claim = { userId: user.id, issuer: "Tollgate", proof: { sessionId } };
    await expectRefused(beginTotp(room.db, room.deps, claim), "proofTooOld");
    const fresh = await openedSession({ email: user.email, subject, provedAt: new Date() });
    await beginTotp(room.db, room.deps, { ...claim, proof: { sessionId: fresh.sessionId } });
  },
);
