import OpenAI7 from "openai";
import OpenAI6 from "openai-6";
import type { Sql } from "postgres";
import { describe, expect, test } from "vitest";
import { sqlOf } from "@/server/db/handles";
import { callerFor } from "@/tests/support/console";
import { eventually } from "@/tests/support/eventually";
import { served } from "@/tests/support/per-file";
import { answerResponseWith } from "@/tests/support/responses-answer";
import { answerWith, heldAnswer, refuseWith } from "@/tests/support/upstream";

const { gateway, upstream: chat, model: overChat } = served(answerWith("Hello there"));
const native = { dialect: "openai-responses" } as const;
const { model: overResponses } = served(answerResponseWith("Hello there"), {}, native);

type Kept = { id: string; status: string; background: boolean; store: boolean; output_text?: string };

async function newCustomer(quota = "1000") {
  const customer = await gateway.customer({ quota });
  const ask = (path: string, body: object | null, method = "POST") =>
    gateway.post(customer.secret, `responses${path}`, body, { method, ...(body === null && { body }) });
  const read = async (id: string) => (await (await ask(`/${id}`, null, "GET")).json()) as Kept;
  const until = async (id: string, status: string) => {
    await gateway.runtime.backgroundRuns.work();
    await eventually(async () => (await read(id)).status, 30_000).toBe(status);
    return await read(id);
  };
  return { ...customer, ask, read, until };
}

const money = async (of: Awaited<ReturnType<typeof newCustomer>>) => {
  const { used, frozen } = await gateway.balance(of.accountId);
  return [used, frozen];
};

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
      await gateway.runtime.backgroundRuns.work();
      await new Promise((resolve) => setTimeout(resolve, 20));
      response = await client.responses.retrieve(begun.id);
    }
    expect(response).toMatchObject({ status: "completed", output_text: "Hello there", background: true });
    expect(response.created_at).toBe(begun.created_at);
    expect(await money(customer)).toEqual([20_000n, 0n]);
    expect(await gateway.entries(customer.accountId)).toMatchObject([{ kind: "capture" }]);
    const on = { input: "two", previous_response_id: begun.id };
    const next = await client.responses.create({ model: overChat, ...on });
    expect(next.output_text).toBe("Hello there");
    expect(await gateway.verify()).toEqual([]);
  });
});

/** Until an upstream has begun to answer. */
const begun = ({ accountId }: { accountId: string }) =>
  eventually(async () => {
    const sql = sqlOf(gateway.runtime.db) as Sql;
    return await sql`select 1 from background_responses where account_id = ${accountId} and has_begun`;
  }, 30_000).toHaveLength(1);

const asked = { model: overChat, input: "x", background: true };
const begin = async (customer: Awaited<ReturnType<typeof newCustomer>>): Promise<string> =>
  ((await (await customer.ask("", asked)).json()) as Kept).id;

test("its money is frozen while it runs, and one that is cancelled pays for what had come", async () => {
  const customer = await newCustomer();
  const { answer, goOn } = heldAnswer();
  chat.answer(answer);
  const id = await begin(customer);
  await customer.until(id, "in_progress");
  await begun(customer);
  expect((await money(customer))[1]).toBeGreaterThan(0n);
  const refused = await customer.ask("", { model: overChat, input: "y", previous_response_id: id });
  expect(refused.headers.get("x-error-code")).toBe("previous_response_not_found");
  const cancelled = await customer.ask(`/${id}/cancel`, {});
  expect([cancelled.status, ((await cancelled.json()) as Kept).status]).toEqual([200, "cancelled"]);
  await eventually(async () => (await money(customer))[1], 30_000).toBe(0n);
  goOn();
  chat.answer(answerWith("Hello there"));
  const told = (await customer.read(id)) as Kept & { usage: { output_tokens: number } | null };
  expect(told).toMatchObject({ status: "cancelled", output: [{ content: [{ text: "one " }] }] });
  expect(told.usage?.output_tokens).toBeGreaterThan(0);
  expect(await gateway.entries(customer.accountId)).toMatchObject([{ kind: "capture" }]);
  expect((await money(customer))[0]).toBeGreaterThan(0n);
  expect(await gateway.verify()).toEqual([]);
  const again = await customer.ask(`/${id}/cancel`, {});
  expect([again.status, ((await again.json()) as Kept).status]).toEqual([200, "cancelled"]);
  const stranger = await newCustomer();
  expect((await stranger.ask(`/${id}/cancel`, {})).status).toBe(404);
});

test("one that runs while its account is told to keep nothing is read by who paid for it", async () => {
  const customer = await newCustomer();
  const { answer, goOn } = heldAnswer();
  chat.answer(answer);
  const id = await begin(customer);
  await customer.until(id, "in_progress");
  const owner = await callerFor(gateway, { role: "owner", accountId: customer.accountId });
  await owner.account.setStoresResponses({ storesResponses: false });
  await eventually(async () => (await customer.ask("", asked)).status).toBe(400);
  goOn();
  expect((await customer.until(id, "completed")).id).toBe(id);
  chat.answer(answerWith("Hello there"));
  expect((await money(customer))[0]).toBeGreaterThan(0n);
  expect((await customer.ask(`/${id}`, null, "DELETE")).status).toBe(200);
  expect((await customer.ask(`/${id}`, null, "GET")).status).toBe(404);
});

test("one that fails says why, and costs nothing", async () => {
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
  expect(await money(customer)).toEqual([0n, 0n]);
});

test("one that is deleted before anything has come ends, and its money is free", async () => {
  const customer = await newCustomer();
  chat.answer(() => {});
  const id = await begin(customer);
  expect((await customer.ask(`/${id}`, null, "DELETE")).status).toBe(200);
  expect(await money(customer)).toEqual([0n, 0n]);
  expect((await customer.ask(`/${id}`, null, "GET")).status).toBe(404);
  chat.answer(answerWith("Hello there"));
});

test("it needs money and a store, and is not streamed", async () => {
  const poor = await newCustomer("0.000001");
  const ask = (more: object) => poor.ask("", { model: overChat, input: "x", background: true, ...more });
  const refusals = await Promise.all([ask({}), ask({ store: false }), ask({ stream: true })]);
  expect(refusals.map(({ status }) => status)).toEqual([402, 400, 400]);
  expect(await gateway.entries(poor.accountId)).toEqual([]);
});
