import { afterAll, beforeAll, expect, test } from "vitest";
import { listChanges } from "@/server/audit";
import type { KeyId } from "@/server/base/ids";
import { eventually } from "@/tests/support/eventually";
import { callerFor } from "../support/console";
import type { TestGateway } from "../support/gateway";
import { madeUp } from "../support/made-up";
import { sharedGateway } from "../support/shared-gateway";
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

/** As `chat`, until it answers `status`: a change is in force within a second. */
async function untilAnswered(secret: string, status: number): Promise<void> {
  await eventually(async () => (await chat(secret)).status, 1_500).toBe(status);
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

test("only what is named changes; null lifts a limit; both are recorded by their difference", async () => {
  const { owner } = await newOwner();
  const { id } = await owner.keys.create({
    name: "a",
    requestsPerMinute: 5,
    monthlyCap: "3",
    models: [model],
  });
  const saved = await owner.keys.update({ keyId: id, name: "b", monthlyCap: null });
  expect(saved).toMatchObject({ name: "b", monthlyCap: null, requestsPerMinute: 5, models: [model] });
  expect((await changesOf(id))[1]).toMatchObject({
    action: "key.update",
    targetName: "b",
    before: { name: "a", monthlyCap: "3" },
    after: { name: "b", monthlyCap: null },
    address: "203.0.113.7",
  });
});

test("a key that is switched off answers 403 within a second, and calls again when it is switched on", async () => {
  const { owner } = await newOwner();
  const { id, secret } = await owner.keys.create({ name: "switch" });
  expect((await chat(secret)).status).toBe(200);
  await owner.keys.setStatus({ keyId: id, status: "disabled" });
  await untilAnswered(secret, 403);
  await owner.keys.setStatus({ keyId: id, status: "active" });
  await untilAnswered(secret, 200);
  expect((await changesOf(id)).map(({ action }) => action)).toEqual([
    "key.create",
    "key.disable",
    "key.enable",
  ]);
});

test("an allow-list shuts out an address within a second, and lets it in again", async () => {
  const { owner } = await newOwner();
  const { id, secret } = await owner.keys.create({ name: "listed" });
  expect((await chat(secret)).status).toBe(200);
  await owner.keys.update({ keyId: id, allowedIps: ["198.51.100.0/24"] });
  await untilAnswered(secret, 403);
  await owner.keys.update({ keyId: id, allowedIps: ["198.51.100.0/24", "127.0.0.0/8"] });
  await untilAnswered(secret, 200);
});

test("a deleted key answers 401 within a second, and is nowhere to be found but in the log", async () => {
  const { owner } = await newOwner();
  const { id, secret } = await owner.keys.create({ name: "gone" });
  expect((await chat(secret)).status).toBe(200);
  await owner.keys.delete({ keyId: id });
  await untilAnswered(secret, 401);
  await expect(owner.keys.get({ keyId: id })).rejects.toMatchObject({ cause: { reason: "keyUnknown" } });
  expect((await owner.keys.list({ search: "gone" })).rows).toEqual([]);
  expect((await changesOf(id))[1]).toMatchObject({
    action: "key.delete",
    before: { name: "gone" },
    after: null,
  });
});

test("keys are listed newest first in pages of fifty, each once", async () => {
  const { owner, firstKeyId } = await newOwner();
  const made: string[] = [];
  for (let index = 0; index < 55; index++) {
    made.push((await owner.keys.create({ name: `k${index}` })).id);
  }
  const first = await owner.keys.list({});
  const second = await owner.keys.list({ cursor: first.nextCursor ?? "" });
  expect(first.rows).toHaveLength(50);
  expect(second.nextCursor).toBeNull();
  expect([...first.rows, ...second.rows].map(({ id }) => id)).toEqual([firstKeyId, ...made].reverse());
});

test("a key is found by a part of its name, by its last four characters and by its state", async () => {
  const { owner } = await newOwner();
  const active = await owner.keys.create({ name: "Alpha 100%" });
  const disabled = await owner.keys.create({ name: "beta" });
  const expired = await owner.keys.create({ name: "gamma", expiresAt: "2020-01-01T00:00:00.000Z" });
  await owner.keys.setStatus({ keyId: disabled.id, status: "disabled" });
  const found = async (filter: Parameters<typeof owner.keys.list>[0]) =>
    (await owner.keys.list(filter)).rows.map(({ id }) => id);
  expect(await found({ search: "ALPHA" })).toEqual([active.id]);
  expect(await found({ search: "%" })).toEqual([active.id]);
  expect(await found({ search: disabled.secret.slice(-4) })).toContain(disabled.id);
  expect(await found({ status: "disabled" })).toEqual([disabled.id]);
  expect(await found({ status: "expired" })).toEqual([expired.id]);
  expect(await found({ status: "active" })).toContain(active.id);
  expect(await found({ status: "active" })).not.toContain(expired.id);
});

test("another account's key answers as one that does not exist, and stays as it is", async () => {
  const theirs = await newOwner();
  const { owner } = await newOwner();
  const { id } = await theirs.owner.keys.create({ name: "theirs" });
  const attempts = (keyId: KeyId) => [
    owner.keys.get({ keyId }),
    owner.keys.days({ keyId }),
    owner.keys.update({ keyId, name: "mine" }),
    owner.keys.setStatus({ keyId, status: "disabled" }),
    owner.keys.delete({ keyId }),
  ];
  const answers = async (keyId: KeyId) =>
    (await Promise.allSettled(attempts(keyId))).map((attempt) =>
      attempt.status === "rejected" ? String(attempt.reason).replaceAll(keyId, "ID") : "done",
    );
  const refused = await answers(id);
  expect(refused).toEqual(await answers(madeUp("key_00000000000000000000000000000000")));
  expect(refused).not.toContain("done");
  expect(await theirs.owner.keys.get({ keyId: id })).toMatchObject({ name: "theirs", status: "active" });
  expect(await changesOf(id)).toHaveLength(1);
});

test("an operator has no keys of their own", async () => {
  const operator = await callerFor(gateway, { role: "operator" });
  await expect(operator.keys.list({})).rejects.toMatchObject({ code: "FORBIDDEN" });
  await expect(operator.keys.create({ name: "x" })).rejects.toMatchObject({ code: "FORBIDDEN" });
});

test("what is not a key's terms is refused, and nothing is made or recorded", async () => {
  const { owner, accountId } = await newOwner();
  const wrong: unknown[] = [
    {},
    { name: " " },
    { name: "x".repeat(101) },
    { name: "x", requestsPerMinute: 0 },
    { name: "x", monthlyCap: "1e3" },
    { name: "x", monthlyCap: "-1" },
    { name: "x", expiresAt: "tomorrow" },
    { name: "x", allowedIps: ["10.0.0.1", "example.com"] },
    { name: "x", allowedIps: Array.from({ length: 1_001 }, () => "10.0.0.1") },
    { name: "x", accountId: "acc_other" },
  ];
  for (const terms of wrong) {
    await expect(owner.keys.create(terms as { name: string })).rejects.toMatchObject({ code: "BAD_REQUEST" });
  }
  expect((await owner.keys.list({})).rows).toHaveLength(1);
  expect((await listChanges(gateway.runtime.db, { accountId }, { limit: 50 })).rows).toEqual([]);
});

test("a form is offered the models on sale and the reader's own address", async () => {
  const { owner } = await newOwner();
  const hidden = await gateway.model({ isEnabled: false });
  const { address, models } = await owner.keys.choices();
  expect(address).toBe("203.0.113.7");
  expect(models).toContainEqual({ id: model, kind: "chat" });
  expect(models.map(({ id }) => id)).not.toContain(hidden);
});
