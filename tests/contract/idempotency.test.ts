import type { Sql } from "postgres";
import { afterEach, describe, expect, test } from "vitest";
import { issueKey } from "@/server/access";
import { nanos } from "@/server/base/money";
import { listCalls } from "@/server/calls";
import { sqlOf } from "@/server/db/handles";
import { eventually } from "@/tests/support/eventually";
import { postTo, startGateway } from "@/tests/support/gateway";
import { answerMessageWith } from "@/tests/support/messages-answer";
import { messages, perFile, served, servedModel } from "@/tests/support/per-file";
import { sleep } from "@/tests/support/until";
import {
  answerBytes,
  answerJson,
  answerWith,
  breakAfter,
  chatDelta,
  heldAnswer,
  refuseWith,
  sendJson,
  type UpstreamHandler,
} from "@/tests/support/upstream";

const { gateway, upstream: chat, model } = served(answerWith("Hello there"));
/** Another server on the same database. */
const replica = perFile(() => startGateway({ databaseUrl: gateway.databaseUrl }));
const longModel = servedModel({ gateway, upstream: chat }, { maxOutputTokens: 1_000_000 });
const { model: claudeModel } = served(answerMessageWith("Hello there"), {}, { dialect: "anthropic" });
const { model: embeddingModel } = served(embedding, { kind: "embedding" });

function embedding(...[{ body }, response]: Parameters<UpstreamHandler>): void {
  const data = [body.input]
    .flat()
    .map((_, index) => ({ object: "embedding", index, embedding: [0.5, index] }));
  sendJson(response, 200, { object: "list", data, model: "m", usage: { prompt_tokens: 4, total_tokens: 4 } });
}

const sound = Buffer.from(Array.from({ length: 1_000 }, (_, index) => index % 256));
const sounds = answerBytes(200, { "content-type": "audio/mpeg" }, sound);
const unitPrices = [{ unit: "character" as const, price: nanos(1_000n) }];
const { model: speechModel } = served(sounds, { kind: "speech", unitPrices });
const picture = answerJson({ created: 1, data: [{ b64_json: "AAAA" }] });
const imagePrices = [{ unit: "image:1024x1024", price: nanos(1_000n) }];
const { model: imageModel } = served(picture, { kind: "image", unitPrices: imagePrices });

const gemini = { contents: [{ role: "user", parts: [{ text: "hi" }] }] };
const hello = (more: object = {}) => ({ model, messages, ...more });

type IdempotentPost = { path?: string; secret: string; key?: string; url?: string; signal?: AbortSignal };
const post = (
  body: object,
  { path = "chat/completions", secret, key = "one", url, ...more }: IdempotentPost,
) => postTo(url ?? gateway.url)(secret, path, body, { headers: { "idempotency-key": key }, ...more });

const outcomeOf = async (response: Response) => ({
  status: response.status,
  slug: response.headers.get("x-error-code"),
  isReplay: response.headers.get("idempotent-replayed") === "true",
  type: response.headers.get("content-type"),
  // Byte by byte, because an answer may be no text.
  text: Buffer.from(await response.arrayBuffer()).toString("latin1"),
});
const captures = async (accountId: Parameters<typeof gateway.entries>[0]) =>
  (await gateway.entries(accountId)).filter(({ kind }) => kind === "capture");
const sql = () => sqlOf(gateway.runtime.db) as Sql;

afterEach(() => chat.answer(answerWith("Hello there")));

/** The number of calls that an account has paid for. */
const chargedCalls = async (accountId: Parameters<typeof gateway.entries>[0]) =>
  (await captures(accountId)).length;

