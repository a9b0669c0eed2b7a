import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { type CallRecord, listCalls } from "@/server/calls";
import { sqlOf } from "@/server/db/handles";
import type { KeyId } from "@/server/domain/ids";
import { allPages } from "@/tests/support/all-pages";
import { branded } from "@/tests/support/branded";
import { callOf, newAccount, startCallLog } from "@/tests/support/call-log";
import { perFile } from "@/tests/support/per-file";

const DAY_MS = 86_400_000;

const log = perFile(() => startCallLog());

describe("a list of calls", () => {
  async function twelveCalls() {
    const { calls } = log.openLog();
    const accountId = newAccount();
    const all = Array.from({ length: 12 }, (_, index) =>
      callOf(accountId, {
        ...(index % 3 === 0 && { status: 502, error: "upstreams_unavailable" }),
        modelId: index % 2 === 0 ? "even" : "odd",
        keyId: branded(`key_${index % 4}_of_${accountId}`),
        endpoint: index === 5 ? "embeddings" : "chat.completions",
      }),
    );
    for (const call of all) {
      calls.record(call);
    }
    await calls.close();
    return { accountId, all: all.reverse() };
  }

  test("has the calls that match its filter, newest first", async () => {
    const { accountId, all } = await twelveCalls();
    const pick = async (filter: Parameters<typeof listCalls>[1]) =>
      (await listCalls(log.db, { accountId, ...filter })).rows;
    const keyId: KeyId = branded(`key_1_of_${accountId}`);
    const is = {
      failed: (call: CallRecord) => call.error !== null,
      even: (call: CallRecord) => call.modelId === "even",
      key: (call: CallRecord) => call.keyId === keyId,
      embeddings: (call: CallRecord) => call.endpoint === "embeddings",
    };
    expect(await pick({})).toEqual(all);
    expect(await pick({ status: "failed" })).toEqual(all.filter(is.failed));
    expect(await pick({ status: "ok" })).toEqual(all.filter((call) => !is.failed(call)));
    expect(await pick({ modelId: "even" })).toEqual(all.filter(is.even));
    expect(await pick({ keyId })).toEqual(all.filter(is.key));
    expect(await pick({ endpoint: "embeddings" })).toEqual(all.filter(is.embeddings));
    expect((await listCalls(log.db, { accountId, modelId: "even" }, { isOldestFirst: true })).rows).toEqual(
      all.filter(is.even).toReversed(),
    );
    expect(await pick({ modelId: "even", status: "failed" })).toEqual(
      all.filter((call) => is.even(call) && is.failed(call)),
    );
    expect(await pick({ keyId, status: "failed" })).toEqual(
      all.filter((call) => is.key(call) && is.failed(call)),
    );
    expect(await pick({ requestId: all[4]?.requestId })).toEqual([all[4]]);
    expect(await pick({ until: new Date(Date.now() - DAY_MS) })).toEqual([]);
    expect(await pick({ from: new Date(Date.now() - DAY_MS), until: new Date(Date.now() + DAY_MS) })).toEqual(
      all,
    );
  });

  test("comes in pages that have every call once", async () => {
    const { accountId, all } = await twelveCalls();
    const ok = all.filter((call) => call.error === null);
    for (const { filter, isOldestFirst, expected } of [
      { filter: { accountId }, isOldestFirst: false, expected: all },
      { filter: { accountId }, isOldestFirst: true, expected: all.toReversed() },
      { filter: { accountId, status: "ok" } as const, isOldestFirst: false, expected: ok },
      { filter: { accountId, status: "ok" } as const, isOldestFirst: true, expected: ok.toReversed() },
    ]) {
      const rows = await allPages(async (cursor) => {
        const page = await listCalls(log.db, filter, { cursor, limit: 5, isOldestFirst });
        expect(page.rows.length).toBeLessThanOrEqual(5);
        return page;
      });
      expect(rows).toEqual(expected);
    }
  });
});

test("an account's calls of a model are all listed if they are few among the account's and among the model's", async () => {
  const { calls } = log.openLog();
  const [accountId, other] = [newAccount(), newAccount()];
  const modelId = `model-${randomUUID()}`;
  const wanted: CallRecord[] = [];
  for (let index = 0; index < 3_000; index++) {
    calls.record(callOf(accountId));
    calls.record(callOf(other, { modelId }));
    if (index % 500 === 499) {
      const call = callOf(accountId, { modelId });
      wanted.push(call);
      calls.record(call);
    }
  }
  await calls.close();
  for (const [isOldestFirst, expected] of [
    [true, wanted],
    [false, wanted.toReversed()],
  ] as const) {
    const filter = { accountId, modelId };
    const rows = await allPages((cursor) => listCalls(log.db, filter, { cursor, limit: 4, isOldestFirst }));
    expect(rows).toEqual(expected);
  }
});

test("the cursor of an account's calls of a model is a call of that account, though other accounts' calls were read", async () => {
  const [accountId, other] = [newAccount(), newAccount()];
  const modelId = `model-${randomUUID()}`;
  const idOf = (serial: number) => `req_${serial.toString(16).padStart(32, "0")}`;
  // Every third call is one of the model by the other account; the account's only call of the model is the first of all.
  await sqlOf(log.db)`
    insert into calls (
      request_id, account_id, key_id, endpoint, model_id, status, elapsed_ms, address, started_at
    )
    select 'req_' || lpad(to_hex(i), 32, '0'), case when i % 3 = 0 then ${other} else ${accountId} end, 'key', 'chat',
      case when i % 3 = 0 or i = 1 then ${modelId} else 'another' end, 200, 1, '203.0.113.9', now()
    from generate_series(1, 30_000) as i`;
  const filter = { accountId, modelId };
  const page = await listCalls(log.db, filter, { limit: 4 });
  expect(page).toEqual({ rows: [], nextCursor: expect.any(String) });
  expect(Number(`0x${page.nextCursor?.slice("req_".length)}`) % 3).not.toBe(0);
  const rows = await allPages((cursor) => listCalls(log.db, filter, { cursor, limit: 4 }));
  expect(rows.map(({ requestId }) => requestId)).toEqual([idOf(1)]);
});
