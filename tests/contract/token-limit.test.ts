import { describe, expect, test } from "vitest";
import { setAccountLimits } from "@/server/access";
import { createRateLimiter, type RateLimiter } from "@/server/access/limits/rate-limit";
import { nanos } from "@/server/base/money";
import { relaxed, sqlOf } from "@/server/db/handles";
import { eventually } from "@/tests/support/eventually";
import { messages, perFile, staged } from "@/tests/support/per-file";
import { startRedis } from "@/tests/support/redis";
import { sleep } from "@/tests/support/until";
import { answerWith, openStreams, refuseWith, usage } from "@/tests/support/upstream";

const redis = perFile(() => startRedis());
const { gateway, upstream } = staged(answerWith("hello"));

async function setUp(tokensPerMinute: number, quota?: string) {
  upstream.answer(answerWith("hello", usage(10, 5)));
  const model = await gateway.model();
  await gateway.channel({ model, baseUrl: upstream.baseUrl });
  const customer = await gateway.customer(quota === undefined ? {} : { quota });
  await setAccountLimits(gateway.runtime.db, { accountId: customer.accountId, tokensPerMinute });
  const call = (max_tokens: number, more: object = {}) =>
    gateway.chat(customer.secret, { model, messages, max_tokens, ...more });
  const remaining = (response: Response) => Number(response.headers.get("x-ratelimit-remaining-tokens"));
  /** The tokens that such a call counts while it is under way, in addition to its `max_tokens`. */
  const prompt = async () => {
    const response = await call(1);
    await response.text();
    return tokensPerMinute - remaining(response) - 1;
  };
  const counted = async () => {
    const key = `tollgate:tokens:${customer.accountId}`;
    const [row] = await sqlOf(gateway.runtime.db)`select points::int from rate_limits where key = ${key}`;
    return Number(row?.points ?? 0);
  };
  return { ...customer, model, call, remaining, prompt, counted };
}

describe("tokens a minute of an account", () => {
  test("count a call at its maximum while it runs, and what it used once it has ended", async () => {
    const { call, prompt, remaining, counted } = await setUp(1_000);
    const input = await prompt();
    expect(input).toBeGreaterThan(0);
    await eventually(counted).toBe(15);
    const response = await call(500);
    expect(response.status).toBe(200);
    expect(response.headers.get("x-ratelimit-limit-tokens")).toBe("1000");
    expect(remaining(response)).toBe(1_000 - 15 - input - 500);
    expect(response.headers.get("x-ratelimit-reset-tokens")).toMatch(/^\d+s$/);
    await eventually(counted).toBe(30);
  });

  test("refuse a call beyond them with a 429 that moves no money, takes no place and counts for nothing", async () => {
    const { call, accountId, counted } = await setUp(1_000);
    const { answer, finish } = openStreams(usage(10, 5));
    upstream.answer(answer);
    // Calls of an earlier file may still be ending in the shared gateway.
    await eventually(() => gateway.runtime.access.liveCalls()).toBe(0);
    const first = await call(800, { stream: true });
    expect(first.status).toBe(200);
    const { frozen } = await gateway.balance(accountId);
    const live = gateway.runtime.access.liveCalls();
    const under = await counted();

    const refused = await call(800);
    expect(refused.status).toBe(429);
    expect(await refused.json()).toEqual({ code: 429, message: "API 调用过于频繁,请稍后再试", data: null });
    expect(Object.fromEntries(refused.headers)).toMatchObject({
      "x-error-code": "rate_limited",
      "x-ratelimit-scope": "account",
      "x-ratelimit-limit-tokens": "1000",
      "x-ratelimit-remaining-tokens": String(1_000 - under),
    });
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(gateway.runtime.access.liveCalls()).toBe(live);
    expect((await gateway.balance(accountId)).frozen).toBe(frozen);
    expect(await gateway.entries(accountId)).toEqual([]);
    await eventually(counted).toBe(under);

    finish();
    await first.text();
    await eventually(counted).toBe(15);
    upstream.answer(answerWith("hello"));
    expect((await call(800)).status).toBe(200);
  });

  test("admit a call that is larger than all of them while nothing else is counted", async () => {
    const { call, counted } = await setUp(100);
    upstream.answer(answerWith("hello", usage(10, 200)));
    expect((await call(900)).status).toBe(200);
    await eventually(counted).toBe(210);
    expect((await call(1)).status).toBe(429);
  });

  test.each([
    { end: "the upstream fails", answer: refuseWith(500), quota: "1000", status: 502 },
    { end: "the money does not suffice", answer: answerWith("hello"), quota: "0", status: 402 },
  ])("count nothing of a call that is not charged: $end", async ({ answer, quota, status }) => {
    const { call, counted } = await setUp(1_000, quota);
    upstream.answer(answer);
    expect((await call(500)).status).toBe(status);
    await eventually(counted).toBe(0);
  });

  test("do not limit token counts and videos, whatever is used up", async () => {
    const { call, model, secret, counted } = await setUp(10);
    upstream.answer(answerWith("hello", usage(10, 5)));
    await (await call(5)).text();
    await eventually(counted).toBe(15);
    expect((await call(1)).status).toBe(429);
    const count = await gateway.post(secret, "messages/count_tokens", { model, messages });
    expect(count.status).toBe(200);
    const videoPrices = [{ durationSeconds: 5, resolution: "720p", price: nanos(1n) }];
    const video = await gateway.model({ kind: "video", videoPrices });
    const models = { [video]: "sandbox-video-turbo" };
    await gateway.channel({ model: video, dialect: "sandbox", baseUrl: "sandbox:", models });
    const submission = await gateway.post(secret, "videos/generations", { model: video, prompt: "a cat" });
    expect([submission.status, submission.headers.get("x-ratelimit-limit-tokens")]).toEqual([202, null]);
    expect(await counted()).toBe(15);
  });
});

