import type { Sql } from "postgres";
import { expect, test } from "vitest";
import { sqlOf } from "@/server/db/handles";
import type { AccountId } from "@/server/domain/ids";
import { createThinkingStore } from "@/server/responses";
import { branded } from "@/tests/support/branded";
import { freshDatabase, openFresh } from "@/tests/support/database";
import { perFile } from "@/tests/support/per-file";

const HOUR_MS = 3_600_000;
const MEGABYTE = 1024 ** 2;
const db = perFile(async () => openFresh(await freshDatabase()));
const sql = () => sqlOf(db) as Sql;

type ThinkingStoreOptions = { secrets?: string[]; hours?: number; at?: Date; mostBytes?: number };
const openStore = ({ at = new Date(), ...options }: ThinkingStoreOptions = {}) =>
  createThinkingStore({
    ...{ db, clock: () => at, secrets: ["a secret"], hours: 72, mostBytes: 64 * MEGABYTE, ...options },
  });

let serial = 0;
const newAccount = (): AccountId => branded(`acc_thinking_${serial++}`);
const thinkingOf = (callId: string, ...envelopes: string[]) => ({ callId, envelopes });
const later = (ms: number) => new Date(Date.now() + ms);

test("kept thinking is found by its account and call until it expires, and the newest of each call wins", async () => {
  const [owner, stranger] = [newAccount(), newAccount()];
  const store = openStore();
  await store.keep(owner, [thinkingOf("a", "old"), thinkingOf("a", "one", "two"), thinkingOf("b", "three")]);
  expect(await store.find(owner, ["a", "c"])).toEqual([thinkingOf("a", "one", "two")]);
  await store.keep(owner, [thinkingOf("b", "four")]);
  expect(await store.find(owner, ["b"])).toEqual([thinkingOf("b", "four")]);
  expect(await store.find(stranger, ["a", "b"])).toEqual([]);
  const expired = openStore({ at: later(73 * HOUR_MS) });
  expect(await expired.find(owner, ["a"])).toEqual([]);
  expect(await expired.sweep()).toBe(2);
  expect(await store.find(owner, ["a"])).toEqual([]);
});

test("a row is encrypted: moved to another account, under another secret or altered, it is lost", async () => {
  const [owner, thief] = [newAccount(), newAccount()];
  await openStore().keep(owner, [thinkingOf("call", "a secret thought")]);
  const [row] = await sql()`select * from kept_thinking where account_id = ${owner}`;
  expect(JSON.stringify(row)).not.toContain("call");
  expect(Buffer.from(row?.payload).toString("latin1")).not.toContain("thought");
  await sql()`insert into kept_thinking select ${thief}, hash, bytes, payload, created_at, expires_at
    from kept_thinking where account_id = ${owner}`;
  expect(await openStore().find(thief, ["call"])).toEqual([]);
  expect(await openStore({ secrets: ["another"] }).find(owner, ["call"])).toEqual([]);
  expect(await openStore({ secrets: ["another", "a secret"] }).find(owner, ["call"])).toHaveLength(1);
  await sql()`update kept_thinking set payload = substring(payload from 1 for 20) where account_id = ${owner}`;
  expect(await openStore().find(owner, ["call"])).toEqual([]);
});

test("an account stays within its limit by dropping the oldest, and stores no oversized thinking, and none when turned off", async () => {
  const account = newAccount();
  const ids = Array.from({ length: 8 }, (_, at) => `call_${at}`);
  for (const [at, id] of ids.entries()) {
    await openStore({ mostBytes: MEGABYTE, at: later(at * 1_000) }).keep(account, [
      thinkingOf(id, "x".repeat(MEGABYTE / 4)),
    ]);
  }
  const thoughts = await openStore().find(account, ids);
  expect(thoughts.map(({ callId }) => callId).sort()).toEqual(ids.slice(-3));
  await openStore().keep(account, [thinkingOf("large", "x".repeat(MEGABYTE + 1))]);
  await openStore({ hours: 0 }).keep(account, [thinkingOf("off", "a")]);
  expect(await openStore().find(account, ["large", "off"])).toEqual([]);
});
