import { describe, expect, test } from "vitest";
import {
  changePassword,
  issueLink,
  removeUser,
  resetPassword,
  setAccountStatus,
  setUserStatus,
} from "@/server/access";
import type { AccountId } from "@/server/base/ids";
import { sqlOf } from "@/server/db/handles";
import { eventually } from "@/tests/support/eventually";
import { NEXT, PASSWORD, userRoom } from "@/tests/support/user-room";

const room = userRoom();
const { address, owner, attempt, enter, isOpen, redeem } = room;

const invalid = { reason: "linkInvalid" };

describe("a link", () => {
  test("lets an invited user set a password, once", async () => {
    const { id, email } = await owner({ password: null });
    expect((await attempt(email)).outcome).toBe("refused");
    const { token } = await issueLink(room.db, id);
    expect(await redeem(token)).toMatchObject({ id, email });
    await enter(email, undefined, NEXT);
    await expect(redeem(token, "a third long password")).rejects.toMatchObject(invalid);
    await enter(email, undefined, NEXT);
  });

  test("is used by one of several who open it at once", async () => {
    const { id } = await owner({ password: null });
    const { token } = await issueLink(room.db, id);
    const results = await Promise.allSettled([1, 2, 3, 4].map((each) => redeem(token, `${NEXT} ${each}`)));
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });

  test.each<[string, (userId: string) => Promise<unknown>]>([
    ["disabled", (userId) => setUserStatus(room.db, { userId, by: null, status: "disabled" })],
    ["removed", (userId) => removeUser(room.db, { userId, by: null })],
    ["reset", (userId) => resetPassword(room.db, { userId, by: null, password: null })],
    ["given a new one", (userId) => issueLink(room.db, userId)],
  ])("that is used while its user is %s fails no change, and is not valid after it", async (_, change) => {
    const { id } = await owner({ password: null });
    const { token } = await issueLink(room.db, id);
    const waiting = async (count: number) => {
      const locked = () =>
        sqlOf(
          room.db,
        )`select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      await eventually(locked).toHaveLength(count);
    };
    // Both wait for the user's row, the change before the link: as it comes free, neither may hold what the other
    // needs.
    const results = await sqlOf(room.db).begin(async (transaction) => {
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
    const { token } = await issueLink(room.db, id);
    await expect(redeem(token, "short")).rejects.toMatchObject({ reason: "passwordTooShort" });
    await redeem(token);
  });

  test("is stored as its hash, ends the sessions of before, and is worth nothing after a day", async () => {
    const { id, email } = await owner();
    const session = await enter(email);
    const { token } = await issueLink(room.db, id);
    const [row] = await sqlOf(
      room.db,
    )`select to_jsonb(l)::text as row from user_links l where user_id = ${id}`;
    expect(row?.row).not.toContain(token);
    await sqlOf(
      room.db,
    )`update user_links set expires_at = now() - interval '1 second' where user_id = ${id}`;
    await expect(redeem(token)).rejects.toMatchObject(invalid);
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
  ])("ends when %s", async (_, change) => {
    const { id, accountId } = await owner();
    const { token } = await issueLink(room.db, id);
    await change(id, accountId);
    await expect(redeem(token)).rejects.toMatchObject(invalid);
  });

  test("cannot be made for a user of a disabled account, and the refusal says that it is the account", async () => {
    const { id, accountId } = await owner();
    await setAccountStatus(room.db, { accountId: accountId, status: "disabled" });
    await expect(issueLink(room.db, id)).rejects.toMatchObject({ reason: "accountDisabled" });
  });

  test("is not guessed for ever from one network", async () => {
    const from = address();
    for (let guess = 0; guess < 30; guess++) {
      await expect(redeem(`guess ${guess}`, NEXT, from)).rejects.toMatchObject(invalid);
    }
    const { id } = await owner({ password: null });
    const { token } = await issueLink(room.db, id);
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