describe("a repeat of a call", () => {
  const toClaude = { max_tokens: 50, messages };
  test.each([
    ["chat", "chat/completions", () => hello()],
    ["a stream of chat", "chat/completions", () => hello({ stream: true })],
    ["messages", "messages", () => ({ model: claudeModel, ...toClaude })],
    ["a stream of messages", "messages", () => ({ model: claudeModel, ...toClaude, stream: true })],
    ["a stream over another dialect", "chat/completions", () => hello({ model: claudeModel, stream: true })],
    ["responses", "responses", () => ({ model, input: "hi" })],
    ["a stream of responses", "responses", () => ({ model, input: "hi", stream: true })],
    ["embeddings", "embeddings", () => ({ model: embeddingModel, input: "hi" })],
    ["many embeddings", "embeddings", () => ({ model: embeddingModel, input: Array(40).fill("hi") })],
    ["Google's API", `models/${model}:generateContent`, () => gemini],
    ["a stream of Google's API", `models/${model}:streamGenerateContent?alt=sse`, () => gemini],
    ["pieces of an array of Google's API", `models/${model}:streamGenerateContent`, () => gemini],
    ["images", "images/generations", () => ({ model: imageModel, prompt: "x", size: "1024x1024" })],
    ["speech", "audio/speech", () => ({ model: speechModel, input: "hi", voice: "alloy" })],
  ])("of %s gets the same bytes, from each server, and costs nothing", async (_name, path, bodyOf) => {
    const { secret, accountId } = await gateway.customer();
    const first = await outcomeOf(await post(bodyOf(), { path, secret }));
    expect([first.status, first.isReplay]).toEqual([200, false]);
    const after = await gateway.balance(accountId);
    for (const { url } of [gateway, replica]) {
      expect(await outcomeOf(await post(bodyOf(), { path, secret, url }))).toEqual({
        ...first,
        isReplay: true,
      });
    }
    expect(await chargedCalls(accountId)).toBe(1);
    expect(await gateway.balance(accountId)).toEqual(after);
  });

  test("of a long stream is a call in the log, and frees what it has taken", async () => {
    const { secret, accountId } = await gateway.customer();
    const content = "long ".repeat(100_000);
    chat.answer(answerWith(content));
    const body = hello({ model: longModel, stream: true });
    const first = await outcomeOf(await post(body, { secret, key: "long" }));
    const again = await outcomeOf(await post(body, { secret, key: "long" }));
    expect(again).toEqual({ ...first, isReplay: true });
    const rows = async () => {
      await gateway.runtime.calls.flush();
      return (await listCalls(gateway.runtime.db, { accountId }, { limit: 10 })).rows;
    };
    await eventually(async () => (await rows()).length).toBe(2);
  });

  test("has the headers of the first answer, but its own request id and its own limits", async () => {
    const { secret } = await gateway.customer({ requestsPerMinute: 10 });
    const first = await post(hello({ max_tokens: 5_000 }), { secret });
    const again = await post(hello({ max_tokens: 5_000 }), { secret });
    expect(first.headers.get("x-output-capped")).toBe("1000");
    expect(again.headers.get("x-output-capped")).toBe("1000");
    expect(again.headers.get("x-request-id")).not.toBe(first.headers.get("x-request-id"));
    expect(again.headers.get("x-ratelimit-remaining-requests")).toBe("8");
  });

  test("with another body, or of another endpoint, is a 409 that SDKs do not repeat", async () => {
    const { secret, accountId } = await gateway.customer();
    await post(hello(), { secret });
    for (const [body, path] of [
      [hello({ temperature: 0 }), "chat/completions"],
      [hello(), "messages"],
    ] as const) {
      const refused = await post(body, { secret, path });
      expect(refused.headers.get("x-should-retry")).toBe("false");
      expect(await outcomeOf(refused)).toMatchObject({ status: 409, slug: "idempotency_mismatch" });
    }
    expect(await chargedCalls(accountId)).toBe(1);
  });

  test("with another API key, of the account or of another, is no repeat", async () => {
    const [owner, stranger] = [await gateway.customer(), await gateway.customer()];
    const { db, secrets } = gateway.runtime;
    const secondKey = await issueKey(db, { accountId: owner.accountId, name: "other" }, secrets.keyPepper);
    for (const { secret } of [owner, stranger, secondKey]) {
      expect(await outcomeOf(await post(hello(), { secret }))).toMatchObject({
        status: 200,
        isReplay: false,
      });
    }
    expect([await chargedCalls(owner.accountId), await chargedCalls(stranger.accountId)]).toEqual([2, 1]);
  });

  test("after a day is a new call, and the row of the first one is swept", async () => {
    const { secret, accountId } = await gateway.customer();
    await post(hello(), { secret });
    await sql()`update idempotent_calls set expires_at = now() where account_id = ${accountId}`;
    expect(await outcomeOf(await post(hello(), { secret }))).toMatchObject({ status: 200, isReplay: false });
    await sql()`update idempotent_calls set expires_at = now() where account_id = ${accountId}`;
    expect(await gateway.runtime.idempotency.sweep()).toBeGreaterThan(0);
    expect(await sql()`select 1 from idempotent_calls where account_id = ${accountId}`).toHaveLength(0);
    expect(await chargedCalls(accountId)).toBe(2);
  });
});

