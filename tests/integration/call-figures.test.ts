import { expect, test } from "vitest";
import { sqlOf } from "@/server/db/handles";
import { forgetDaySums } from "@/tests/support/day-sums";
import { perFile, sandboxModel } from "@/tests/support/per-file";
import { callerFor } from "../support/console";
import { startVideoGateway, turbo } from "../support/video-client";

const gateway = perFile(() => startVideoGateway());
const model = sandboxModel(gateway);

async function newOwner() {
  const { accountId, keyId, secret } = await gateway.customer();
  return { accountId, keyId, secret, owner: await callerFor(gateway, { role: "owner", accountId }) };
}

async function chat(secret: string, content: string): Promise<string> {
  const answer = await gateway.chat(secret, { model, messages: [{ role: "user", content }], max_tokens: 10 });
  await answer.text();
  await gateway.runtime.calls.flush();
  return answer.headers.get("x-request-id") ?? "";
}

test("the sums of a filter are those of the ledger, a repeated submission is charged once, and failures count as such", async () => {
  const { owner, secret, accountId, keyId } = await newOwner();
  const stranger = await newOwner();
  await chat(secret, "hi");
  await chat(secret, "a longer question ".repeat(20));
  await gateway.chat(secret, { model: "nope", messages: [] }).then((answer) => answer.text());
  for (const _ of [1, 2]) {
    const answer = await gateway.submit(secret, turbo, { "idempotency-key": "once" });
    await gateway.reach(secret, ((await answer.json()) as { id: string }).id, "completed");
  }
  await gateway.runtime.calls.flush();
  const entries = (await gateway.entries(accountId)).filter(({ kind }) => kind === "capture");
  const nanos = entries.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
  const inNanos = (decimal: string) => BigInt(Math.round(Number(decimal) * 1e9));
  const sums = await owner.calls.sums({});
  expect(sums).toMatchObject({ failed: 1, comparedTo: null });
  expect(inNanos(sums.amount)).toBe(nanos);
  expect(sums.inputTokens).toBe(entries.reduce((sum, entry) => sum + Number(entry.inputTokens ?? 0), 0));
  expect(sums.outputTokens).toBe(entries.reduce((sum, entry) => sum + Number(entry.outputTokens ?? 0), 0));
  expect((await owner.calls.sums({ endpoint: "videos.submit" })).amount).toBe("0.05");
  expect(await owner.calls.sums({ status: "failed" })).toMatchObject({ calls: 1, failed: 1, amount: "0" });
  expect(await stranger.owner.calls.sums({ keyId })).toMatchObject({ calls: 0, amount: "0" });
  const operator = await callerFor(gateway, { role: "operator" });
  expect(await operator.allCalls.sums({ accountId })).toEqual(sums);
});

test("calls are ordered by cost, tokens and duration, the highest first, and those without a charge come last", async () => {
  const { owner, secret, keyId } = await newOwner();
  const stranger = await newOwner();
  const cheap = await chat(secret, "hi");
  const dear = await chat(secret, "a longer question ".repeat(20));
  const refused = (await gateway.chat(secret, { model: "nope", messages: [] })).headers.get("x-request-id");
  await gateway.runtime.calls.flush();
  const sql = sqlOf(gateway.runtime.db);
  await sql`update calls set elapsed_ms = 90000 where request_id = ${cheap}`;
  const by = async (sort: "-cost" | "-tokens" | "-duration") =>
    (await owner.calls.list({ sort })).rows.map(({ requestId }) => requestId);
  expect(await by("-cost")).toEqual([dear, cheap, refused]);
  expect(await by("-tokens")).toEqual([dear, cheap, refused]);
  expect((await by("-duration"))[0]).toBe(cheap);
  expect(await owner.calls.list({ sort: "-cost", status: "ok" })).toMatchObject({
    ...{ rows: [{ requestId: dear }, { requestId: cheap }], nextCursor: null, searchedTo: null },
  });
  expect((await stranger.owner.calls.list({ sort: "-cost", keyId })).rows).toEqual([]);
});

