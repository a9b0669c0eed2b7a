import OpenAI7 from "openai";
import OpenAI6 from "openai-6";
import { describe, expect, test } from "vitest";
import { callerFor } from "@/tests/support/console";
import { eventually } from "@/tests/support/eventually";
import { answerMessageWith } from "@/tests/support/messages-answer";
import { perFile, served } from "@/tests/support/per-file";
import { answerWith } from "@/tests/support/upstream";

const { gateway, upstream: chat, model: overChat } = served(answerWith("Hello there"));
const messageAnswer = answerMessageWith("Hello there");
const { upstream: messages, model: overMessages } = served(messageAnswer, {}, { dialect: "anthropic" });
const customer = perFile(() => gateway.customer());

const post = (path: string, body: object, { secret = customer.secret } = {}) =>
  gateway.post(secret, `responses${path}`, body);
const get = (path: string, { secret = customer.secret, method = "GET" } = {}) =>
  fetch(`${gateway.url}/v1/responses${path}`, { method, headers: { "x-api-key": secret } });

type CreatedResponse = { id: string; store: boolean; output: { id: string }[] };
/** Creates a response from these fields. */
const make = async (fields: object, by = {}) =>
  (await (await post("", { model: overChat, ...fields }, by)).json()) as CreatedResponse;

describe.each([
  ["openai 7", OpenAI7 as unknown as typeof OpenAI6],
  ["openai 6", OpenAI6],
])("the official client %s", (_name, OpenAI) => {
  const client = () => new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: customer.secret, maxRetries: 0 });

  test("continues from, reads, lists and deletes a response", async () => {
    const first = await client().responses.create({ model: overChat, input: "one" });
    const on = { previous_response_id: first.id, input: "two" };
    const second = await client().responses.create({ model: overMessages, ...on });
    expect(messages.requests.at(-1)?.body.messages).toEqual([
      { role: "user", content: [{ type: "text", text: "one" }] },
      { role: "assistant", content: [{ type: "text", text: "Hello there" }] },
      { role: "user", content: [{ type: "text", text: "two" }] },
    ]);
    const read = await client().responses.retrieve(second.id);
    const { id } = second;
    expect(read).toMatchObject({ id, output_text: "Hello there", previous_response_id: first.id });
    const items = await client().responses.inputItems.list(second.id);
    expect(items.data).toMatchObject([{ role: "user", content: "two" }]);
    await client().responses.delete(first.id);
    await expect(client().responses.retrieve(first.id)).rejects.toMatchObject({ status: 404 });
    await expect(
      client().responses.create({ model: overChat, previous_response_id: first.id, input: "x" }),
    ).rejects.toMatchObject({ status: 400, code: "previous_response_not_found" });
  });
});

test("an input count includes what the response continues from, and costs nothing", async () => {
  const own = await gateway.customer();
  const count = async (fields: object) => {
    const counted = await post("/input_tokens", { model: overChat, ...fields }, own);
    expect(counted.status).toBe(200);
    return (await counted.json()) as { object: string; input_tokens: number };
  };
  const { id } = await make({ input: "one ".repeat(500) }, own);
  const [alone, after] = [
    await count({ input: "two" }),
    await count({ input: "two", previous_response_id: id }),
  ];
  expect(alone.object).toBe("response.input_tokens");
  expect(after.input_tokens - alone.input_tokens).toBeGreaterThan(450);
  expect(await gateway.entries(own.accountId)).toHaveLength(1);
  expect((await post("/input_tokens", { model: "none", input: "x" }, own)).status).toBe(404);
});

test.each([
  ["the related chat dialect", () => [chat, overChat] as const],
  ["another dialect", () => [messages, overMessages] as const],
])("a conversation is compacted over %s, charged once, and continued", async (_, staged) => {
  const [upstream, model] = staged();
  const own = await gateway.customer();
  const first = await make({ input: "one" }, own);
  const body = { model, previous_response_id: first.id, input: "two" };
  const made = await post("/compact", body, own);
  expect(made.status).toBe(200);
  const { object, output } = (await made.json()) as { object: string; output: object[] };
  expect([object, output]).toMatchObject(["response.compaction", [{ type: "compaction" }]]);
  expect(upstream.requests.at(-1)?.raw).toMatch(/one.*Hello there.*two.*Write a summary/);
  expect(await gateway.entries(own.accountId)).toHaveLength(2);
  expect(
    (await post("", { model, input: [...output, { role: "user", content: "three" }] }, own)).status,
  ).toBe(200);
  const upstreamBody = upstream.requests.at(-1)?.raw ?? "";
  expect(upstreamBody).toMatch(/summary of it:\\n\\nHello there.*three/);
  expect(upstreamBody).not.toContain("one");
});

