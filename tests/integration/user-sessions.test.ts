import { describe, expect, test } from "vitest";
import { endSession, resetPassword } from "@/server/access";
import { removeOldSessions } from "@/server/access/sessions";
import { sqlOf } from "@/server/db/handles";
import { userRoom } from "@/tests/support/user-room";

const room = userRoom();
const { owner, attempt, enter, isOpen } = room;

describe("a session", () => {
  test("ends on the server when it is signed out of, and no other one with it", async () => {
    const { email } = await owner();
    const [here, there] = [await enter(email), await enter(email)];
    await endSession(room.db, here);
    expect([await isOpen(here), await isOpen(there)]).toEqual([false, true]);
  });

  test("is over when its time is, and its row is removed", async () => {
    const { email } = await owner();
    const [old, young] = [await enter(email), await enter(email)];
    await sqlOf(room.db)`update sessions set expires_at = now() - interval '1 second' where id = ${old}`;
    expect([await isOpen(old), await isOpen(young)]).toEqual([false, true]);
    await removeOldSessions(room.db);
    const left = await sqlOf(room.db)`select id from sessions where id in ${sqlOf(room.db)([old, young])}`;
    expect(left.map(({ id }) => id)).toEqual([young]);
  });

  test("is not opened by a password that is reset while it is checked", async () => {
    for (let round = 0; round < 5; round++) {
      const { id, email } = await owner();
      const [result] = await Promise.all([
        attempt(email),
        new Promise((resolve) => setTimeout(resolve, 10 * round)).then(() =>
          resetPassword(room.db, { userId: id, by: null, password: null }),
        ),
      ]);
      const left = await sqlOf(room.db)`select id from sessions where user_id = ${id}`;
      expect({ round, outcome: result.outcome, left: left.length }).toMatchObject({ left: 0 });
    }
  });
});
