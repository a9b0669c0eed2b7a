import OpenAI7 from "openai";
import OpenAI6 from "openai-6";
import { describe, expect, test } from "vitest";
import { setAccountStatus, setKeyStatus } from "@/server/access";
import { backgroundCustomers } from "@/tests/support/background-room";
import { callerFor } from "@/tests/support/console";
import { eventually } from "@/tests/support/eventually";
import { served } from "@/tests/support/per-file";
import { answerResponseWith } from "@/tests/support/responses-answer";
import { answerWith, heldAnswer, refuseWith } from "@/tests/support/upstream";

const { gateway, upstream: chat, model: overChat } = served(answerWith("Hello there"));
const native = { dialect: "openai-responses" } as const;
const { model: overResponses } = served(answerResponseWith("Hello there"), {}, native);

const newCustomer = backgroundCustomers({ gateway, model: overChat });
type BackgroundCustomer = Awaited<ReturnType<typeof newCustomer>>;

const work = () => gateway.runtime.backgroundRuns.work();

describe.each([
  ["openai 7", OpenAI7 as unknown as typeof OpenAI6],
  ["openai 6", OpenAI6],
])("the official client %s", (_name, OpenAI) => {
  test.each([
    ["chat", () => overChat],
    ["responses", () => overResponses],
  ])("polls a response of a model behind %s to its end, and pays once", async (_dialect, modelOf) => {
    const customer = await newCustomer();
    const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: customer.secret, maxRetries: 0 });
    const begun = await client.responses.create({ model: modelOf(), input: "hi", background: true });
    expect([begun.status, begun.output_text]).toEqual(["queued", ""]);
    let response = begun;
    while (response.status === "queued" || response.status === "in_progress") {
      await work();
      await new Promise((resolve) => setTimeout(resolve, 20));
      response = await client.responses.retrieve(begun.id);
    }
    expect(response).toMatchObject({ status: "completed", output_text: "Hello there", background: true });
    expect(response.created_at).toBe(begun.created_at);
    expect(await customer.money()).toEqual([20_000n, 0n]);
    expect(await gateway.entries(customer.accountId)).toMatchObject([{ kind: "capture" }]);
    const on = { input: "two", previous_response_id: begun.id };
    const next = await client.responses.create({ model: overChat, ...on });
    expect(next.output_text).toBe("Hello there");
    expect(await gateway.verify()).toEqual([]);
  });
});

async function begin(customer: BackgroundCustomer): Promise<string> {
  const id = await customer.begin();
  await work();
  return id;
}

test("a background response has its money frozen while it runs, and pays for its output when it is cancelled", async () => {
  const customer = await newCustomer();
  const { answer, goOn } = heldAnswer();
  chat.answer(answer);
  const id = await begin(customer);
  await customer.until(id, "in_progress");
  await customer.untilBegun();
  expect((await customer.money())[1]).toBeGreaterThan(0n);
  const refused = await customer.post("", { model: overChat, input: "y", previous_response_id: id });
  expect(refused.slug).toBe("previous_response_not_found");
  const cancelled = { status: 200, body: { status: "cancelled" } };
  expect(await customer.post(`/${id}/cancel`, {})).toMatchObject(cancelled);
  await eventually(async () => (await customer.money())[1], 30_000).toBe(0n);
  goOn();
  chat.answer(answerWith("Hello there"));
  const { body: cancelledResponse } = await customer.call(`/${id}`);
  expect(cancelledResponse).toMatchObject({ status: "cancelled", output: [{ content: [{ text: "one " }] }] });
  expect(cancelledResponse.usage?.output_tokens).toBeGreaterThan(0);
  expect(await gateway.entries(customer.accountId)).toMatchObject([{ kind: "capture" }]);
  expect((await customer.money())[0]).toBeGreaterThan(0n);
  expect(await gateway.verify()).toEqual([]);
  expect(await customer.post(`/${id}/cancel`, {})).toMatchObject(cancelled);
  const stranger = await newCustomer();
  expect((await stranger.post(`/${id}/cancel`, {})).status).toBe(404);
});