test("of very many calls the newest are compared, and the answer says back to when", async () => {
  const { owner, accountId, keyId } = await newOwner();
  const at = Date.now() - 3_600_000;
  await sqlOf(gateway.runtime.db)`
    insert into calls (request_id, account_id, key_id, endpoint, status, elapsed_ms, started_at)
    select 'req_' || lpad(to_hex(${at}::bigint + i), 12, '0') || lpad(to_hex(i), 20, '0'), ${accountId}, ${keyId},
      'messages', 200, case when i = 5 then 9000 else i end, now()
    from generate_series(1, 20001) as i`;
  const sums = await owner.calls.sums({});
  expect([sums.calls, sums.comparedTo?.getTime()]).toEqual([20_000, at + 2]);
  const slow = await owner.calls.list({ sort: "-duration" });
  expect(slow.rows[0]).toMatchObject({ elapsedMs: 20_001 });
  expect(slow.searchedTo?.getTime()).toBe(at + 2);
  const { owner: stranger } = await newOwner();
  expect(await stranger.calls.sums({ keyId })).toMatchObject({ calls: 0, comparedTo: null });
  expect(await stranger.calls.list({ sort: "-duration", keyId })).toMatchObject({
    rows: [],
    searchedTo: null,
  });
  const part = { from: new Date(at).toISOString(), until: new Date(at + 10).toISOString() };
  expect(await owner.calls.sums(part)).toMatchObject({ calls: 9, comparedTo: null });
  expect((await owner.calls.list({ sort: "-duration", ...part })).rows[0]).toMatchObject({
    elapsedMs: 9_000,
  });
});

const HOUR_MS = 3_600_000;

test("the last day far above the usual is named with its key and model, to its owner and to operators who name the account", async () => {
  const { owner, accountId, keyId } = await newOwner();
  const stranger = await newOwner();
  const sql = sqlOf(gateway.runtime.db);
  const hour = (daysAgo: number) => new Date(Math.floor(Date.now() / HOUR_MS - daysAgo * 24) * HOUR_MS);
  const charge = (daysAgo: number, modelId: string, [calls, amount]: [number, bigint]) => sql`
    insert into spend_hours (account_id, period, hour, key_id, model_id, calls, amount, input_tokens, output_tokens)
    values (${accountId}, ${hour(daysAgo).toISOString().slice(0, 7)}, ${hour(daysAgo)}, ${keyId}, ${modelId}, ${calls},
      ${String(amount)}, 10, 5)`;
  for (let daysAgo = 25; daysAgo >= 2; daysAgo--) {
    await charge(daysAgo, "cheap", [3, 1_000_000_000n]);
  }
  await forgetDaySums(sql);
  expect(await owner.usage.unusualDay({ range: "yesterday" })).toBeNull();
  await charge(1, "cheap", [3, 890_000_001n]);
  await charge(1, "dear", [57, 20_110_000_000n]);
  await forgetDaySums(sql);
  const { BILLING_TIMEZONE: timeZone } = gateway.runtime.config;
  const day = new Intl.DateTimeFormat("en-CA", { timeZone }).format(hour(1));
  const expected = {
    ...{ day, amount: "21.000000001", usual: "1", times: 21, isToday: false },
    part: { keyId, key: "test", modelId: "dear", calls: 57, amount: "20.11" },
  };
  expect(await owner.usage.unusualDay({ range: "yesterday" })).toMatchObject(expected);
  expect(await owner.usage.unusualDay({ range: "week" })).toMatchObject(expected);
  expect(await owner.usage.unusualDay({ range: "today" })).toBeNull();
  expect(await stranger.owner.usage.unusualDay({ range: "week" })).toBeNull();
  const operator = await callerFor(gateway, { role: "operator" });
  expect(await operator.allUsage.unusualDay({ range: "week", accountId })).toMatchObject(expected);
  expect(await operator.allUsage.unusualDay({ range: "week" })).toBeNull();
});
