import { randomBytes } from "node:crypto";
import type { Sql } from "postgres";
import { expect, test } from "vitest";
import { createLog } from "@/server/base/log";
import { transaction } from "@/server/db";
import { sqlOf } from "@/server/db/handles";
import type { AccountId, KeyId } from "@/server/domain/ids";
import { mintItemId, mintResponseId } from "@/server/protocol/responses/ids";
import { createConversationStore, createResponseStore, eraseResponses } from "@/server/responses";
import { branded } from "@/tests/support/branded";
import { freshDatabase, openFresh } from "@/tests/support/database";
import { eventually } from "@/tests/support/eventually";
import { perFile } from "@/tests/support/per-file";
import { expectRefused } from "@/tests/support/refusal";

const DAY_MS = 86_400_000;
const db = perFile(async () => openFresh(await freshDatabase()));
const sql = () => sqlOf(db) as Sql;
let serial = 0;

/** A server's store, `days` days from now. */
function openStore({ days = 0, mostBytes = 1024 ** 3 } = {}) {
  const at = new Date(Date.now() + days * DAY_MS);
  const keeping = { db, clock: () => at, log: createLog("silent"), secrets: ["a secret"], retentionDays: 30 };
  const responses = createResponseStore({ ...keeping, mostBytes });
  return { ...createConversationStore({ ...keeping, responses }), responses };
}

const newOwner = () => ({
  accountId: branded<AccountId>(`acc_conversations_${serial++}`),
  keyId: branded<KeyId>("key_1"),
});
const admit = async () => {};
const messageOf = (text: string) => ({ type: "message", role: "user", content: text });
const newConversation = (owner: ReturnType<typeof newOwner>, ...texts: string[]) =>
  openStore().create(owner, { metadata: { about: "boats" }, input: texts.map(messageOf) });

function answerOf(text: string) {
  const id = mintResponseId();
  const output = [{ id: mintItemId(id, "message", 0), type: "message", role: "assistant", content: text }];
  return {
    id,
    parentId: null,
    input: [],
    output,
    response: { id, output, status: "completed" },
    isStored: true,
  };
}

