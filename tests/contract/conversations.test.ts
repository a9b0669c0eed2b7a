import { describe, expect, test } from "vitest";
import { updateKey } from "@/server/access";
import { callerFor } from "@/tests/support/console";
import { conversationRoom, user } from "@/tests/support/conversation-room";
import { eventually } from "@/tests/support/eventually";
import { newModelId } from "@/tests/support/gateway";
import { served } from "@/tests/support/per-file";
import { answerResponseWith } from "@/tests/support/responses-answer";

const { gateway, chat, model, customer, clientOf, client, textsOf, newConversation, call, sql } =
  conversationRoom();
const native = { dialect: "openai-responses" } as const;
const { upstream: responses, model: overResponses } = served(answerResponseWith("Hello"), {}, native);

describe("the official client", () => {
  test("creates, continues, lists, changes and deletes a conversation", async () => {
    const { conversations, responses: api } = client();
    const made = await conversations.create({ items: [user("zero")], metadata: { topic: "boats" } });
    expect(made).toMatchObject({ object: "conversation", metadata: { topic: "boats" } });
    expect(made.id).toMatch(/^conv_/);
    const { id } = made;
    const first = await api.create({ model, input: "one", conversation: id });
    expect(first).toMatchObject({ conversation: { id }, previous_response_id: null });
    const second = await api.create({ model: overResponses, input: "two", conversation: { id } });
    expect(second).toMatchObject({ conversation: { id }, output_text: "Hello" });
    expect(responses.requests.at(-1)?.raw).toMatch(/zero.*one.*Hello there.*two/);
    expect(responses.requests.at(-1)?.body).not.toHaveProperty("conversation");

    const page = await conversations.items.list(id, { limit: 3 });
    expect([page.data.length, page.has_more, page.last_id]).toEqual([3, true, page.data[2]?.id]);
    expect(page.data[1]).toMatchObject({ type: "message", status: "completed", role: "user" });
    expect(page.data[1]).toMatchObject({ content: [{ type: "input_text", text: "two" }] });
    expect(await textsOf(id)).toEqual(["zero", "one", "Hello there", "two", "Hello"]);

    const added = await conversations.items.create(id, { items: [user("three"), user("four")] });
    expect([added.data.length, added.has_more, added.first_id]).toEqual([2, false, added.data[0]?.id]);
    const [three, four] = added.data.map((item) => String(item.id));
    const params = { conversation_id: id };
    expect(await conversations.items.delete(three ?? "", params)).toMatchObject({
      id,
      object: "conversation",
    });
    await expect(conversations.items.retrieve(three ?? "", params)).rejects.toMatchObject({ status: 404 });
    expect(await conversations.items.retrieve(four ?? "", params)).toMatchObject({
      content: [{ text: "four" }],
    });
    await api.create({ model, input: "five", conversation: id });
    expect(chat.requests.at(-1)?.raw).toMatch(/zero.*four.*five/);
    expect(chat.requests.at(-1)?.raw).not.toContain("three");

    expect(await conversations.update(id, { metadata: { a: "b" } })).toMatchObject({ metadata: { a: "b" } });
    expect(await conversations.retrieve(id)).toEqual({ ...made, metadata: { a: "b" } });
    await api.delete(first.id);
    await expect(api.retrieve(first.id)).rejects.toMatchObject({ status: 404 });
    expect(await textsOf(id)).toHaveLength(8);
    expect(await conversations.delete(id)).toEqual({ id, object: "conversation.deleted", deleted: true });
    await expect(conversations.retrieve(id)).rejects.toMatchObject({ status: 404 });
    await expect(api.create({ model, input: "x", conversation: id })).rejects.toMatchObject({ status: 404 });
    expect((await api.retrieve(second.id)).output_text).toBe("Hello");
    const left = await sql()`
      select 1 from stored_responses where account_id = ${customer.accountId} and conversation_hash is not null`;
    expect(left).toEqual([]);
  });
});

