import { afterAll, describe, expect, test } from "vitest";
import { setAccountLimits, updateKey } from "@/server/access";
import { nanos, parseMoney } from "@/server/base/money";
import { messages, served } from "@/tests/support/per-file";
import { answerWith, usage } from "@/tests/support/upstream";
import { oneVideoPrice } from "@/tests/support/video-client";

// A call of 1,000 tokens costs 0.002.
const { gateway, upstream, model } = served(answerWith("hi", usage(0, 1_000)), { inputPrice: nanos(0n) });

afterAll(async () => {
  expect(await gateway.verify()).toEqual([]);
});

/** A customer with plenty of money, whose key may spend `cap` in a month. */
async function cappedAt(cap: string, quota = "1000") {
  const customer = await gateway.customer({ quota });
  await updateKey(gateway.runtime.db, { keyId: customer.keyId, monthlyCap: parseMoney(cap) });
  return customer;
}

const chat = (secret: string, more: object = {}) =>
  gateway.chat(secret, { model, max_tokens: 1_000, messages: [{ role: "user", content: "hi" }], ...more });

describe("a key that has spent its monthly cap", () => {
  test("is refused with the 402 of an empty account, and a header names the key", async () => {
    const { secret } = await cappedAt("0.004");
    expect((await chat(secret)).status).toBe(200);
    expect((await chat(secret)).status).toBe(200);
    const refused = await chat(secret);
    expect(refused.status).toBe(402);
    expect(await refused.json()).toMatchObject({ code: 402, message: "当月额度不足,请先充值", data: null });
    expect(refused.headers.get("x-quota-scope")).toBe("key");
    expect(refused.headers.get("x-should-retry")).toBe("false");
  });

  test("differs from a key of an empty account, whose refusal has no such header", async () => {
    const { secret, accountId } = await cappedAt("1", "0.002");
    expect((await chat(secret)).status).toBe(200);
    const refused = await chat(secret);
    expect([refused.status, refused.headers.get("x-quota-scope")]).toEqual([402, null]);
    expect(await gateway.balance(accountId)).toMatchObject({ used: 2_000_000n, frozen: 0n });
  });

  test("is refused on every paid endpoint", async () => {
    const { secret } = await cappedAt("0");
    const calls: [string, object][] = [
      ["chat/completions", { model, max_tokens: 10, messages }],
      ["messages", { model, max_tokens: 10, messages }],
      ["videos/generations", { model: await video(), prompt: "a cat" }],
    ];
    for (const [path, body] of calls) {
      const response = await gateway.post(secret, path, body);
      expect([path, response.status, response.headers.get("x-quota-scope")]).toEqual([path, 402, "key"]);
    }
  });
});

describe("a customer with caps by the day and by the week", () => {
  /** A customer with these caps of the key and this limit of the account. */
  async function customerWith(terms: { dailyCap?: string; weeklyCap?: string; dailyLimit?: string }) {
    const customer = await gateway.customer({ quota: "1000" });
    const { db } = gateway.runtime;
    const { dailyLimit, ...caps } = terms;
    const amounts = Object.entries(caps).map(([name, text]) => [name, parseMoney(text)]);
    await updateKey(db, { keyId: customer.keyId, ...Object.fromEntries(amounts) });
    const { accountId } = customer;
    await setAccountLimits(db, { accountId, ...(dailyLimit && { dailyLimit: parseMoney(dailyLimit) }) });
    return customer;
  }
  const quotaHeaders = ({ headers }: Response) => {
    const names = ["x-quota-scope", "x-quota-window", "x-quota-resets-at"];
    const [scope, window, until] = names.map((name) => headers.get(name));
    return { scope, window, isAhead: new Date(until ?? 0) > new Date() };
  };

  test.each([
    [{ dailyCap: "0.004", weeklyCap: "0.006" }, "key", "day"],
    [{ dailyCap: "0.006", weeklyCap: "0.004" }, "key", "week"],
    [{ dailyCap: "0.006", dailyLimit: "0.004" }, "account", "day"],
  ])("under %o is refused by the lowest one, which the 402 names with its end: %s %s", async (...row) => {
    const [terms, scope, window] = row;
    const { secret } = await customerWith(terms);
    expect((await chat(secret)).status).toBe(200);
    expect((await chat(secret)).status).toBe(200);
    const refused = await chat(secret);
    expect(refused.status).toBe(402);
    expect(await refused.json()).toMatchObject({ code: 402, message: "当月额度不足,请先充值", data: null });
    expect(quotaHeaders(refused)).toEqual({ scope, window, isAhead: true });
  });
});

/** A video model with an upstream. */
async function video(): Promise<string> {
  const id = await gateway.model({ kind: "video", videoPrices: oneVideoPrice("0.5") });
  await gateway.channel({ model: id, dialect: "openai-video", baseUrl: upstream.baseUrl });
  return id;
}