test.each<[string, (customer: BackgroundCustomer, id: string) => Promise<unknown>]>([
  ["it is cancelled", (customer, id) => customer.post(`/${id}/cancel`, {})],
  ["it is deleted", (customer, id) => customer.call(`/${id}`, { method: "DELETE" })],
  [
    "its key is disabled",
    ({ accountId, keyId }) => setKeyStatus(gateway.runtime.db, { accountId, keyId, status: "disabled" }),
  ],
  [
    "its account is disabled",
    ({ accountId }) => setAccountStatus(gateway.runtime.db, { accountId, status: "disabled" }),
  ],
])("when %s, the upstream call ends, and what had arrived is charged", async (_what, end) => {
  const customer = await newCustomer();
  const { answer } = heldAnswer();
  let isLeft = false;
  chat.answer((call, response, request) => {
    response.once("close", () => {
      isLeft = true;
    });
    return answer(call, response, request);
  });
  const id = await begin(customer);
  await customer.untilBegun();
  expect(isLeft).toBe(false);
  await end(customer, id);
  // No worker takes it up meanwhile: the test does not call `work`.
  await eventually(() => isLeft).toBe(true);
  await eventually(async () => (await customer.money())[1]).toBe(0n);
  expect((await customer.money())[0]).toBeGreaterThan(0n);
  expect(await gateway.verify()).toEqual([]);
  chat.answer(answerWith("Hello there"));
});

test("a response that runs while its account stops storing responses can be read by its payer", async () => {
  const customer = await newCustomer();
  const { answer, goOn } = heldAnswer();
  chat.answer(answer);
  const id = await begin(customer);
  await customer.until(id, "in_progress");
  const owner = await callerFor(gateway, { role: "owner", accountId: customer.accountId });
  await owner.account.setStoresResponses({ storesResponses: false });
  await eventually(async () => (await customer.submit()).status).toBe(400);
  goOn();
  expect((await customer.until(id, "completed")).id).toBe(id);
  chat.answer(answerWith("Hello there"));
  expect((await customer.money())[0]).toBeGreaterThan(0n);
  expect((await customer.call(`/${id}`, { method: "DELETE" })).status).toBe(200);
  expect((await customer.call(`/${id}`)).status).toBe(404);
});

test("a failed response says why, and costs nothing", async () => {
  const customer = await newCustomer();
  const fail = async (status: number, words: string) => {
    chat.answer(refuseWith(status, words));
    return await customer.until(await begin(customer), "failed");
  };
  expect(await fail(400, "no such thing")).toMatchObject({ output: [], error: { code: "invalid_prompt" } });
  const long = "This model's maximum context length is 8192 tokens";
  expect(await fail(400, long)).toMatchObject({ error: { code: "context_length_exceeded" } });
  expect(await fail(500, "broken")).toMatchObject({ error: { code: "server_error" } });
  chat.answer(answerWith("Hello there"));
  expect(await customer.money()).toEqual([0n, 0n]);
});

test("a response that is deleted before any output ends, and returns its money", async () => {
  const customer = await newCustomer();
  chat.answer(() => {});
  const id = await begin(customer);
  expect((await customer.call(`/${id}`, { method: "DELETE" })).status).toBe(200);
  expect(await customer.money()).toEqual([0n, 0n]);
  expect((await customer.call(`/${id}`)).status).toBe(404);
  chat.answer(answerWith("Hello there"));
});

test("a background response needs money and a store, and cannot be streamed", async () => {
  const poor = await newCustomer({ quota: "0.000001" });
  const variants = [{}, { store: false }, { stream: true }];
  const refusals = await Promise.all(variants.map((more) => poor.submit(more)));
  expect(refusals.map(({ status }) => status)).toEqual([402, 400, 400]);
  expect(await gateway.entries(poor.accountId)).toEqual([]);
});
