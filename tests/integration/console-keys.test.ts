import { afterAll, beforeAll, expect, test } from "vitest";
import { listChanges } from "@/server/audit";
import { eventually } from "@/tests/support/eventually";
import { sharedGateway } from "@/tests/support/shared-gateway";
import { callerFor } from "../support/console";
import type { TestGateway } from "../support/gateway";
import { type FakeUpstream, startUpstream } from "../support/upstream";

let gateway: TestGateway;
let upstream: FakeUpstream;
let model: string;

const DAY_MS = 86_400_000;
const chat = (secret: string) =>
  gateway.chat(secret, { model, messages: [{ role: "user", content: "hi" }], max_tokens: 10 });

/** An owner of a new account. */
async function newOwner() {
  const { accountId, keyId } = await gateway.customer();
  return { accountId, firstKeyId: keyId, owner: await callerFor(gateway, { role: "owner", accountId }) };
}

const changesOf = async (targetId: string) =>
  (await listChanges(gateway.runtime.db, { targetId }, { limit: 50 })).rows.reverse();

beforeAll(async () => {
  gateway = await sharedGateway();
  upstream = await startUpstream((_asked, response) => {
    response.setHeader("content-type", "application/json");
    response.end(
      JSON.stringify({
        id: "x",
        object: "chat.completion",
        created: 1,
        model: "m",
        choices: [{ index: 0, message: { role: "assistant", content: "hello" }, finish_reason: "stop" }],
        usage: { prompt_tokens: 1_000, completion_tokens: 500, total_tokens: 1_500 },
      }),
    );
  });
  model = await gateway.model();
  await gateway.channel({ baseUrl: upstream.baseUrl, model });
});

afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

test("a key is made with all its terms, and its secret is in that one answer only", async () => {
  const { owner, accountId } = await newOwner();
  const expiresAt = new Date(Date.now() + DAY_MS).toISOString();
  const { id, secret } = await owner.keys.create({
    name: " production ",
    allowedIps: ["10.0.0.5/8", "10.0.0.0/8", "::1", "127.0.0.1"],
    requestsPerMinute: 7,
    models: [model],
    monthlyCap: "1.000000001",
    expiresAt,
  });
  const key = await owner.keys.get({ keyId: id });
  expect(key).toMatchObject({
    name: "production",
    lastFour: secret.slice(-4),
    allowedIps: ["10.0.0.0/8", "::1", "127.0.0.1"],
    requestsPerMinute: 7,
    models: [model],
    monthlyCap: "1.000000001",
    expiresAt: new Date(expiresAt),
    spent: "0",
  });
  const list = await owner.keys.list({});
  expect(list.rows[0]).toMatchObject({ id, ruleCount: 3, modelCount: 1 });
  const changes = await changesOf(id);
  expect(changes).toMatchObject([
    {
      action: "key.create",
      accountId,
      before: null,
      after: { name: "production", monthlyCap: "1.000000001" },
    },
  ]);
  expect(JSON.stringify([key, list, changes])).not.toContain(secret);
  expect((await chat(secret)).status).toBe(200);
});

test("what a key spends shows beside it, by day and in the month", async () => {
  const { owner } = await newOwner();
  const { id, secret } = await owner.keys.create({ name: "spender" });
  await chat(secret);
  await chat(secret);
  await eventually(async () => (await owner.keys.get({ keyId: id })).spent).toBe("0.004");
  expect((await owner.keys.list({ search: "spender" })).rows[0]).toMatchObject({ spent: "0.004", calls: 2 });
  expect(await owner.keys.days({ keyId: id })).toEqual([
    {
      day: new Date().toISOString().slice(0, 10),
      modelId: model,
      calls: 2,
      inputTokens: 2_000,
      outputTokens: 1_000,
      amount: "0.004",
    },
  ]);
});

test("what a key has spent of late is drawn by hours or days, and one that has spent its cap says so", async () => {
  const { owner } = await newOwner();
  const { id, secret } = await owner.keys.create({ name: "capped", monthlyCap: "0.004" });
  await owner.keys.create({ name: "idle", monthlyCap: "1" });
  await chat(secret);
  const rowsOf = async (span: "hours" | "days") => (await owner.keys.list({ span, search: "ed" })).rows;
  await eventually(async () => (await rowsOf("hours"))[0]?.spark?.amount).toBe("0.002");
  expect(await owner.keys.get({ keyId: id })).toMatchObject({ isOverCap: false });
  await chat(secret);
  await eventually(async () => (await rowsOf("days"))[0]).toMatchObject({ isOverCap: true, spent: "0.004" });
  for (const [span, points] of [
    ["hours", 24],
    ["days", 30],
  ] as const) {
    const [row] = await rowsOf(span);
    expect(row?.spark?.amount).toBe("0.004");
    expect(row?.spark?.shares).toHaveLength(points);
    // All of it in the hour or the day under way, or the one before it.
    expect(row?.spark?.shares.slice(0, -2)).toEqual(Array(points - 2).fill(0));
  }
  expect(await owner.keys.get({ keyId: id })).toMatchObject({ isOverCap: true });
  expect((await chat(secret)).status).toBe(402);
  const { secret: little } = await owner.keys.create({ name: "little left", monthlyCap: "0.00200001" });
  expect([(await chat(little)).status, (await chat(little)).status]).toEqual([200, 402]);
  const last = async () => (await owner.keys.list({ search: "little" })).rows[0];
  await eventually(last).toMatchObject({ isOverCap: false, isRefused: true, spent: "0.002" });
  const { rows } = await owner.keys.list({ span: "hours", search: "idle" });
  expect(rows).toMatchObject([{ name: "idle", spark: null, isOverCap: false, isRefused: false }]);
  expect((await owner.keys.list({})).rows.map(({ spark }) => spark)).toEqual([null, null, null, null]);
});

test("a form is offered the models on sale and the reader's own address", async () => {
  const { owner } = await newOwner();
  const hidden = await gateway.model({ isEnabled: false });
  const { address, models } = await owner.keys.choices();
  expect(address).toBe("203.0.113.7");
  expect(models).toContainEqual({ id: model, kind: "chat" });
  expect(models.map(({ id }) => id)).not.toContain(hidden);
});
