import { expect, test } from "vitest";
import { sqlOf } from "@/server/db/handles";
import { allPages } from "@/tests/support/all-pages";
import { perFile, sandboxModel } from "@/tests/support/per-file";
import { callerFor } from "../support/console";
import { startVideoGateway, turbo } from "../support/video-client";

const gateway = perFile(() => startVideoGateway());
const model = sandboxModel(gateway);

async function newOwner() {
  const { accountId, keyId, secret } = await gateway.customer();
  return { accountId, keyId, secret, owner: await callerFor(gateway, { role: "owner", accountId }) };
}

async function chat(secret: string, body: object = {}): Promise<string> {
  const messages = [{ role: "user", content: "hi" }];
  const answer = await gateway.chat(secret, { model, messages, max_tokens: 10, ...body });
  await answer.text();
  await gateway.runtime.calls.flush();
  return answer.headers.get("x-request-id") ?? "";
}

async function submit(secret: string, headers: Record<string, string>) {
  const answer = await gateway.submit(secret, turbo, headers);
  await gateway.runtime.calls.flush();
  return String(((await answer.json()) as { id: string }).id);
}

test("a call is listed with its key, its counts and its exact cost, and the lines of its cost add up to the charge", async () => {
  const { owner, secret, keyId, accountId } = await newOwner();
  const requestId = await chat(secret);
  const [call] = (await owner.calls.list({})).rows;
  const [entry] = await gateway.entries(accountId);
  expect(call).toMatchObject({
    key: { id: keyId, name: "test", lastFour: secret.slice(-4), isDeleted: false },
    tokens: { input: Number(entry?.inputTokens), output: Number(entry?.outputTokens) },
    ...{ requestId, modelId: model, endpoint: "chat.completions", status: 200, error: null },
    ...{ money: "charged", usageSource: entry?.usageSource },
  });
  const detail = await owner.calls.get({ requestId });
  const nanos = (amount: string) => Math.round(Number(amount) * 1e9);
  expect(nanos(detail?.cost ?? "")).toBe(Number(entry?.amount));
  expect(detail?.lines.map((line) => [line.class, line.price])).toEqual([
    ["input", "1"],
    ["output", "2"],
  ]);
  expect(detail?.lines.reduce((sum, { amount }) => sum + nanos(amount), 0)).toBe(Number(entry?.amount));
  expect(nanos(detail?.held ?? "")).toBe(Number(entry?.held));
});

test("a refused call shows its refusal, and that nothing was charged", async () => {
  const { owner, secret } = await newOwner();
  const requestId = await chat(secret, { model: "nope" });
  expect(await owner.calls.get({ requestId })).toMatchObject({
    ...{ modelId: "nope", status: 404, error: "model_not_found", money: "none", cost: null },
    ...{ tokens: null, lines: [], held: null },
  });
});

test("each repeat of a submission shows the one charge of its task", async () => {
  const { owner, secret, accountId } = await newOwner();
  const taskId = await submit(secret, { "idempotency-key": "once" });
  expect(await submit(secret, { "idempotency-key": "once" })).toBe(taskId);
  const submissions = async () => (await owner.calls.list({ endpoint: "videos.submit" })).rows;
  await gateway.reach(secret, taskId, "completed");
  const rows = await submissions();
  expect(rows).toHaveLength(2);
  for (const row of rows) {
    expect(row).toMatchObject({ taskId, chargeId: taskId, money: "charged", cost: "0.05", tokens: null });
  }
  expect(await gateway.entries(accountId)).toHaveLength(1);
  expect(await owner.calls.get({ requestId: rows[0]?.requestId ?? "" })).toMatchObject({
    quote: { price: "0.05", durationSeconds: 5, resolution: "720p" },
    lines: [{ class: "video", tokens: null, price: "0.05", amount: "0.05" }],
  });
});

test("a running task shows its price as frozen, not charged", async () => {
  const { owner, secret } = await newOwner();
  await gateway.begin(secret, { ...turbo, prompt: "a cat [stall]" });
  await gateway.runtime.calls.flush();
  expect((await owner.calls.list({})).rows).toMatchObject([{ money: "frozen", cost: null }]);
});