test("a client of the messages dialect gets its limits under that dialect's names, in answers and in refusals", async () => {
  const { model, secret, accountId } = await setUp(1_000);
  await setAccountLimits(gateway.runtime.db, { accountId, requestsPerMinute: 1 });
  gateway.runtime.access.forget();
  const ask = () => gateway.post(secret, "messages", { model, messages, max_tokens: 100 });
  const [answered, refused] = [await ask(), await ask()];
  expect([answered.status, refused.status]).toEqual([200, 429]);
  const headers = Object.fromEntries(answered.headers);
  expect(headers).toMatchObject({
    "anthropic-ratelimit-requests-limit": "1",
    "anthropic-ratelimit-requests-remaining": "0",
    "anthropic-ratelimit-tokens-limit": "1000",
    "anthropic-ratelimit-tokens-remaining": headers["x-ratelimit-remaining-tokens"],
  });
  expect(refused.headers.get("anthropic-ratelimit-requests-remaining")).toBe("0");
  for (const name of ["anthropic-ratelimit-requests-reset", "anthropic-ratelimit-tokens-reset"]) {
    expect(headers[name]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    const inMs = Date.parse(headers[name] ?? "") - Date.now();
    expect(inMs).toBeGreaterThan(-5_000);
    expect(inMs).toBeLessThanOrEqual(61_000);
  }
});

describe.each([{ store: "Redis" }, { store: "PostgreSQL" }])("tokens that $store counts", ({ store }) => {
  const open = async (windowSeconds = 60) => {
    const clients = redis.clients();
    const limiter = createRateLimiter({
      redisUrl: store === "Redis" ? redis.url : undefined,
      db: relaxed(gateway.runtime.db),
      windowSeconds,
    });
    if (store === "Redis") {
      await eventually(redis.clients).toBe(clients + 1);
      // PostgreSQL counts the calls until Redis's answer has been read.
      await sleep(100);
    }
    return limiter;
  };
  const reserve = (limiter: RateLimiter, subject: string, amount: number) =>
    limiter.reserve(subject, 100, { amount, more: {} });
  const limited = { kind: "rateLimited" };
  const leaving = (tokens: string) => ({ headers: { "x-ratelimit-remaining-tokens": tokens } });

  test("are one count for all replicas, and what each returns is available to all", async () => {
    const [limiter, replica] = [await open(), await open()];
    const subject = `shared ${store}`;
    const first = await reserve(limiter, subject, 80);
    await expect(reserve(replica, subject, 80)).rejects.toMatchObject(limited);
    await first.settle(10);
    expect(await reserve(replica, subject, 80)).toMatchObject(leaving("10"));
    expect(redis.count(`tollgate:${subject}`)).toBe(store === "Redis" ? 90 : 0);
    limiter.close();
    replica.close();
  });

  test("are reserved and counted in one step, so that a refused call takes nothing from one that fits", async () => {
    const limiter = await open();
    const subject = `steps ${store}`;
    expect(await reserve(limiter, subject, 60)).toMatchObject({ settle: expect.any(Function) });
    const reservations = Array.from({ length: 40 }, (_, at) =>
      reserve(limiter, subject, at % 10 === 0 ? 10 : 90),
    );
    const answers = await Promise.allSettled(reservations);
    const refused = answers.filter(({ status }) => status === "rejected");
    expect(refused).toMatchObject(Array(36).fill({ reason: limited }));
    await expect(reserve(limiter, subject, 1)).rejects.toMatchObject(limited);
    limiter.close();
  });

  test("never fall below zero, whatever is returned to a store that has lost its count", async () => {
    const limiter = await open();
    const subject = `lost ${store}`;
    const first = await reserve(limiter, subject, 80);
    redis.forget();
    await sqlOf(gateway.runtime.db)`delete from rate_limits where key = ${`tollgate:${subject}`}`;
    await first.settle(10);
    expect(await reserve(limiter, subject, 1)).toMatchObject(leaving("99"));
    await expect(reserve(limiter, subject, 100)).rejects.toMatchObject(limited);
    limiter.close();
  });

  test("are not returned to another minute than the one that counted them", async () => {
    const limiter = await open(1);
    const subject = `window ${store}`;
    const first = await reserve(limiter, subject, 80);
    await sleep(1_100);
    await first.settle(0);
    expect(await reserve(limiter, subject, 100)).toMatchObject(leaving("0"));
    await expect(reserve(limiter, subject, 1)).rejects.toMatchObject(limited);
    limiter.close();
  });
});

test.each(["+OK\r\n", "*2\r\n+foo\r\n+bar\r\n", ":7\r\n", "*3\r\n:5\r\n:-9\r\n:0\r\n"])(
  "a Redis that answers %j does not count, and PostgreSQL does",
  async (answer) => {
    redis.says(answer);
    const clients = redis.clients();
    const limiter = createRateLimiter({ redisUrl: redis.url, db: relaxed(gateway.runtime.db) });
    await eventually(redis.clients).toBe(clients + 1);
    await sleep(100);
    const subject = `odd ${answer}`;
    const [call, next] = [await limiter.take(subject, 1), limiter.take(subject, 1)];
    expect(call).toMatchObject({ "x-ratelimit-remaining-requests": "0" });
    await expect(next).rejects.toMatchObject({ kind: "rateLimited" });
    const { headers } = await limiter.reserve(`tokens ${answer}`, 100, { amount: 40, more: {} });
    expect(headers).toMatchObject({ "x-ratelimit-remaining-tokens": "60" });
    redis.says(null);
    limiter.close();
  },
);

test("a call before the connection to Redis does not wait for it, and PostgreSQL alone counts it", async () => {
  const limiter = createRateLimiter({ redisUrl: redis.url, db: relaxed(gateway.runtime.db) });
  await limiter.take("early", 1);
  await eventually(limiter.askRedis).toBe(true);
  expect(redis.count("tollgate:early")).toBe(0);
  limiter.close();
});
