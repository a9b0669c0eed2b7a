import { expect, test } from "vitest";
import { nanos } from "@/server/base/money";
import { requestOf } from "@/tests/support/escrow-model";
import { createParts } from "./parts";

const RENEW_MS = 60_000;
const { accountId } = requestOf("", { key: 0, period: "", amount: 0n });

/** Parts whose owner is given its share each time it asks. */
function sharing() {
  const clock = { now: 0 };
  const parts = createParts({ usableMs: 1_000_000, renewMs: RENEW_MS, now: () => clock.now });
  parts.note(accountId);
  const ask = (share: bigint) => {
    const asked = parts.due();
    parts.granted(asked, [{ accountId, amount: nanos(share), share: nanos(share) }], clock.now);
    return asked.length > 0;
  };
  /** After how many seconds it asks again. */
  const nextAsk = (share: bigint) => {
    const since = clock.now;
    while (!ask(share)) {
      clock.now += 1_000;
    }
    return (clock.now - since) / 1_000;
  };
  return { parts, ask, nextAsk };
}

test("a part is asked for again soon, and less often while it stays even", () => {
  const { nextAsk } = sharing();
  expect([100n, 100n, 100n, 100n, 100n, 100n, 100n].map(nextAsk)).toEqual([0, 5, 10, 20, 40, 60, 60]);
  expect([50n, 50n, 50n].map(nextAsk)).toEqual([60, 5, 10]);
});

test("all parts are asked for again if the database may have lost them", () => {
  const { parts, ask } = sharing();
  expect([ask(100n), ask(100n)]).toEqual([true, false]);
  parts.doubt();
  expect([ask(100n), ask(100n)]).toEqual([true, false]);
});
