import { expect, test } from "vitest";
import { localPool } from "@/server/domain/shares";
import { promised } from "@/tests/support/refusal";
import { createLiveCalls, type Limited } from "./live-calls";

const caller = (accountId: string, limits: { key?: number; account?: number } = {}): Limited => ({
  accountId,
  keyId: `key of ${accountId}`,
  maxConcurrent: limits.key ?? null,
  account: { maxConcurrent: limits.account ?? null },
});

const scopes = ["key", "account"] as const;
test.each(scopes)(
  "a limit of the %s is enforced and named in the refusal, and the end of each call gives one place back",
  async (scope) => {
    const calls = createLiveCalls(localPool(100));
    const limited = caller("a", { [scope]: 2 });
    const leave = [await calls.enter(limited), await calls.enter(limited)];
    await expect(promised(() => calls.enter(limited))).rejects.toMatchObject({
      ...{ status: 429, slug: "too_many_at_once" },
      headers: {
        "retry-after": "1",
        "x-ratelimit-scope": scope,
        "x-ratelimit-limit-concurrent": "2",
      },
    });
    leave[0]?.();
    leave[0]?.();
    await calls.enter(limited);
    await expect(promised(() => calls.enter(limited))).rejects.toMatchObject({ status: 429 });
  },
);

test("a full process refuses calls with 503, whatever the account's limit", async () => {
  const calls = createLiveCalls(localPool(2));
  const rich = caller("rich", { account: 10 });
  await calls.enter(rich);
  await calls.enter(rich);
  await expect(promised(() => calls.enter(rich))).rejects.toMatchObject({ status: 503 });
  await expect(promised(() => calls.enter(caller("other")))).rejects.toMatchObject({ status: 503 });
});
