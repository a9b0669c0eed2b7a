import type { Sql } from "postgres";
import { describe, expect, test } from "vitest";
import { createLog } from "@/server/base/log";
import { sqlOf } from "@/server/db/handles";
import type { AccountId, KeyId } from "@/server/domain/ids";
import { mintItemId, mintResponseId } from "@/server/protocol/responses/ids";
import { namedInput } from "@/server/protocol/responses/named-items";
import { createResponseStore, type StoredResponse } from "@/server/responses";
import { freshDatabase, openFresh } from "@/tests/support/database";
import { perFile } from "@/tests/support/per-file";
import { expectRefused } from "@/tests/support/refusal";
import { branded } from "../support/branded";

const DAY_MS = 86_400_000;
const db = perFile(async () => openFresh(await freshDatabase()));
let serial = 0;

type ResponseStoreOptions = { secrets?: string[]; retentionDays?: number; at?: Date; mostBytes?: number };
const openStore = ({ at = new Date(), ...options }: ResponseStoreOptions = {}) =>
  createResponseStore({
    ...{ db, clock: () => at, log: createLog("silent"), secrets: ["a secret"], retentionDays: 30 },
    ...{ mostBytes: 1024 ** 3, ...options },
  });

const newAccount = (): AccountId => branded(`acc_responses_${serial++}`);
const sql = () => sqlOf(db) as Sql;

const admitted: number[] = [];
const admit = async (bytes: number) => {
  admitted.push(bytes);
};

const messageOf = (text: string) => ({ type: "message", role: "user", content: text });

function responseOf(text: string, parentId: string | null = null): StoredResponse {
  const id = mintResponseId();
  const output = [{ id: mintItemId(id, "message", 0), type: "message", role: "assistant", content: text }];
  return { id, parentId, input: [messageOf(`asked ${text}`)], output, response: { id, output } };
}

async function saveResponse(accountId: AccountId, text: string, parentId: string | null = null) {
  const stored = responseOf(text, parentId);
  await openStore().save({ accountId, keyId: branded("key_1") }, stored);
  return stored;
}

describe("a stored response", () => {
  test("is found, continued, referred to by its items, and deleted once", async () => {
    const accountId = newAccount();
    const store = openStore();
    const first = await saveResponse(accountId, "one");
    const second = await saveResponse(accountId, "two", first.id);
    expect(await store.find(accountId, second.id)).toEqual(second);
    expect(await store.history(accountId, second.id, admit)).toEqual([
      ...first.input,
      ...first.output,
      ...second.input,
      ...second.output,
    ]);
    const itemId = String(first.output[0]?.id);
    expect(await store.items(accountId, [itemId, "msg_unknown"], admit)).toEqual(
      new Map([[itemId, first.output[0]]]),
    );
    expect(await store.remove(accountId, first.id)).toBe(true);
    expect(await store.remove(accountId, first.id)).toBe(false);
    expect(await store.history(accountId, second.id, admit)).toBeNull();
  });

  test.each([
    ["a long text", () => ({ text: "word é\n".repeat(100_000) })],
    [
      "more names than are read in steps",
      () => Object.fromEntries(Array.from({ length: 60_000 }, (_, at) => [`n${at}`, 1])),
    ],
  ])("is read as it was stored, with %s", async (_what, more) => {
    const accountId = newAccount();
    const stored = responseOf("long");
    stored.input.push({ type: "message", role: "user", content: "more", more: more() });
    await openStore().save({ accountId, keyId: branded("key_1") }, stored);
    expect(await openStore().find(accountId, stored.id)).toEqual(stored);
  });

  test("is read item by item, and only the items that are referred to", async () => {
    const accountId = newAccount();
    const stored = responseOf("two items");
    const other = { ...stored.output[0], id: mintItemId(stored.id, "message", 1) };
    stored.output.push(other);
    await openStore().save({ accountId, keyId: branded("key_1") }, stored);
    const items = await openStore().items(accountId, [String(other.id)], admit);
    expect([...items.keys()]).toEqual([other.id]);
  });

  test("has input that can be referred to by the identifiers under which it is listed", async () => {
    const accountId = newAccount();
    const stored = responseOf("listed");
    stored.input.push(
      { ...messageOf("with a number for a name"), id: 7 },
      { ...messageOf("nameless"), id: null },
    );
    await openStore().save({ accountId, keyId: branded("key_1") }, stored);
    const listed = namedInput(stored.id, stored.input);
    const ids = listed.map(({ id }) => String(id));
    expect(new Set(ids).size).toBe(3);
    expect(await openStore().items(accountId, ids, admit)).toEqual(
      new Map(listed.map((item) => [item.id, item])),
    );
  });

  test("makes room for newer ones, the oldest first", async () => {
    const accountId = newAccount();
    const text = "x".repeat(1_000);
    const saved: StoredResponse[] = [];
    for (let second = 0; second < 6; second++) {
      const stored = responseOf(text);
      const store = openStore({ at: new Date(Date.now() + second * 1_000), mostBytes: 8_000 });
      await store.save({ accountId, keyId: branded("key_1") }, stored);
      saved.push(stored);
    }
    const found = await Promise.all(saved.map(({ id }) => openStore().find(accountId, id)));
    expect(found.map((response) => response !== null)).toEqual([false, false, false, false, true, true]);
  });

  test("is invisible to other accounts, even if they know its identifiers", async () => {
    const stored = await saveResponse(newAccount(), "secret");
    const stranger = newAccount();
    const store = openStore();
    expect(await store.find(stranger, stored.id)).toBeNull();
    expect(await store.history(stranger, stored.id, admit)).toBeNull();
    expect(await store.items(stranger, [String(stored.output[0]?.id)], admit)).toEqual(new Map());
    expect(await store.remove(stranger, stored.id)).toBe(false);
    const own = await saveResponse(stranger, "mine", stored.id);
    expect(await store.history(stranger, own.id, admit)).toBeNull();
  });

  test("is gone after its retention, and its row soon after", async () => {
    const accountId = newAccount();
    const stored = await saveResponse(accountId, "old");
    const later = openStore({ at: new Date(Date.now() + 31 * DAY_MS) });
    expect(await later.find(accountId, stored.id)).toBeNull();
    expect(await later.history(accountId, stored.id, admit)).toBeNull();
    expect(await later.sweep()).toBeGreaterThan(0);
    expect(await openStore().find(accountId, stored.id)).toBeNull();
  });

  test("has a history over many turns", async () => {
    const accountId = newAccount();
    let parentId: string | null = null;
    for (let turn = 0; turn < 200; turn++) {
      parentId = (await saveResponse(accountId, String(turn), parentId)).id;
    }
    expect(await openStore().history(accountId, String(parentId), admit)).toHaveLength(400);
  });

  test("whose conversation is small as stored and too large to read is refused unread", async () => {
    const accountId = newAccount();
    let parentId: string | null = null;
    for (let turn = 0; turn < 4; turn++) {
      parentId = (await saveResponse(accountId, "x".repeat(3_000_000), parentId)).id;
    }
    admitted.length = 0;
    await expectRefused(openStore().history(accountId, String(parentId), admit), "conversationTooLong");
    expect(admitted).toEqual([]);
    const [row] = await sql()`
      select max(pg_column_size(payload)) as size from stored_responses where account_id = ${accountId}`;
    expect(row?.size).toBeLessThan(10_000);
  });

  test("is stored once, however often it is saved at the same moment", async () => {
    const accountId = newAccount();
    const stored = responseOf("again");
    const owner = { accountId, keyId: branded<KeyId>("key_1") };
    await Promise.all(Array.from({ length: 10 }, () => openStore().save(owner, stored)));
    const rows = await sql()`select 1 from stored_responses where account_id = ${accountId}`;
    expect(rows).toHaveLength(1);
  });
});