/** The number of statements that wait for a lock. */
async function countWaiting(): Promise<number> {
  const rows =
    await sql()`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  return rows.length;
}

const broken = /部分内容已不再保存/;

test("a conversation and all its items are kept until thirty days after the last addition", async () => {
  const owner = newOwner();
  const { id } = await newConversation(owner, "zero");
  for (const days of [20, 45, 70]) {
    await openStore({ days }).addItems(owner, id, [messageOf(String(days))]);
  }
  await openStore({ days: 95 }).responses.sweep();
  const items = await openStore({ days: 95 }).items(owner.accountId, id, admit);
  expect(items.map(({ content }) => content)).toEqual(["zero", "20", "45", "70"]);
  const over = openStore({ days: 101 });
  await expectRefused(over.get(owner.accountId, id), "unknownConversation");
  expect(await over.sweep()).toBeGreaterThan(0);
  expect(await sql()`select 1 from conversations where account_id = ${owner.accountId}`).toEqual([]);
});

test("a conversation lists items under different identifiers, which stay when another item is deleted, and keeps vendors' items", async () => {
  const owner = newOwner();
  const { accountId } = owner;
  const { id } = await newConversation(owner, "zero");
  const store = openStore();
  const vendors = [
    { type: "mcp_list_tools" },
    { id: "mcp_1", type: "mcp_approval_request" },
    { id: "", type: "x" },
  ];
  for (let turn = 0; turn < 2; turn++) {
    await store.addResponse(owner, id, { ...answerOf("x"), output: vendors });
  }
  const listed = async () => (await store.items(accountId, id, admit)).map((item) => String(item.id));
  const ids = await listed();
  expect([ids.length, new Set(ids).size, ids[2]]).toEqual([7, 7, "mcp_1"]);
  expect(await store.history(accountId, id, admit)).toEqual([messageOf("zero"), ...vendors, ...vendors]);
  for (const gone of [4, 5, 1]) {
    const itemId = ids[gone] ?? "";
    await store.removeItem(accountId, { id, itemId }, admit);
    ids.splice(gone, 1);
    expect(await listed()).toEqual(ids);
  }
});

test("each addition to a conversation counts as a kilobyte at least, also after its removal", async () => {
  const owner = newOwner();
  const { accountId } = owner;
  const { id } = await newConversation(owner);
  const [item] = await openStore().addItems(owner, id, [messageOf("x")]);
  const answer = answerOf("x");
  await openStore().addResponse(owner, id, {
    ...answer,
    response: { ...answer.response, conversation: { id } },
  });
  const counted = () => sql()`select bytes from stored_responses where account_id = ${accountId}`;
  expect(await counted()).toEqual([{ bytes: 1_024 }, { bytes: 1_024 }]);
  await openStore().removeItem(accountId, { id, itemId: String(item?.id) }, admit);
  await openStore().responses.remove(accountId, answer.id);
  expect(await counted()).toEqual([{ bytes: 1_024 }, { bytes: 1_024 }]);
});

test("an addition during the erasure of its account leaves nothing behind", async () => {
  const owner = newOwner();
  const { accountId } = owner;
  const { id } = await newConversation(owner, "zero");
  let erasing: Promise<void> | undefined;
  await transaction(db, async (tx) => {
    await sqlOf(tx)`select 1 from conversations where account_id = ${accountId} for update`;
    erasing = transaction(db, (other) => eraseResponses(other, accountId));
    await eventually(countWaiting).toBe(1);
    await sqlOf(
      tx,
    )`insert into stored_responses select account_id, 'added', parent_hash, key_id, bytes, payload,
      created_at, expires_at, conversation_hash from stored_responses where account_id = ${accountId}`;
  });
  await erasing;
  expect(await sql()`select 1 from stored_responses where account_id = ${accountId}`).toEqual([]);
  await expectRefused(openStore().get(accountId, id), "unknownConversation");
});

test("a conversation's row is encrypted, and is unreadable under another account", async () => {
  const owner = newOwner();
  const { id } = await newConversation(owner, "telling");
  const { accountId } = newOwner();
  const [row] = await sql()`select * from conversations where account_id = ${owner.accountId}`;
  expect(JSON.stringify({ ...row, payload: "" })).not.toContain(id.slice("conv_".length));
  expect(Buffer.from(row?.payload ?? "").toString("latin1")).not.toContain("boats");
  await sql()`insert into conversations select ${accountId}, hash, key_id, payload, created_at, expires_at
    from conversations where account_id = ${owner.accountId}`;
  await expectRefused(openStore().get(accountId, id), "unknownConversation");
});

test("a conversation with a part that was too large to store is reported as incomplete", async () => {
  const owner = newOwner();
  const { id } = await newConversation(owner, "zero");
  await openStore().addResponse(owner, id, answerOf("x".repeat(17_000_000)));
  await expect(openStore().get(owner.accountId, id)).rejects.toThrow(broken);
  await expect(openStore().items(owner.accountId, id, admit)).rejects.toThrow(broken);
  await expect(openStore().addItems(owner, id, [messageOf("x")])).rejects.toThrow(broken);
});

test("a conversation whose oldest part was evicted is reported as incomplete", async () => {
  const owner = newOwner();
  const { id } = await newConversation(owner, "x".repeat(1_000));
  const store = openStore({ days: 1, mostBytes: 4_000 });
  await store.addResponse(owner, id, answerOf("x".repeat(3_000)));
  await expect(store.history(owner.accountId, id, admit)).rejects.toThrow(broken);
});

test("a conversation refuses items beyond the length at which it can be read", async () => {
  const owner = newOwner();
  const { id } = await newConversation(owner);
  for (let turn = 0; turn < 4; turn++) {
    await openStore().addItems(owner, id, [messageOf("x".repeat(4_000_000))]);
  }
  await expectRefused(
    openStore().addItems(owner, id, [messageOf("x".repeat(900_000))]),
    "conversationTooLong",
  );
  const long = await newConversation(owner, "the last of a thousand");
  await sql()`
    with last as (
      update stored_responses set parent_hash = '999' where account_id = ${owner.accountId} and parent_hash is null
        and conversation_hash = (select hash from conversations where account_id = ${owner.accountId}
          order by created_at desc limit 1) returning *)
    insert into stored_responses
    select account_id, n::text, nullif(n - 1, 0)::text, key_id, bytes, payload, created_at, expires_at, conversation_hash
    from last, generate_series(1, 999) n`;
  expect(await openStore().get(owner.accountId, long.id)).toMatchObject({ id: long.id });
  await expectRefused(openStore().addItems(owner, long.id, [messageOf("x")]), "conversationTooLong");
});

test("an eviction waits for no locked row, and an addition stays if an eviction fails", async () => {
  const owner = newOwner();
  const { accountId } = owner;
  const { id } = await newConversation(owner, "x".repeat(3_000));
  await newConversation(owner, "x".repeat(3_000));
  // Each of the two conversations itself counts as a kilobyte.
  const small = openStore({ mostBytes: 3_000 });
  await transaction(db, async (tx) => {
    await sqlOf(
      tx,
    )`select 1 from stored_responses where account_id = ${accountId} order by created_at limit 1 for update`;
    await small.responses.makeRoom(accountId, 1_000);
  });
  expect(await sql()`select 1 from stored_responses where account_id = ${accountId}`).toHaveLength(1);
  await sql()`alter table background_responses rename to away`;
  const added = await small
    .addItems(owner, id, [messageOf("y")])
    .finally(() => sql()`alter table away rename to background_responses`);
  expect(added).toHaveLength(1);
});

test("a conversation counts towards its account's storage, and the one without additions for longest is evicted first", async () => {
  const owner = newOwner();
  const { accountId } = owner;
  const used = await newConversation(owner);
  const unused = await newConversation(owner);
  await openStore({ days: 5 }).responses.save(owner, answerOf("x"));
  await openStore({ days: 10 }).addItems(owner, used.id, [messageOf("x")]);
  const store = openStore({ days: 11, mostBytes: 4 * 1_024 });
  const newest = await store.create(owner, { metadata: {}, input: [] });
  await expectRefused(store.get(accountId, unused.id), "unknownConversation");
  expect(await store.history(accountId, used.id, admit)).toHaveLength(1);
  const kept = () => sql()`select 1 from stored_responses where account_id = ${accountId}`;
  expect(await kept()).toHaveLength(2);

  const many = Array.from({ length: 8 }, (_, at) => [String(at), randomBytes(256).toString("hex")]);
  await store.update(accountId, newest.id, Object.fromEntries(many));
  expect(await kept()).toEqual([]);
  await expect(store.get(accountId, used.id)).rejects.toThrow(broken);
  expect(await store.get(accountId, newest.id)).toMatchObject({ id: newest.id });
});

test("a conversation beyond an account's ten thousand evicts the oldest, with that one's items alone", async () => {
  const owner = newOwner();
  const { accountId } = owner;
  const first = await newConversation(owner, "oldest");
  await sql()`
    insert into conversations select account_id, n::text, key_id, payload, created_at, expires_at + interval '1 day'
    from conversations, generate_series(1, 9999) n where account_id = ${accountId}`;
  await openStore({ days: 2 }).create(owner, { metadata: {}, input: [messageOf("newest")] });
  await expectRefused(openStore().get(accountId, first.id), "unknownConversation");
  expect(await sql()`select 1 from conversations where account_id = ${accountId}`).toHaveLength(10_000);
  expect(await sql()`select 1 from stored_responses where account_id = ${accountId}`).toHaveLength(1);
});
