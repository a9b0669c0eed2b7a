import { expect, test } from "vitest";
import { GatewayError } from "@/server/base/errors";
import { localPool } from "@/server/base/shares";
import { createLiveCalls, type Limited } from "./live-calls";

const caller = (accountId: string, limits: { key?: number; account?: number } = {}): Limited => ({
  accountId,
  keyId: `key of ${accountId}`,
  maxConcurrent: limits.key ?? null,
  account: { maxConcurrent: limits.account ?? null },
});

async function refused(run: () => Promise<unknown>): Promise<GatewayError | null> {
  try {
    await run();
    return null;
  } catch (error) {
    if (error instanceof GatewayError) {
      return error;
    }
    throw error;
  }
}

const scopes = ["key", "account"] as const;
test.each(scopes)("a limit of the %s is held, said, and given back call by call", async (scope) => {
  const calls = createLiveCalls(localPool(100));
  const limited = caller("a", { [scope]: 2 });
  const leave = [await calls.enter(limited), await calls.enter(limited)];
  const error = await refused(() => calls.enter(limited));
  expect(error).toMatchObject({ status: 429, slug: "too_many_at_once" });
  expect(error?.headers).toMatchObject({
    "retry-after": "1",
    "x-ratelimit-scope": scope,
    "x-ratelimit-limit-concurrent": "2",
  });
  leave[0]?.();
  leave[0]?.();
  await calls.enter(limited);
  expect((await refused(() => calls.enter(limited)))?.status).toBe(429);
});

test("a process that is full says so with 503, whatever the account's limit", async () => {
  const calls = createLiveCalls(localPool(2));
  const rich = caller("rich", { account: 10 });
  await calls.enter(rich);
  await calls.enter(rich);
  expect(await refused(() => calls.enter(rich))).toMatchObject({ status: 503 });
  expect(await refused(() => calls.enter(caller("other")))).toMatchObject({ status: 503 });
});
