import { expect, test } from "vitest";
import { GatewayError } from "@/server/base/errors";
import { createLiveCalls, type Limited } from "./live-calls";

const caller = (accountId: string, limits: { key?: number; account?: number } = {}): Limited => ({
  accountId,
  keyId: `key of ${accountId}`,
  maxConcurrent: limits.key ?? null,
  account: { maxConcurrent: limits.account ?? null },
});

/** The error that it ends in. */
function refused(run: () => unknown): GatewayError | null {
  try {
    run();
    return null;
  } catch (error) {
    if (error instanceof GatewayError) {
      return error;
    }
    throw error;
  }
}

test.each(["key", "account"] as const)(
  "a limit of the %s is held, said, and given back call by call",
  (scope) => {
    const calls = createLiveCalls(100);
    const limited = caller("a", { [scope]: 2 });
    const leave = [calls.enter(limited), calls.enter(limited)];
    const error = refused(() => calls.enter(limited));
    expect(error).toMatchObject({ status: 429, slug: "too_many_at_once" });
    expect(error?.headers).toMatchObject({
      "retry-after": "1",
      "x-ratelimit-scope": scope,
      "x-ratelimit-limit-concurrent": "2",
    });
    leave[0]?.();
    leave[0]?.();
    calls.enter(limited);
    expect(refused(() => calls.enter(limited))?.status).toBe(429);
  },
);

test("without any limit, one account cannot take the places of the others", () => {
  const calls = createLiveCalls(64);
  let greedy = 0;
  while (refused(() => calls.enter(caller("greedy"))) === null) {
    greedy++;
  }
  expect(greedy).toBe(32);
  expect(["b", "c", "d"].map((id) => refused(() => calls.enter(caller(id))))).toEqual([null, null, null]);
});

test("a process that is full says so with 503, whatever the account's limit", () => {
  const calls = createLiveCalls(2);
  const rich = caller("rich", { account: 10 });
  calls.enter(rich);
  calls.enter(rich);
  expect(refused(() => calls.enter(rich))).toMatchObject({ status: 503 });
  expect(refused(() => calls.enter(caller("other")))).toMatchObject({ status: 503 });
});
