import { describe, expect, test } from "vitest";
import { setKeyStatus } from "@/server/access";
import { eventually } from "@/tests/support/eventually";
import { perFile } from "@/tests/support/per-file";
import { until } from "@/tests/support/until";
import { refuseWith, sendJson, startUpstream } from "@/tests/support/upstream";
import { type Json, oneVideoPrice, startVideoGateway, turbo } from "@/tests/support/video-client";

const gateway = perFile(() => startVideoGateway({ VIDEO_RATE_LIMIT_PER_MINUTE: "30" }));
const upstream = perFile(() => startUpstream((_asked, response) => sendJson(response, 200, { id: "up-1" })));

const bodyOf = async (response: Response) => (await response.json()) as Json;

describe("a submission", () => {
  test("that its client abandons is in the list all the same", async () => {
    const { secret, accountId } = await gateway.customer();
    const model = await gateway.model({ kind: "video", videoPrices: oneVideoPrice("0.5") });
    await gateway.channel({ model, dialect: "openai-video", baseUrl: upstream.baseUrl });
    let answer = () => {};
    upstream.answer((_asked, response) => {
      answer = () => sendJson(response, 200, { id: "up-2" });
    });
    const client = new AbortController();
    const { signal } = client;
    const call = gateway.post(secret, "videos/generations", { model, prompt: "a dog" }, { signal });
    const gone = expect(call).rejects.toThrow();
    const before = upstream.requests.length;
    await until(() => upstream.requests.length > before);
    client.abort();
    await gone;
    answer();
    const tasks = async () => (await gateway.runtime.videos.list({ accountId }, { limit: 10 })).rows;
    await until(async () => (await tasks())[0]?.state === "processing");
    expect(await gateway.balance(accountId)).toMatchObject({ frozen: 500_000_000n });
  });
});

test("a submission is refused for the first of its faults: 401, 403, 429, 400, 404, 404, 402, 503, 502", async () => {
  const { secret, keyId } = await gateway.customer({ quota: "0.000001", requestsPerMinute: 2 });
  const slug = async (body: unknown, key = secret) =>
    (await gateway.submit(key, body)).headers.get("x-error-code");
  const { db } = gateway.runtime;
  expect(await slug("{", "sk-wrong")).toBe("invalid_api_key");
  await setKeyStatus(db, { keyId, status: "disabled" });
  await eventually(() => slug("{"), 2_000).toBe("key_disabled");
  await setKeyStatus(db, { keyId, status: "active" });
  await eventually(() => slug("{"), 2_000).toBe("invalid_json");
  await slug("{");
  expect(await slug("{")).toBe("rate_limited");

  const poor = (await gateway.customer({ quota: "0.000001" })).secret;
  const unserved = await gateway.model({ kind: "video", videoPrices: oneVideoPrice("0.5") });
  expect(await slug({ model: "nope", prompt: "" }, poor)).toBe("invalid_parameters");
  expect(await slug({ model: "nope", prompt: "p", duration: 10 }, poor)).toBe("model_not_found");
  expect(await slug({ model: unserved, prompt: "p", duration: 10 }, poor)).toBe("video_not_priced");
  expect(await slug({ model: unserved, prompt: "p" }, poor)).toBe("insufficient_quota");

  const rich = (await gateway.customer()).secret;
  expect(await slug({ model: unserved, prompt: "p" }, rich)).toBe("no_video_channel");
  await gateway.channel({ model: unserved, dialect: "openai-video", baseUrl: upstream.baseUrl });
  upstream.answer(refuseWith(401));
  expect(await slug({ model: unserved, prompt: "p" }, rich)).toBe("upstreams_unavailable");
});

test("a key has 30 submissions a minute, the refused ones included, and 30 status queries next to them", async () => {
  const { secret } = await gateway.customer();
  const taskId = await gateway.begin(secret, turbo);
  const rest = await Promise.all(Array.from({ length: 29 }, () => gateway.submit(secret, {})));
  expect(new Set(rest.map((response) => response.status))).toEqual(new Set([400]));
  const refused = await gateway.submit(secret, turbo);
  expect(await bodyOf(refused)).toEqual({ code: 429, message: "API 调用过于频繁,请稍后再试", data: null });
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(refused.headers.get("x-ratelimit-limit-requests")).toBe("30");
  const queries = await Promise.all(Array.from({ length: 31 }, () => gateway.status(secret, taskId)));
  expect(queries.map((response) => response.status).sort()).toEqual([...Array(30).fill(200), 429]);
  const { secret: other } = await gateway.customer();
  expect((await gateway.submit(other, turbo)).status).toBe(202);
});