test("a reference to an item stands for the item (the AI SDK's second turn)", async () => {
  const first = await make({ input: "one" });
  const input = [
    { role: "user", content: "one" },
    { type: "item_reference", id: first.output[0]?.id },
    { role: "user", content: "two" },
  ];
  expect((await post("", { model: overChat, input })).status).toBe(200);
  expect(chat.requests.at(-1)?.body.messages).toEqual([
    { role: "user", content: "one" },
    { role: "assistant", content: "Hello there" },
    { role: "user", content: "two" },
  ]);
});

test("no account reads, continues or deletes another account's response", async () => {
  const stranger = await gateway.customer();
  const { id, output } = await make({ input: "secret" });
  const { secret } = stranger;
  const reference = { type: "item_reference", id: output[0]?.id };
  const tries = await Promise.all([
    get(`/${id}`, { secret }),
    get(`/${id}`, { secret, method: "DELETE" }),
    get(`/${id}/input_items`, { secret }),
    post(`/${id}/cancel`, {}, { secret }),
    post("", { model: overChat, previous_response_id: id, input: "x" }, { secret }),
    post("", { model: overChat, input: [reference] }, { secret }),
  ]);
  expect(tries.map(({ status }) => status)).toEqual([404, 404, 404, 404, 400, 400]);
  expect((await get(`/${id}`)).status).toBe(200);
});

test("a page of items continues after the named item, and an unknown one is a 400", async () => {
  const input = ["one", "two", "three"].map((content) => ({ role: "user", content }));
  const { id } = await make({ input });
  const ask = (query: string) => get(`/${id}/input_items?order=asc&limit=2&${query}`);
  const page = async (query: string) =>
    (await (await ask(query)).json()) as { data: { id: string }[]; has_more: boolean };
  const first = await page("");
  const second = await page(`after=${first.data[1]?.id}`);
  expect([first.data.length, first.has_more]).toEqual([2, true]);
  expect([second.data.length, second.has_more]).toEqual([1, false]);
  expect((await ask("after=msg_unknown")).status).toBe(400);
});

test("a stored response cannot be streamed, and the refusal says so", async () => {
  const { id } = await make({ input: "x" });
  const answer = await get(`/${id}?stream=true`);
  expect([answer.status, answer.headers.get("x-error-code")]).toEqual([400, "invalid_parameters"]);
  expect(await answer.text()).toContain("stream");
});

test("an account that stores nothing says so, and finds nothing that it stored before", async () => {
  const { accountId, secret } = await gateway.customer();
  const own = { secret };
  const kept = await make({ input: "x" }, own);
  const owner = await callerFor(gateway, { role: "owner", accountId });
  await owner.account.setStoresResponses({ storesResponses: false });
  await eventually(async () => (await get(`/${kept.id}`, own)).status).toBe(404);
  const answer = await post("", { model: overChat, input: "x", store: true }, own);
  expect([answer.status, answer.headers.get("x-response-store")]).toEqual([200, "off"]);
  const { id, store } = (await answer.json()) as CreatedResponse;
  expect(store).toBe(false);
  for (const earlier of [kept.id, id]) {
    const next = await post("", { model: overChat, input: "x", previous_response_id: earlier }, own);
    expect([next.status, next.headers.get("x-error-code")]).toEqual([400, "previous_response_not_found"]);
  }
  await owner.account.setStoresResponses({ storesResponses: true });
  await eventually(async () => (await get(`/${kept.id}`, own)).status).toBe(200);
  expect((await get(`/${id}`, own)).status).toBe(404);
});

test("missing money is a 402 and no server error (langwatch#6304)", async () => {
  const poor = await gateway.customer({ quota: "0.000001" });
  const refused = await post("", { model: overChat, input: "x" }, poor);
  expect([refused.status, refused.headers.get("x-error-code")]).toEqual([402, "insufficient_quota"]);
});
