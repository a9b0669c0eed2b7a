import { describe, expect, test } from "vitest";
import type { KeyId } from "@/server/base/ids";
import { Refusal } from "@/server/base/refusal";
import { type CallRecord, getCall, listCalls } from "@/server/calls";
import { sqlOf } from "@/server/db/handles";
import { callOf, newAccount, startCallLog } from "@/tests/support/call-log";
import { madeUp } from "@/tests/support/made-up";
import { perFile } from "@/tests/support/per-file";

const DAY_MS = 86_400_000;

const log = perFile(() => startCallLog());

describe("a list of calls", () => {
  /** Twelve calls of one account, the newest first; every third one failed. */
  async function twelve() {
    const { calls } = log.openLog();
    const accountId = newAccount();
    const all = Array.from({ length: 12 }, (_, index) =>
      callOf(accountId, {
        ...(index % 3 === 0 && { status: 502, error: "upstreams_unavailable" }),
        modelId: index % 2 === 0 ? "even" : "odd",
        keyId: madeUp(`key_${index % 4}_of_${accountId}`),
        endpoint: index === 5 ? "embeddings" : "chat.completions",
      }),
    );
    for (const call of all) {
      calls.record(call);
    }
    await calls.close();
    return { accountId, all: all.reverse() };
  }

  test("has what its filter says, newest first", async () => {
    const { accountId, all } = await twelve();
    const pick = async (filter: Parameters<typeof listCalls>[1]) =>
      (await listCalls(log.db, { accountId, ...filter })).rows;
    const keyId: KeyId = madeUp(`key_1_of_${accountId}`);
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
    const { accountId, all } = await twelve();
    const ok = all.filter((call) => call.error === null);
    for (const { filter, isOldestFirst, wanted } of [
      { filter: { accountId }, isOldestFirst: false, wanted: all },
      { filter: { accountId }, isOldestFirst: true, wanted: all.toReversed() },
      { filter: { accountId, status: "ok" } as const, isOldestFirst: false, wanted: ok },
      { filter: { accountId, status: "ok" } as const, isOldestFirst: true, wanted: ok.toReversed() },
    ]) {
      const seen: CallRecord[] = [];
      let cursor: string | undefined;
      do {
        const page = await listCalls(log.db, filter, { cursor, limit: 5, isOldestFirst });
        expect(page.rows.length).toBeLessThanOrEqual(5);
        seen.push(...page.rows);
        cursor = page.nextCursor ?? undefined;
      } while (cursor !== undefined);
      expect(seen).toEqual(wanted);
    }
  });

  test("finds the needle behind more calls than one page looks at", async () => {
    const { calls } = log.openLog();
    const accountId = newAccount();
    const needle = callOf(accountId, { endpoint: "embeddings" });
    const hay = Array.from({ length: 20_500 }, () => callOf(accountId));
    await sqlOf(log.db)`
      insert into calls (request_id, account_id, key_id, endpoint, status, elapsed_ms, started_at)
      select id, ${accountId}, 'key_hay', 'chat.completions', 200, 1, now()
      from unnest(${hay.map((call) => call.requestId)}::text[]) as id`;
    calls.record(needle);
    await calls.close();
    const first = await listCalls(log.db, { accountId, endpoint: "embeddings" });
    expect(first.rows).toEqual([]);
    const second = await listCalls(
      log.db,
      { accountId, endpoint: "embeddings" },
      { cursor: first.nextCursor ?? "" },
    );
    expect(second).toEqual({ rows: [needle], nextCursor: null });
  });

  test("shows an owner nothing of another account's, not by key, nor by request, nor by cursor", async () => {
    const { all } = await twelve();
    const [foreign] = all;
    const accountId = newAccount();
    const nothing = { rows: [], nextCursor: null };
    const filters = [
      { keyId: foreign?.keyId },
      { keyId: foreign?.keyId, modelId: "none" },
      { requestId: foreign?.requestId },
      { modelId: "even", status: "failed" } as const,
    ];
    for (const filter of filters) {
      expect(await listCalls(log.db, { accountId, ...filter }, { limit: 1 })).toEqual(nothing);
    }
    const requestId = foreign?.requestId ?? "";
    expect(await getCall(log.db, { requestId })).toEqual(foreign);
    await expect(getCall(log.db, { requestId, accountId })).rejects.toThrow(Refusal);
  });
});