describe("while the first is under way", () => {
  test.each([false, true])(
    "many repeats, at two servers, wait for it and cost nothing (stream: %s)",
    async (stream) => {
      const { secret, accountId } = await gateway.customer();
      const held = heldAnswer();
      chat.answer(held.answer);
      const before = chat.requests.length;
      const calls = Array.from({ length: 8 }, async (_, index) =>
        outcomeOf(await post(hello({ stream }), { secret, url: (index % 2 === 0 ? gateway : replica).url })),
      );
      await eventually(() => chat.requests.length).toBe(before + 1);
      await sleep(300);
      held.goOn();
      const answers = await Promise.all(calls);
      expect(chat.requests.length).toBe(before + 1);
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
      expect(answers.filter(({ isReplay }) => !isReplay)).toHaveLength(1);
      expect(await chargedCalls(accountId)).toBe(1);
    },
  );

  test("one of those that wait runs when the first is refused", async () => {
    const { secret, accountId } = await gateway.customer();
    let times = 0;
    chat.answer(async (...args) => {
      times++;
      await sleep(300);
      await (times === 1 ? refuseWith(400, "first") : answerWith("second"))(...args);
    });
    const answers = await Promise.all([1, 2, 3].map(async () => outcomeOf(await post(hello(), { secret }))));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 400]);
    expect(times).toBe(2);
    expect(await chargedCalls(accountId)).toBe(1);
  });
});

describe("an answer that cost nothing is not kept:", () => {
  test("after a 400, a 402 and a 404 the call runs again", async () => {
    const poor = await gateway.customer({ quota: "0.000001" });
    const { secret, accountId } = await gateway.customer();
    const refusals: [object, IdempotentPost, number][] = [
      [{ model }, { secret, key: "400" }, 400],
      [hello(), { ...poor, key: "402" }, 402],
      [hello({ model: "none" }), { secret, key: "404" }, 404],
    ];
    for (const [body, how, status] of [...refusals, ...refusals]) {
      expect(await outcomeOf(await post(body, how))).toMatchObject({ status, isReplay: false });
    }
    chat.answer(refuseWith(400, "not this"));
    expect(await outcomeOf(await post(hello(), { secret }))).toMatchObject({ status: 400, isReplay: false });
    chat.answer(answerWith("now"));
    expect(await outcomeOf(await post(hello(), { secret }))).toMatchObject({ status: 200, isReplay: false });
    expect(await chargedCalls(accountId)).toBe(1);
  });

  test("sub2api#4408: a client that hangs up before its JSON answer pays nothing, and a repeat runs", async () => {
    const { secret, accountId } = await gateway.customer();
    const held = heldAnswer();
    chat.answer(held.answer);
    const before = chat.requests.length;
    const hangUp = new AbortController();
    const first = post(hello(), { secret, signal: hangUp.signal }).catch(() => "gone");
    await eventually(() => chat.requests.length).toBe(before + 1);
    hangUp.abort();
    expect(await first).toBe("gone");
    chat.answer(answerWith("again"));
    expect(await outcomeOf(await post(hello(), { secret }))).toMatchObject({ status: 200, isReplay: false });
    expect((await gateway.entries(accountId)).map(({ kind }) => kind).sort()).toEqual(["capture", "release"]);
  });
});

