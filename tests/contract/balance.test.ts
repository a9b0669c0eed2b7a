import { describe, expect, test } from "vitest";
import { setAccountLimits, updateKey } from "@/server/access";
import { nanos } from "@/server/base/money";
import { sqlOf } from "@/server/db/handles";
import { money } from "@/tests/support/customer";
import { messages, served } from "@/tests/support/per-file";
import { answerWith, usage } from "@/tests/support/upstream";

// A call of 1,000 tokens costs 0.002.
const { gateway, model } = served(answerWith("hi", usage(0, 1_000)), { inputPrice: nanos(0n) });

type Spender = Awaited<ReturnType<typeof gateway.customer>>;

/** A customer who has spent 0.004 of a quota with more digits than a double holds. */
async function newSpender(): Promise<Spender> {
  const customer = await gateway.customer({ quota: "123456789.123456789" });
  for (const _ of [1, 2]) {
    await (await gateway.chat(customer.secret, { model, max_tokens: 1_000, messages })).text();
  }
  return customer;
}

const ask = (secret: string, path: string) =>
  fetch(`${gateway.url}${path}`, { headers: { authorization: `Bearer ${secret}` } });
const textAt = async (secret: string, path: string) => await (await ask(secret, path)).text();

/** The digits of a number, as the JSON text has them. */
const member = (text: string, name: string) => new RegExp(`"${name}":([^,}]+)`).exec(text)?.[1];

const paths = [
  "/v1/usage",
  "/v1/credits",
  "/api/v1/credits",
  "/v1/key",
  "/api/v1/key",
  "/api/v1/auth/key",
  "/v1/dashboard/billing/subscription",
  "/v1/dashboard/billing/usage?start_date=2026-01-01&end_date=2026-01-31",
];

describe("a key's balance", () => {
  test("is its account's month to the last digit, in every format, and costs nothing", async () => {
    const { secret, accountId } = await newSpender();
    const own = await textAt(secret, "/v1/usage");
    const numbers = ["total", "used", "remaining"].map((name) => member(own, name));
    expect(numbers).toEqual(["123456789.123456789", "0.004", "123456789.119456789"]);
    expect(JSON.parse(own)).toMatchObject({
      isValid: true,
      planName: "test",
      scope: "account",
      window: "month",
    });
    const credits = await textAt(secret, "/api/v1/credits");
    expect(["total_credits", "total_usage"].map((name) => member(credits, name))).toEqual(
      numbers.slice(0, 2),
    );
    const key = JSON.parse(await textAt(secret, "/api/v1/key"));
    const label = `sk-...${secret.slice(-4)}`;
    expect(key.data).toMatchObject({ label, limit: null, limit_remaining: null, usage: 0.004 });
    const subscription = await textAt(secret, "/v1/dashboard/billing/subscription");
    expect(member(subscription, "hard_limit_usd")).toBe(numbers[0]);
    expect(member(subscription, "access_until")).toBe("0");
    expect(member(await textAt(secret, paths.at(-1) ?? ""), "total_usage")).toBe("0.4");
    expect(await gateway.balance(accountId)).toMatchObject({ used: 4_000_000n, frozen: 0n });
  });

  test("is its own cap if it has one, and never what its account has beyond that", async () => {
    const { secret, keyId } = await newSpender();
    await updateKey(gateway.runtime.db, { keyId, monthlyCap: money("1"), dailyCap: money("0.01") });
    for (const path of paths) {
      expect([path, await textAt(secret, path)]).not.toEqual([path, expect.stringContaining("123456789")]);
    }
    const { data } = JSON.parse(await textAt(secret, "/v1/key"));
    expect(data).toMatchObject({ limit: 0.01, limit_remaining: 0.006, limit_reset: "daily", usage: 0.004 });
    expect(JSON.parse(await textAt(secret, "/v1/usage"))).toMatchObject({
      total: 0.01,
      scope: "key",
      window: "day",
    });
  });

  test("is lower if its account may spend less, and ends with the key", async () => {
    const { secret, accountId, keyId } = await newSpender();
    const expiresAt = new Date("2100-01-01T00:00:00Z");
    await updateKey(gateway.runtime.db, { keyId, monthlyCap: money("1"), expiresAt });
    await setAccountLimits(gateway.runtime.db, { accountId, dailyLimit: money("0.005") });
    await expect
      .poll(async () => JSON.parse(await textAt(secret, "/v1/key")).data)
      .toMatchObject({ limit: 0.005, limit_remaining: 0.001, limit_reset: "monthly" });
    expect(JSON.parse(await textAt(secret, "/v1/dashboard/billing/subscription"))).toMatchObject({
      ...{ hard_limit_usd: 0.005, access_until: 4_102_444_800 },
    });
  });

  test("is shown to its own key only, and counts towards that key's requests per minute", async () => {
    const strangers = [await gateway.customer({ allowedIps: ["10.0.0.1"] }), await gateway.customer()];
    const [away, off] = strangers.map(({ secret }) => secret) as [string, string];
    await sqlOf(gateway.runtime.db)`
      update api_keys set status = 'disabled' where id = ${strangers[1]?.keyId ?? ""}`;
    const { secret } = await gateway.customer({ requestsPerMinute: paths.length });
    for (const path of paths) {
      const statuses = [away, off, "sk-none"].map(async (key) => (await ask(key, path)).status);
      expect([path, await Promise.all(statuses)]).toEqual([path, [403, 403, 401]]);
      expect([path, (await ask(secret, path)).status]).toEqual([path, 200]);
    }
    expect((await ask(secret, "/v1/usage")).status).toBe(429);
    expect((await fetch(`${gateway.url}/v1/usage`, { method: "POST" })).status).toBe(405);
  });
});
