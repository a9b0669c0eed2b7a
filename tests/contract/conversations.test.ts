import OpenAI from "openai";
import type { Sql } from "postgres";
import { describe, expect, test } from "vitest";
import { sqlOf } from "@/server/db/handles";
import { backgroundCustomers } from "@/tests/support/background-room";
import { callerFor } from "@/tests/support/console";
import { eventually } from "@/tests/support/eventually";
import { newModelId } from "@/tests/support/gateway";
import { perFile, served } from "@/tests/support/per-file";
import { answerResponseWith } from "@/tests/support/responses-answer";
import { answerWith, heldAnswer, refuseWith } from "@/tests/support/upstream";

const hello = answerWith("Hello there");
const { gateway, upstream: chat, model } = served(hello);
const native = { dialect: "openai-responses" } as const;
const { upstream: responses, model: overResponses } = served(answerResponseWith("Hello"), {}, native);
const customer = perFile(() => gateway.customer());
const sql = () => sqlOf(gateway.runtime.db) as Sql;

const clientOf = ({ secret }: { secret: string }) =>
  new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: secret, maxRetries: 0 });
const client = () => clientOf(customer);

const user = (content: string) => ({ type: "message" as const, role: "user" as const, content });

/** What is said in a conversation, in its order. */
async function said(id: string, by = client()): Promise<string[]> {
  const items: { content?: { text: string }[] }[] = [];
  for await (const item of by.conversations.items.list(id, { order: "asc", limit: 100 })) {
    items.push(item as (typeof items)[number]);
  }
  return items.flatMap(({ content = [] }) => content.map(({ text }) => text));
}

const opened = async (...texts: string[]) =>
  (await client().conversations.create({ items: texts.map(user) })).id;

describe("the official client", () => {
  test("makes a conversation, goes on from it, lists, changes and deletes it", async () => {
    const { conversations, responses: api } = client();
    const made = await conversations.create({ items: [user("zero")], metadata: { topic: "boats" } });
    expect(made).toMatchObject({ object: "conversation", metadata: { topic: "boats" } });
    expect(made.id).toMatch(/^conv_/);
    const { id } = made;
    const first = await api.create({ model, input: "one", conversation: id });
    expect(first).toMatchObject({ conversation: { id }, previous_response_id: null });
    const second = await api.create({ model: overResponses, input: "two", conversation: { id } });
    expect(second).toMatchObject({ conversation: { id }, output_text: "Hello" });
    expect(responses.asked.at(-1)?.raw).toMatch(/zero.*one.*Hello there.*two/);
    expect(responses.asked.at(-1)?.body).not.toHaveProperty("conversation");

    const page = await conversations.items.list(id, { limit: 3 });
    expect([page.data.length, page.has_more, page.last_id]).toEqual([3, true, page.data[2]?.id]);
    expect(page.data[1]).toMatchObject({ type: "message", status: "completed", role: "user" });
    expect(page.data[1]).toMatchObject({ content: [{ type: "input_text", text: "two" }] });
    expect(await said(id)).toEqual(["zero", "one", "Hello there", "two", "Hello"]);

    const added = await conversations.items.create(id, { items: [user("three"), user("four")] });
    expect([added.data.length, added.has_more, added.first_id]).toEqual([2, false, added.data[0]?.id]);
    const [three, four] = added.data.map((item) => String(item.id));
    const of = { conversation_id: id };
    expect(await conversations.items.delete(three ?? "", of)).toMatchObject({ id, object: "conversation" });
    await expect(conversations.items.retrieve(three ?? "", of)).rejects.toMatchObject({ status: 404 });
    expect(await conversations.items.retrieve(four ?? "", of)).toMatchObject({ content: [{ text: "four" }] });
    await api.create({ model, input: "five", conversation: id });
    expect(chat.asked.at(-1)?.raw).toMatch(/zero.*four.*five/);
    expect(chat.asked.at(-1)?.raw).not.toContain("three");

    expect(await conversations.update(id, { metadata: { a: "b" } })).toMatchObject({ metadata: { a: "b" } });
    expect(await conversations.retrieve(id)).toEqual({ ...made, metadata: { a: "b" } });
    await api.delete(first.id);
    await expect(api.retrieve(first.id)).rejects.toMatchObject({ status: 404 });
    expect(await said(id)).toHaveLength(8);
    expect(await conversations.delete(id)).toEqual({ id, object: "conversation.deleted", deleted: true });
    await expect(conversations.retrieve(id)).rejects.toMatchObject({ status: 404 });
    await expect(api.create({ model, input: "x", conversation: id })).rejects.toMatchObject({ status: 404 });
    expect((await api.retrieve(second.id)).output_text).toBe("Hello");
    const left = await sql()`
      select 1 from stored_responses where account_id = ${customer.accountId} and conversation_hash is not null`;
    expect(left).toEqual([]);
  });
});