describe("a row", () => {
  test("reveals neither its text nor its identifier", async () => {
    const accountId = newAccount();
    const stored = await saveResponse(accountId, "a very telling text ".repeat(50));
    const [row] = await sql()`select * from stored_responses where account_id = ${accountId}`;
    const text = JSON.stringify({ ...row, payload: "" }) + Buffer.from(row?.payload ?? "").toString("latin1");
    expect(text).not.toContain("telling");
    expect(text).not.toContain(stored.id.slice("resp_".length));
  });

  test("that was altered, moved to another account, or encrypted with another secret is ignored", async () => {
    const accountId = newAccount();
    const thief = newAccount();
    const stored = await saveResponse(accountId, "moved");
    expect(await openStore({ secrets: ["another"] }).find(accountId, stored.id)).toBeNull();
    expect(await openStore({ secrets: ["another", "a secret"] }).find(accountId, stored.id)).toEqual(stored);
    await sql()`
      insert into stored_responses select ${thief}, hash, parent_hash, key_id, bytes, payload, created_at, expires_at
      from stored_responses where account_id = ${accountId}`;
    expect(await openStore().find(thief, stored.id)).toBeNull();
    await sql()`
      update stored_responses set payload = set_byte(payload, 40, get_byte(payload, 40) # 1)
      where account_id = ${accountId}`;
    expect(await openStore().find(accountId, stored.id)).toBeNull();
  });

  test.each([0, 5, 12, 15, 16, 27, 28])("that was cut to %i bytes is ignored", async (length) => {
    const accountId = newAccount();
    const stored = await saveResponse(accountId, "cut");
    await sql()`
      update stored_responses set payload = substring(payload from 1 for ${length}) where account_id = ${accountId}`;
    expect(await openStore().find(accountId, stored.id)).toBeNull();
  });
});

test("without a retention no response is stored or read", async () => {
  const accountId = newAccount();
  const stored = responseOf("x");
  await openStore({ retentionDays: 0 }).save({ accountId, keyId: branded("key_1") }, stored);
  expect(await openStore().find(accountId, stored.id)).toBeNull();
  const before = await saveResponse(accountId, "y");
  expect(await openStore({ retentionDays: 0 }).history(accountId, before.id, admit)).toBeNull();
});

test.each(["", "resp_", "resp_zz", "resp_%00", `resp_${"a".repeat(10_000)}`])(
  "the identifier %j finds and removes nothing",
  async (id) => {
    const store = openStore();
    const accountId = newAccount();
    expect([await store.find(accountId, id), await store.history(accountId, id, admit)]).toEqual([
      null,
      null,
    ]);
    expect(await store.remove(accountId, id)).toBe(false);
  },
);