test("a page that stops before it is full says how far back it searched, and the next one continues there", async () => {
  const { owner, accountId, keyId } = await newOwner();
  const at = Date.now() - 3_600_000;
  const sql = sqlOf(gateway.runtime.db);
  // More rows than one page scans, and the only match after them.
  await sql`
    insert into calls (request_id, account_id, key_id, endpoint, status, elapsed_ms, started_at)
    select 'req_' || lpad(to_hex(${at}::bigint + i), 12, '0') || lpad(to_hex(i), 20, '0'), ${accountId}, ${keyId},
      case when i = 0 then 'embeddings' else 'messages' end, 200, 1, now()
    from generate_series(0, 25000) as i`;
  const first = await owner.calls.list({ endpoint: "embeddings" });
  expect(first.rows).toEqual([]);
  const reached = first.searchedTo?.getTime() ?? 0;
  expect(reached).toBeGreaterThan(at);
  expect(reached).toBeLessThan(at + 25_000);
  const second = await owner.calls.list({ endpoint: "embeddings", cursor: first.nextCursor ?? "" });
  expect(second).toMatchObject({ rows: [{ endpoint: "embeddings" }], searchedTo: null, nextCursor: null });
});

test("an operator sees all calls with their accounts and channels, and an owner sees neither", async () => {
  const { owner, secret, accountId } = await newOwner();
  const requestId = await chat(secret);
  const operator = await callerFor(gateway, { role: "operator" });
  const behind = { account: { id: accountId }, channel: { id: expect.stringMatching(/^chn_/) } };
  expect((await operator.allCalls.list({ accountId })).rows).toMatchObject([{ requestId, ...behind }]);
  const expected = { requestId, ...behind, money: "charged" };
  expect(await operator.allCalls.get({ requestId })).toMatchObject(expected);
  const text = JSON.stringify([await owner.calls.list({}), await owner.calls.get({ requestId })]);
  expect(text).not.toContain("chn_");
  await expect(owner.allCalls.list({})).rejects.toMatchObject({ code: "FORBIDDEN" });
});

test("a task shows its price as frozen while it runs, and as charged once the video exists", async () => {
  const { owner, secret } = await newOwner();
  const taskId = await gateway.begin(secret, turbo);
  expect(await owner.videos.get({ taskId })).toMatchObject({
    ...{ state: "processing", price: "0.05", money: "frozen", videoUrl: null },
    key: { name: "test", lastFour: secret.slice(-4) },
  });
  await gateway.reach(secret, taskId, "completed");
  const ended = await owner.videos.get({ taskId });
  expect(ended).toMatchObject({ state: "completed", progress: 100, money: "charged" });
  const film = await fetch(gateway.url + ended?.videoUrl);
  expect([film.status, film.headers.get("content-type")]).toEqual([200, "video/mp4"]);
});

test("no answer has the private columns of a task", async () => {
  const { owner, secret } = await newOwner();
  const taskId = await gateway.begin(secret, turbo);
  const operator = await callerFor(gateway, { role: "operator" });
  const text = JSON.stringify([
    await owner.videos.list({}),
    await operator.allVideos.get({ taskId }),
    await operator.allVideos.list({}),
  ]);
  expect(text).not.toMatch(/credential|upstreamRef|"v1\.|secret/i);
});

test("pages have each task once, also tasks of the same millisecond", async () => {
  const { owner, accountId, secret } = await newOwner();
  const taskId = await gateway.begin(secret, turbo);
  await gateway.reach(secret, taskId, "completed");
  const sql = sqlOf(gateway.runtime.db);
  await sql`
    insert into video_tasks (id, account_id, key_id, model_id, prompt, duration_seconds, resolution, state, price, period,
      created_at, deadline_at)
    select 'task_page' || number || ${accountId}, account_id, key_id, model_id, prompt, duration_seconds, resolution,
      'failed', price, period, '2026-01-01T00:00:00.123Z', deadline_at
    from video_tasks, generate_series(1, 120) as number where id = ${taskId}`;
  const ids = (await allPages((cursor) => owner.videos.list({ cursor }))).map(({ id }) => id);
  expect(ids).toHaveLength(121);
  expect(new Set(ids).size).toBe(121);
  expect(ids[0]).toBe(taskId);
  const failed = await owner.videos.list({ state: "failed" });
  expect(failed.rows.every(({ state }) => state === "failed")).toBe(true);
});
