import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Want } from "@/server/domain/shares";
import type { ToParent } from "./messages";
import { parentsShares } from "./parents-shares";

function createShares() {
  const messages: ToParent[] = [];
  let reportEnd = () => {};
  const shares = parentsShares({
    send: (message) => void messages.push(message),
    on: () => {},
    onGone: (hear) => {
      reportEnd = hear;
    },
    isGone: () => false,
  });
  return { messages, shares, endParent: () => reportEnd() };
}

const want = (limit: number | null): Want => ({
  holder: { id: "key", most: limit },
  account: { id: "account", most: null },
  amount: 1,
});

test("a place with a limit is given back at once, before the last byte of an answer", () => {
  const { messages, shares } = createShares();
  shares.calls.give(want(3));
  expect(messages).toEqual([{ kind: "shares", given: [["calls", want(3)]], wants: [] }]);
});

test("all other places of an event-loop turn are taken and given back in one message", async () => {
  const { messages, shares, endParent } = createShares();
  const place = shares.calls.take(want(3));
  shares.calls.give(want(null));
  shares.bodies.give(want(1_000));
  const bytes = shares.bodies.take(want(1_000));
  expect(messages).toEqual([]);
  await nextTurn();
  await nextTurn();
  expect(messages).toEqual([
    {
      kind: "shares",
      given: [
        ["calls", want(null)],
        ["bodies", want(1_000)],
      ],
      wants: [
        [0, "calls", want(3)],
        [1, "bodies", want(1_000)],
      ],
    },
  ]);
  endParent();
  await expect(Promise.allSettled([place, bytes])).resolves.toMatchObject([
    { status: "rejected" },
    { status: "rejected" },
  ]);
});