describe("an answer that was charged is repeated as it was:", () => {
  test("a stream that its upstream broke off", async () => {
    const { secret, accountId } = await gateway.customer();
    chat.answer(breakAfter(chatDelta({ role: "assistant", content: "half " })));
    const first = await outcomeOf(await post(hello({ stream: true }), { secret }));
    expect(first.text).toContain("half");
    expect(first.text).toContain('"code":502');
    chat.answer(answerWith("Hello there"));
    expect(await outcomeOf(await post(hello({ stream: true }), { secret }))).toEqual({
      ...first,
      isReplay: true,
    });
    expect(await chargedCalls(accountId)).toBe(1);
  });

  test("a stream whose client hung up, with what it received and that it was cut", async () => {
    const { secret, accountId } = await gateway.customer();
    chat.answer(heldAnswer().answer);
    const hangUp = new AbortController();
    const first = await post(hello({ stream: true }), { secret, signal: hangUp.signal });
    const reader = first.body?.getReader();
    const { value } = (await reader?.read()) ?? {};
    hangUp.abort();
    await reader?.cancel().catch(() => {});
    const again = await outcomeOf(await post(hello({ stream: true }), { secret }));
    expect(again.isReplay).toBe(true);
    expect(again.text.startsWith(Buffer.from(value ?? []).toString("utf8"))).toBe(true);
    expect(again.text).toContain('"code":499');
    expect(again.text).not.toContain("two");
    expect(await chargedCalls(accountId)).toBe(1);
  });

  test("a stream whose client hung up just before its end, as a whole", async () => {
    const { secret, accountId } = await gateway.customer();
    const held = heldAnswer();
    chat.answer(held.answer);
    const hangUp = new AbortController();
    const first = await post(hello({ stream: true }), { secret, signal: hangUp.signal });
    await first.body?.getReader().read();
    hangUp.abort();
    await sleep(50);
    held.goOn();
    const again = await outcomeOf(await post(hello({ stream: true }), { secret }));
    expect(again).toMatchObject({ isReplay: true, text: expect.stringMatching(/two.*data: \[DONE\]\n\n$/s) });
    expect((await captures(accountId)).map(({ usageSource }) => usageSource)).toEqual(["upstream"]);
  });

  test("an answer that is too large to keep, by a refusal that says so", async () => {
    const { secret, accountId } = await gateway.customer({ quota: "100000" });
    chat.answer(answerWith("word ".repeat(10_500_000)));
    const first = await outcomeOf(await post(hello(), { secret }));
    expect(first.text.length).toBeGreaterThan(50_500_000);
    const again = await outcomeOf(await post(hello(), { secret }));
    expect([again.status, again.slug]).toEqual([409, "idempotency_not_kept"]);
    expect(await chargedCalls(accountId)).toBe(1);
  });
});

test("a stored row reveals nothing of the call", async () => {
  const { secret, accountId } = await gateway.customer();
  const body = hello({ messages: [{ role: "user", content: "CANARY question" }] });
  await post(body, { secret, key: "CANARY key" });
  const [row] = await sql()`select * from idempotent_calls where account_id = ${accountId}`;
  const text = `${JSON.stringify(row)}${row?.answer.toString("latin1")}`;
  expect(text).not.toContain("CANARY");
  expect(text).not.toContain("Hello");
});
