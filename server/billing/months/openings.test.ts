import { expect, test } from "vitest";
import { type Nanos, nanos } from "@/server/base/money";
import type { AccountId, KeyId } from "@/server/domain/ids";
import { branded } from "@/tests/support/branded";
import { createOpenings } from "./openings";

const purse = (account: string, key: string, keyCap: Nanos | null = null) => ({
  accountId: branded<AccountId>(account),
  ...{ period: "2026-05", keyId: branded<KeyId>(key), keyCap },
});

/** Openings that end when the test says so. */
function openings() {
  const begun: { end: () => void; fail: (error: Error) => void }[] = [];
  const open = createOpenings(() => new Promise<void>((end, fail) => void begun.push({ end, fail })));
  return { begun, open };
}

test("calls that need the same months at the same time open them once", async () => {
  const { begun, open } = openings();
  const calls = [open(purse("acc", "one")), open(purse("acc", "two")), open(purse("acc", "one"))];
  expect(begun).toHaveLength(1);
  begun[0]?.end();
  await Promise.all(calls);
  void open(purse("acc", "one"));
  expect(begun).toHaveLength(2);
});

test("the months of other accounts, and of keys with a cap, are opened by themselves", () => {
  const { begun, open } = openings();
  const cap = nanos(1n);
  for (const each of [
    purse("acc", "one"),
    purse("other", "one"),
    purse("acc", "one", cap),
    purse("acc", "two", cap),
  ]) {
    void open(each);
  }
  expect(begun).toHaveLength(4);
});

test("an opening that fails is tried again by the next call", async () => {
  const { begun, open } = openings();
  const calls = [open(purse("acc", "one")), open(purse("acc", "one"))];
  begun[0]?.fail(new Error("away"));
  expect((await Promise.allSettled(calls)).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  const again = open(purse("acc", "one"));
  begun[1]?.end();
  await again;
});