/** Every request that reads or changes a conversation. */
const requestsTo = (id: string, itemId: string): [string, string, object?][] => [
  ["GET", `conversations/${id}`],
  ["POST", `conversations/${id}`, { metadata: { a: "b" } }],
  ["GET", `conversations/${id}/items`],
  ["POST", `conversations/${id}/items`, { items: [user("x")] }],
  ["GET", `conversations/${id}/items/${itemId}`],
  ["DELETE", `conversations/${id}/items/${itemId}`],
  ["POST", "responses", { model, input: "x", conversation: id }],
  ["POST", "responses", { model, input: "x", conversation: id, background: true }],
  ["POST", "responses/input_tokens", { model, input: "x", conversation: { id } }],
  ["POST", "responses/compact", { model, input: "x", conversation: id }],
];

async function refusalsOf(by: { secret: string }, ...[id, itemId]: Parameters<typeof requestsTo>) {
  const all = [];
  for (const [method, path, body] of requestsTo(id, itemId)) {
    all.push(await call(method, path, { ...(body && { body }), by }));
  }
  return all;
}

test("a conversation is closed to an address that its key does not allow", async () => {
  const own = await gateway.customer();
  const { id } = await clientOf(own).conversations.create({ items: [user("x")] });
  await updateKey(gateway.runtime.db, { keyId: own.keyId, allowedIps: ["11.0.0.0/8"] });
  const all = async () => [
    ...(await refusalsOf(own, id, "msg_1")),
    await call("POST", "conversations", { body: {}, by: own }),
    await call("DELETE", `conversations/${id}`, { by: own }),
  ];
  const isShut = expect.objectContaining({ status: 403, slug: "ip_not_allowed" });
  await eventually(async () => (await call("GET", `conversations/${id}`, { by: own })).status).toBe(403);
  expect(await all()).toEqual(Array(requestsTo(id, "").length + 2).fill(isShut));
});

test("a conversation is unknown to other accounts, without one of its parts, and while its account stores nothing", async () => {
  const own = await gateway.customer();
  const by = clientOf(own);
  const { id } = await by.conversations.create({ items: [user("secret")] });
  const [item] = (await by.conversations.items.list(id)).data;
  const itemId = String(item?.id);
  const before = chat.requests.length;
  const stranger = await gateway.customer();
  const owner = await callerFor(gateway, { role: "owner", accountId: own.accountId });
  const isUnknown = { status: 404, slug: "conversation_not_found" };
  const none = requestsTo(id, itemId).map(() => expect.objectContaining(isUnknown));
  expect(await refusalsOf(stranger, id, itemId)).toEqual(none);
  expect(await call("DELETE", `conversations/${id}`, { by: stranger })).toMatchObject(isUnknown);
  expect(await textsOf(id, by)).toEqual(["secret"]);

  await owner.account.setStoresResponses({ storesResponses: false });
  await eventually(() => refusalsOf(own, id, itemId)).toEqual(none);
  const refused = await call("POST", "conversations", { body: {}, by: own });
  expect(refused).toMatchObject({
    status: 400,
    message: expect.stringContaining("does not store responses"),
  });
  await owner.account.setStoresResponses({ storesResponses: true });
  await eventually(async () => (await call("GET", `conversations/${id}`, { by: own })).status).toBe(200);

  // As if its account kept more than it may.
  await sql()`delete from stored_responses where account_id = ${own.accountId}`;
  const broken = { ...isUnknown, message: expect.stringContaining("part of the conversation") };
  expect(await refusalsOf(own, id, itemId)).toEqual(none.map(() => expect.objectContaining(broken)));
  expect((await call("DELETE", `conversations/${id}`, { by: own })).status).toBe(200);
  expect(chat.requests).toHaveLength(before);
});

test("a conversation keeps every name in its metadata, as responses do", async () => {
  const metadata = JSON.parse('{"__proto__":"x","constructor":"y"}');
  const names = ({ metadata: values }: Record<string, unknown>) => Object.entries(values as object);
  const whole = Object.entries(metadata);
  const made = await call("POST", "conversations", { body: { metadata } });
  const path = `conversations/${made.body.id}`;
  const answer = await call("POST", "responses", { body: { model, input: "x", metadata } });
  const kept = [made, await call("GET", path), answer, await call("GET", `responses/${answer.body.id}`)];
  await call("POST", path, { body: { metadata: {} } });
  const changed = await call("POST", path, { body: { metadata } });
  expect([...kept, changed].map((reply) => names(reply.body))).toEqual(Array(5).fill(whole));
  const odd = JSON.parse('{"__proto__":{"a":"b"}}');
  for (const [where, more] of [
    ["conversations", {}] as const,
    ["responses", { model, input: "x" }] as const,
  ]) {
    expect(await call("POST", where, { body: { ...more, metadata: odd } })).toMatchObject({ status: 400 });
  }
});