type Call = { body?: object; by?: { secret: string } };

/** A call of one of the endpoints; its status, and what refused it. */
async function call(method: string, path: string, { body, by = customer }: Call = {}) {
  const answer = await fetch(`${gateway.url}/v1/${path}`, {
    method,
    headers: { "x-api-key": by.secret, "content-type": "application/json", "accept-language": "en" },
    ...(body && { body: JSON.stringify(body) }),
  });
  const { message = "", ...said } = (await answer.json()) as Record<string, unknown>;
  return { status: answer.status, slug: answer.headers.get("x-error-code"), message: String(message), said };
}

/** Every way to a conversation. */
const ways = (id: string, itemId: string): [string, string, object?][] => [
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

async function refusalsOf(by: { secret: string }, ...[id, itemId]: Parameters<typeof ways>) {
  const all = [];
  for (const [method, path, body] of ways(id, itemId)) {
    all.push(await call(method, path, { ...(body && { body }), by }));
  }
  return all;
}

test("is nobody's but its account's, and unknown where a part of it is gone or its account keeps nothing", async () => {
  const own = await gateway.customer();
  const by = clientOf(own);
  const { id } = await by.conversations.create({ items: [user("secret")] });
  const [item] = (await by.conversations.items.list(id)).data;
  const itemId = String(item?.id);
  const asked = chat.asked.length;
  const stranger = await gateway.customer();
  const owner = await callerFor(gateway, { role: "owner", accountId: own.accountId });
  const isUnknown = { status: 404, slug: "conversation_not_found" };
  const none = ways(id, itemId).map(() => expect.objectContaining(isUnknown));
  expect(await refusalsOf(stranger, id, itemId)).toEqual(none);
  expect(await call("DELETE", `conversations/${id}`, { by: stranger })).toMatchObject(isUnknown);
  expect(await said(id, by)).toEqual(["secret"]);

  await owner.account.setStoresResponses({ storesResponses: false });
  await eventually(() => refusalsOf(own, id, itemId)).toEqual(none);
  const refused = await call("POST", "conversations", { body: {}, by: own });
  expect(refused).toMatchObject({ status: 400, message: expect.stringContaining("keeps no responses") });
  await owner.account.setStoresResponses({ storesResponses: true });
  await eventually(async () => (await call("GET", `conversations/${id}`, { by: own })).status).toBe(200);

  // As when its account keeps more than it may.
  await sql()`delete from stored_responses where account_id = ${own.accountId}`;
  const broken = { ...isUnknown, message: expect.stringContaining("a part of the conversation") };
  expect(await refusalsOf(own, id, itemId)).toEqual(none.map(() => expect.objectContaining(broken)));
  expect((await call("DELETE", `conversations/${id}`, { by: own })).status).toBe(200);
  expect(chat.asked).toHaveLength(asked);
});

test("responses that run at the same time are all kept, and one after the other", async () => {
  const id = await opened("zero");
  const inputs = ["one", "two", "three", "four", "five"];
  const by = client();
  await Promise.all(inputs.map((input) => by.responses.create({ model, input, conversation: id })));
  const [zero, ...turns] = await said(id);
  expect(zero).toBe("zero");
  expect(turns.filter((_, at) => at % 2 === 0).sort()).toEqual(inputs.toSorted());
  expect(turns.filter((_, at) => at % 2 === 1)).toEqual(inputs.map(() => "Hello there"));
});

test("takes what is answered and not kept as a response, and nothing of what failed", async () => {
  const id = await opened();
  const kept = await client().responses.create({ model, input: "one", conversation: id, store: false });
  expect(kept).toMatchObject({ store: false });
  await expect(client().responses.retrieve(kept.id)).rejects.toMatchObject({ status: 404 });
  await expect(client().responses.delete(kept.id)).rejects.toMatchObject({ status: 404 });
  const on = { previous_response_id: kept.id, input: "x" };
  await expect(client().responses.create({ model, ...on })).rejects.toMatchObject({ status: 400 });
  const before = await said(id);
  expect(before).toEqual(["one", "Hello there"]);
  chat.answer(refuseWith(400));
  await expect(client().responses.create({ model, input: "x", conversation: id })).rejects.toThrow();
  chat.answer(hello);
  expect(await said(id)).toEqual(before);
  // What a client brings back from it is another item, under a name of its own.
  const { data } = await client().conversations.items.list(id);
  await client().responses.create({
    model,
    input: data.map(({ id: of }) => ({ type: "item_reference", id: String(of) })),
    conversation: id,
  });
  const listed = await client().conversations.items.list(id, { limit: 100 });
  expect(new Set(listed.data.map((item) => item.id)).size).toBe(5);
});

test("takes nothing of a stream whose client hangs up, as no response is kept of it", async () => {
  const own = await gateway.customer();
  const by = clientOf(own);
  const { id } = await by.conversations.create();
  const { answer, goOn } = heldAnswer();
  let isLeft = false;
  chat.answer((asked, response, request) => {
    response.once("close", () => {
      isLeft = true;
    });
    return answer(asked, response, request);
  });
  const stream = await by.responses.create({ model, input: "one", conversation: id, stream: true });
  let responseId = "";
  for await (const event of stream) {
    if (event.type === "response.created") {
      responseId = event.response.id;
      expect(event.response.conversation).toEqual({ id });
    }
    if (event.type === "response.output_text.delta") {
      break;
    }
  }
  await eventually(() => isLeft).toBe(true);
  goOn();
  await eventually(() => gateway.entries(own.accountId)).toHaveLength(1);
  chat.answer(hello);
  expect((await call("GET", `responses/${responseId}`, { by: own })).status).toBe(404);
  expect(await said(id, by)).toEqual([]);
  const whole = await by.responses.create({ model, input: "two", conversation: id, stream: true });
  for await (const event of whole) {
    // What has been told to the end is there at once.
    expect(event.type === "response.completed" && (await said(id, by))).toEqual(
      event.type === "response.completed" ? ["two", "Hello there"] : false,
    );
  }
});

describe("a response in the background", () => {
  const newCustomer = backgroundCustomers({ gateway, model });

  test("is added once it has ended well, behind what was added meanwhile, and not where it is cancelled", async () => {
    const own = await newCustomer();
    const by = clientOf(own);
    const { id } = await by.conversations.create({ items: [user("zero")] });
    const { answer, goOn } = heldAnswer();
    chat.answer(answer);
    const begin = async (input: string) => {
      const made = await by.responses.create({ model, input, conversation: id, background: true });
      expect(made).toMatchObject({ conversation: { id } });
      await gateway.runtime.backgroundRuns.work();
      await own.untilBegun();
      return made.id;
    };
    const cancelled = await begin("x");
    await by.responses.cancel(cancelled);
    await eventually(async () => (await own.money())[1], 30_000).toBe(0n);
    expect(await said(id, by)).toEqual(["zero"]);

    const made = await begin("later");
    expect(chat.asked.at(-1)?.raw).toMatch(/zero.*later/);
    await by.conversations.items.create(id, { items: [user("first")] });
    // As if it had waited for a day.
    await sql()`update stored_responses set expires_at = expires_at - interval '1 day'
      where account_id = ${own.accountId} and hash = encode(sha256(${made}), 'hex')`;
    goOn();
    await own.until(made, "completed");
    const sooner = await sql()`
      select 1 from stored_responses s join conversations c using (account_id)
      where account_id = ${own.accountId} and s.parent_hash is not null and s.expires_at < c.expires_at`;
    expect(sooner).toEqual([]);
    await gateway.runtime.backgroundRuns.work();
    expect(await said(id, by)).toEqual(["zero", "first", "later", "one two"]);
    expect(await gateway.verify()).toEqual([]);
    await by.responses.delete(cancelled);
    await by.responses.delete(made);
    expect(await said(id, by)).toHaveLength(4);
    chat.answer(hello);
  });
});

test.each([true, false])(
  "is gone when a response ends, which stays, and is gone on from by none (%o)",
  async (background) => {
    const own = await backgroundCustomers({ gateway, model })();
    const by = clientOf(own);
    const { id } = await by.conversations.create({ items: [user("zero")] });
    const { answer, goOn } = heldAnswer();
    chat.answer(answer);
    const asked = chat.asked.length;
    const making = by.responses.create({ model, input: "x", conversation: id, background });
    const begun = async () => {
      await gateway.runtime.backgroundRuns.work();
      return chat.asked;
    };
    await eventually(begun, 30_000).toHaveLength(asked + 1);
    await by.conversations.delete(id);
    goOn();
    chat.answer(hello);
    const made = await making;
    await own.until(made.id, "completed");
    const on = { previous_response_id: made.id, input: "x" };
    await expect(by.responses.create({ model, ...on })).rejects.toMatchObject({ status: 400 });
    await by.responses.delete(made.id);
    expect(await sql()`select 1 from stored_responses where account_id = ${own.accountId}`).toEqual([]);
  },
);

test.each<[string, string, object]>([
  ["at most 20", "conversations", { items: Array(21).fill(user("x")) }],
  ["array of at most 20 objects", "conversations", { items: ["x"] }],
  ["There is no item_reference msg_1", "conversations", { items: [{ type: "item_reference", id: "msg_1" }] }],
  ["metadata has at most 16", "conversations", { metadata: { a: "b".repeat(513) } }],
  ["metadata", "conversations/conv_1", {}],
  ["items must be", "conversations/conv_1/items", {}],
  ["together", "responses", { conversation: "c", previous_response_id: "r" }],
  ["conversation must be", "responses", { conversation: {} }],
])("says %s, to what it refuses with a 400", async (words, path, more) => {
  const body = path === "responses" ? { model, input: "x", ...more } : more;
  const refused = await call("POST", path, { body });
  expect(refused).toMatchObject({ status: 400, message: expect.stringContaining(words) });
});

test("a repeat with its key adds nothing", async () => {
  const id = await opened();
  const headers = { "idempotency-key": newModelId() };
  for (let times = 0; times < 2; times++) {
    await client().conversations.items.create(id, { items: [user("once")] }, { headers });
  }
  expect(await said(id)).toEqual(["once"]);
});

test("nothing is added by a process from which its call has been taken over", async () => {
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
  expect(await said(id, by)).toEqual([]);
});

test("is counted with what a response would read", async () => {
  const id = await opened("one ".repeat(500));
  const counted = await call("POST", "responses/input_tokens", {
    body: { model, input: "two", conversation: id },
  });
  expect(counted.said.input_tokens).toBeGreaterThan(450);
});
