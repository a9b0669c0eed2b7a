import { describe, expect, test } from "vitest";
import { updateKey } from "@/server/access";
import { sqlOf } from "@/server/db/handles";
import { shareRuntime } from "@/server/runtime/shared-runtime";
import { eventually } from "@/tests/support/eventually";
import { startGateway } from "@/tests/support/gateway";
import { perFile, servedModel } from "@/tests/support/per-file";
import { answerWith, startUpstream } from "@/tests/support/upstream";

const gateway = perFile(() => startGateway());
const upstream = perFile(() => startUpstream(answerWith("fine")));
const model = servedModel({ gateway, upstream });

const call = (headers: Record<string, string>) =>
  fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "hi" }] }),
  });

test("either header carries the key, and one valid key of two is enough", async () => {
  const { secret } = await gateway.customer();
  const offers: Record<string, string>[] = [
    { authorization: `Bearer ${secret}` },
    { authorization: `bearer  ${secret} ` },
    { "x-api-key": secret },
    { authorization: "Bearer sk-somebody-elses", "x-api-key": secret },
    { authorization: `Bearer ${secret}`, "x-api-key": "nonsense" },
  ];
  const statuses = await Promise.all(offers.map(async (headers) => (await call(headers)).status));
  expect(statuses).toEqual([200, 200, 200, 200, 200]);
});

test("a key expires exactly at its time", async () => {
  const moment = new Date("2026-05-15T12:00:00Z");
  const still = await startGateway({ clock: () => moment });
  const { access } = still.runtime;
  const admission = async (expiresAt: Date) => {
    const { secret } = await still.customer({ expiresAt });
    const key = await access.identify(new Headers({ "x-api-key": secret }));
    return () => access.admit(key, { address: "192.0.2.1" });
  };
  expect(await admission(moment)).toThrow(expect.objectContaining({ kind: "expiredKey" }));
  expect(await admission(new Date(moment.getTime() + 1))).not.toThrow();
  await still.close();
  // The routes of this process use the shared gateway's runtime again.
  shareRuntime(gateway.runtime);
});

test("work that runs later is admitted with a key of the account that pays for it, and with no other", async () => {
  const [{ accountId, keyId }, other] = [await gateway.customer(), await gateway.customer()];
  const { access } = gateway.runtime;
  expect(await access.recheckKey({ accountId, keyId })).toEqual({ models: [], cachesPrompts: true });
  await expect(access.recheckKey({ accountId, keyId: other.keyId })).rejects.toMatchObject({
    kind: "invalidKey",
  });
});

describe("within one second of the change", () => {
  test("an allow-list shuts out an address, and lets it in again", async () => {
    const { secret, keyId } = await gateway.customer();
    const status = async () => (await call({ "x-api-key": secret })).status;
    expect(await status()).toBe(200);
    for (const [rule, answer] of [
      ["11.0.0.0/8", 403],
      ["127.0.0.0/8", 200],
    ] as const) {
      await updateKey(gateway.runtime.db, { keyId, allowedIps: [rule] });
      await eventually(status, 1_000).toBe(answer);
    }
  });
});

test("a key beyond its requests per minute gets a 429 with the time to wait, and other keys go on", async () => {
  const limited = await gateway.customer({ requestsPerMinute: 3 });
  const responses = [];
  for (let calls = 0; calls < 5; calls++) {
    responses.push(await call({ "x-api-key": limited.secret }));
  }
  expect(responses.map((response) => response.status)).toEqual([200, 200, 200, 429, 429]);
  const left = responses.map((response) => response.headers.get("x-ratelimit-remaining-requests"));
  expect(left.join()).toBe("2,1,0,0,0");
  const refused = responses[4];
  expect(await refused?.json()).toEqual({ code: 429, message: "API 调用过于频繁,请稍后再试", data: null });
  expect(refused?.headers.get("x-ratelimit-limit-requests")).toBe("3");
  expect(refused?.headers.get("x-ratelimit-reset-requests")).toMatch(/^\d+s$/);
  const wait = Number(refused?.headers.get("retry-after"));
  expect(wait).toBeGreaterThan(0);
  expect(wait).toBeLessThanOrEqual(60);
  const other = await gateway.customer({ requestsPerMinute: 3 });
  expect((await call({ "x-api-key": other.secret })).status).toBe(200);
});

test("no secret is stored in plain text", async () => {
  const { secret } = await gateway.customer();
  const [row] = await sqlOf(gateway.runtime.db)<{ text: string }[]>`
    select string_agg(k::text, ' ') || (select string_agg(c::text, ' ') from channels c) as text from api_keys k`;
  expect(row?.text).not.toContain(secret.slice(3, -4));
  expect(row?.text).not.toContain("upstream-secret");
});