test("a conversation is created without a body, with and without an Idempotency-Key, and with no body but JSON", async () => {
  const { conversations } = client();
  const headers = { "idempotency-key": newModelId() };
  const made = await conversations.create(null);
  const once = await conversations.create(null, { headers });
  expect((await conversations.create(null, { headers })).id).toBe(once.id);
  expect([made.metadata, await textsOf(made.id), once.id === made.id]).toEqual([{}, [], false]);
  const send = (init: RequestInit) =>
    fetch(`${gateway.url}/v1/conversations`, {
      method: "POST",
      ...init,
      headers: { "x-api-key": customer.secret, ...init.headers },
    });
  const empty = new Blob([]).stream();
  expect((await send({ body: empty, duplex: "half" } as RequestInit)).status).toBe(200);
  const text = await send({ body: "{}", headers: { "content-type": "text/plain" } });
  expect([text.status, text.headers.get("x-error-code")]).toEqual([400, "invalid_content_type"]);
});

test("an addition of no items adds nothing to a conversation", async () => {
  const id = await newConversation("zero");
  const none = { object: "list", data: [], first_id: null, last_id: null, has_more: false };
  const count = async () =>
    (await sql()`select 1 from stored_responses where account_id = ${customer.accountId}`).length;
  const before = await count();
  expect(await client().conversations.items.create(id, { items: [] })).toMatchObject(none);
  expect(await count()).toBe(before);
  const unknown = await call("POST", "conversations/conv_1/items", { body: { items: [] } });
  expect(unknown).toMatchObject({ status: 404, slug: "conversation_not_found" });
});

test.each<[string, string, object]>([
  ["at most 20", "conversations", { items: Array(21).fill(user("x")) }],
  ["array of at most 20 objects", "conversations", { items: ["x"] }],
  [
    "item_reference msg_1 was not found",
    "conversations",
    { items: [{ type: "item_reference", id: "msg_1" }] },
  ],
  ["metadata can have at most 16", "conversations", { metadata: { a: "b".repeat(513) } }],
  ["metadata", "conversations/conv_1", {}],
  ["items must be", "conversations/conv_1/items", {}],
  ["together", "responses", { conversation: "c", previous_response_id: "r" }],
  ["conversation must be", "responses", { conversation: {} }],
])("an invalid request is a 400 that says %s", async (words, path, more) => {
  const body = path === "responses" ? { model, input: "x", ...more } : more;
  const refused = await call("POST", path, { body });
  expect(refused).toMatchObject({ status: 400, message: expect.stringContaining(words) });
});

test("a repeat with its Idempotency-Key adds nothing", async () => {
  const id = await newConversation();
  const headers = { "idempotency-key": newModelId() };
  for (let times = 0; times < 2; times++) {
    await client().conversations.items.create(id, { items: [user("once")] }, { headers });
  }
  expect(await textsOf(id)).toEqual(["once"]);
});

test("a process from which its call has been taken over adds nothing", async () => {
  const own = await gateway.customer();
  const by = clientOf(own);
  const { id } = await by.conversations.create();
  const headers = { "idempotency-key": newModelId() };
  let adding: Promise<unknown> | undefined;
  await sql().begin(async (tx) => {
    await tx`select 1 from conversations where account_id = ${own.accountId} for update`;
    adding = by.conversations.items
      .create(id, { items: [user("late")] }, { headers })
      .catch((error) => error.status);
    await eventually(
      () => sql()`select 1 from idempotent_calls where account_id = ${own.accountId}`,
    ).toHaveLength(1);
    await tx`update idempotent_calls set request_id = 'another' where account_id = ${own.accountId}`;
  });
  expect(await adding).toBe(409);
  expect(await textsOf(id, by)).toEqual([]);
});

test("an input count includes the conversation", async () => {
  const id = await newConversation("one ".repeat(500));
  const counted = await call("POST", "responses/input_tokens", {
    body: { model, input: "two", conversation: id },
  });
  expect(counted.body.input_tokens).toBeGreaterThan(450);
});
