/**
 * Several answers to one call, if no channel of the model gives them at once: as many upstream calls, one hold, one
 * charge.
 */
import OpenAI from "openai";
import { describe, expect, onTestFinished, test } from "vitest";
import { collectItems } from "@/tests/support/collect-items";
import { eventually } from "@/tests/support/eventually";
import { messages, perFile, served } from "@/tests/support/per-file";
import {
  answerWith,
  beginEvents,
  chatDelta,
  chatUsage,
  sendJson,
  startUpstream,
  type UpstreamHandler,
  usage,
} from "@/tests/support/upstream";

const channel = { capabilities: { severalAnswers: false } } as const;
const { gateway, upstream, model } = served(answerWith("It floats."), { maxOutputTokens: 1_000 }, channel);
const customer = perFile(() => gateway.customer());

const client = () =>
  new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: customer.secret, maxRetries: 0 }).chat.completions;
const bodyOf = (n: number) => ({ model, messages, n, max_tokens: 100 });
const lastEntry = async () => (await gateway.entries(customer.accountId)).at(0);

/** Gives these answers in turn. */
function inTurn(...answers: UpstreamHandler[]): void {
  let next = 0;
  upstream.requests.length = 0;
  upstream.answer((...call) => answers[next++ % answers.length]?.(...call));
}
const refusing: UpstreamHandler = (_asked, response) =>
  sendJson(response, 404, { error: { message: "none here" } });
const breaking: UpstreamHandler = (_asked, response) => {
  beginEvents(response, chatDelta({ content: "Half" }));
  response.end();
};

describe.each([false, true])("several answers (streamed: %s)", (isStream) => {
  const choicesOf = async (n: number) => {
    if (!isStream) {
      const answer = await client().create(bodyOf(n));
      return {
        choices: answer.choices.map(({ message, ...choice }) => ({ ...choice, text: message.content })),
        usage: answer.usage,
        ids: 1,
      };
    }
    const chunks = await collectItems(
      await client().create({ ...bodyOf(n), stream: true, stream_options: { include_usage: true } }),
    );
    const pieces = chunks.flatMap((chunk) => chunk.choices);
    const choices = Array.from({ length: n }, (_, index) => {
      const own = pieces.filter((choice) => choice.index === index);
      const text = own.map(({ delta }) => delta.content ?? "").join("");
      return { index, text, finish_reason: own.at(-1)?.finish_reason };
    });
    return { choices, usage: chunks.at(-1)?.usage, ids: new Set(chunks.map(({ id }) => id)).size };
  };

  test("are as many calls, with one hold and one charge", async () => {
    inTurn(answerWith("one two"), answerWith("three", usage(10, 7)));
    const { choices, usage: counts, ids } = await choicesOf(3);
    expect(upstream.requests.map(({ body }) => "n" in body)).toEqual([false, false, false]);
    expect(choices.map(({ index }) => index)).toEqual([0, 1, 2]);
    expect(choices.map(({ text }) => text).sort()).toEqual(["one two", "one two", "three"]);
    expect(choices.map(({ finish_reason }) => finish_reason)).toEqual(["stop", "stop", "stop"]);
    expect(counts).toMatchObject(usage(30, 17));
    expect(ids).toBe(1);
    // 30 x 1/1e6 + 17 x 2/1e6
    expect(await lastEntry()).toMatchObject({ kind: "capture", amount: 64_000n, usageSource: "upstream" });
  });

  test("of which one has unknown counts are marked", async () => {
    const unread = { ...usage(10, 5), cache_tokens_of_tomorrow: 7 };
    inTurn(answerWith("one", unread), answerWith("two"));
    await choicesOf(2);
    expect(await lastEntry()).toMatchObject({ note: "counts not understood" });
  });

  test("of which some fail keep their places, and the others are charged", async () => {
    inTurn(answerWith("one"), refusing);
    const { choices } = await choicesOf(2);
    const failed = choices.find(({ finish_reason }) => String(finish_reason) === "error");
    expect(choices.find((choice) => choice !== failed)).toMatchObject({ text: "one", finish_reason: "stop" });
    expect(failed?.text).toBe("");
    expect(await lastEntry()).toMatchObject({ kind: "capture", amount: 20_000n });
  });

  test("that no channel can take are refused together", async () => {
    const strict = await gateway.model();
    const capabilities = { [strict]: { ...channel.capabilities, maxStops: 0 } };
    await gateway.channel({ model: strict, baseUrl: upstream.baseUrl, capabilities });
    inTurn(answerWith("one"));
    const body = { ...bodyOf(20), model: strict, stop: "x".repeat(257), stream: isStream };
    const { channels } = gateway.runtime;
    const { dispatch } = channels;
    onTestFinished(() => void Object.assign(channels, { dispatch }));
    let dispatched = 0;
    channels.dispatch = (call) => {
      dispatched++;
      return dispatch(call);
    };
    expect((await gateway.chat(customer.secret, body)).status).toBe(400);
    expect(upstream.requests).toEqual([]);
    // As a whole and in parts, with and without the optional tools. Eight parts run before the first is refused.
    expect(dispatched).toBeLessThanOrEqual(2 * (1 + 8));
    await eventually(async () => (await gateway.balance(customer.accountId)).frozen).toBe(0n);
  });

  test("that all fail cost nothing", async () => {
    inTurn(refusing);
    const before = await gateway.balance(customer.accountId);
    await expect(choicesOf(2)).rejects.toMatchObject({ status: 502 });
    await eventually(() => gateway.balance(customer.accountId)).toMatchObject({
      used: before.used,
      frozen: 0n,
    });
  });
});

test.each([
  [false, "fails", refusing],
  [true, "fails", refusing],
  [true, "is silent", (() => {}) as UpstreamHandler],
] as const)(
  "a channel that gives several answers at once and fails leaves them to others (streamed: %s, it %s)",
  async (isStream, _how, failing) => {
    const mixed = await gateway.model();
    const failed = await startUpstream(failing);
    const gives = (severalAnswers: boolean) => ({ [mixed]: { ...channel.capabilities, severalAnswers } });
    await gateway.channel({
      model: mixed,
      baseUrl: failed.baseUrl,
      timeoutSeconds: 1,
      capabilities: gives(true),
    });
    await gateway.channel({
      model: mixed,
      baseUrl: upstream.baseUrl,
      priority: -1,
      capabilities: gives(false),
    });
    inTurn(answerWith("one"));
    const response = await gateway.chat(customer.secret, { ...bodyOf(2), model: mixed, stream: isStream });
    expect((await response.text()).match(/"finish_reason":"stop"/g)).toHaveLength(2);
    await failed.close();
    expect([...failed.requests, ...upstream.requests].map(({ body }) => body.n)).toEqual([
      2,
      undefined,
      undefined,
    ]);
    expect(await lastEntry()).toMatchObject({ kind: "capture", amount: 40_000n });
  },
);

test("more answers than go out at a time are all delivered", async () => {
  inTurn(answerWith("one"));
  const answer = await client().create(bodyOf(20));
  expect(answer.choices).toHaveLength(20);
  const chunks = await collectItems(await client().create({ ...bodyOf(20), stream: true }));
  const ended = chunks
    .flatMap((chunk) => chunk.choices)
    .filter(({ finish_reason }) => finish_reason === "stop");
  expect(new Set(ended.map(({ index }) => index)).size).toBe(20);
});

test("whole answers are together no larger than one may be", async () => {
  const padding = "x".repeat(34 * 1024 * 1024);
  inTurn((_asked, response) =>
    sendJson(response, 200, {
      ...{ id: "c", object: "chat.completion", created: 1, model, padding, usage: usage(10, 5) },
      choices: [{ index: 0, message: { role: "assistant", content: "one" }, finish_reason: "stop" }],
    }),
  );
  const answer = await client().create(bodyOf(2));
  expect(answer.choices.map(({ finish_reason }) => String(finish_reason)).sort()).toEqual(["error", "stop"]);
  expect(await lastEntry()).toMatchObject({ kind: "capture", amount: 20_000n });
});

test("a stream of which one part breaks off continues with the others, and pays for what came of it", async () => {
  inTurn(breaking, answerWith("one two"));
  const streamed = { stream: true, stream_options: { include_usage: true } };
  const response = await gateway.chat(customer.secret, { ...bodyOf(2), ...streamed });
  const text = await response.text();
  expect(text).toContain('"finish_reason":"error"');
  expect(text).toContain('"finish_reason":"stop"');
  expect(text.trimEnd().endsWith("[DONE]")).toBe(true);
  const entry = await lastEntry();
  expect(entry).toMatchObject({ kind: "capture", usageSource: "estimated" });
  expect(entry?.outputTokens).toBeGreaterThan(5);
  const { usage: counts } = JSON.parse(text.split("data: ").at(-2) ?? "");
  expect(counts).toMatchObject(usage(entry?.inputTokens ?? 0, entry?.outputTokens ?? 0));
});

test.each<[string, UpstreamHandler]>([
  ["falls silent", (_asked, response) => void beginEvents(response, chatDelta({ content: "Half" }))],
  ["never begins", () => {}],
])("a stream of which one part %s continues with the others", async (_what, silent) => {
  const slow = await gateway.model();
  const { baseUrl } = upstream;
  const capabilities = { [slow]: channel.capabilities };
  await gateway.channel({ model: slow, baseUrl, idleTimeoutSeconds: 1, timeoutSeconds: 2, capabilities });
  inTurn(silent, answerWith("one two"));
  const text = await (
    await gateway.chat(customer.secret, { ...bodyOf(2), model: slow, stream: true })
  ).text();
  expect(text.match(/"finish_reason":"(?:stop|error)"/g)).toHaveLength(2);
  expect(text.trimEnd().endsWith("[DONE]")).toBe(true);
});

test("events after the end of one of several streams are ignored", async () => {
  const twice = `${chatUsage(usage(10, 5))}data: [DONE]\n\n`.repeat(2);
  inTurn((_asked, response) => {
    beginEvents(response, chatDelta({ content: "one" }, "stop"));
    // Once the stream has begun, in one piece.
    setTimeout(() => response.end(twice), 50);
  });
  const chunks = await collectItems(
    await client().create({ ...bodyOf(2), stream: true, stream_options: { include_usage: true } }),
  );
  expect(chunks.at(-1)?.usage).toMatchObject(usage(20, 10));
  expect(await lastEntry()).toMatchObject({ amount: 40_000n });
});

test("a client that hangs up ends all answers, and pays for what came of each", async () => {
  let gone = 0;
  inTurn((_asked, response) => {
    response.once("close", () => gone++);
    beginEvents(response, chatDelta({ content: "one two three" }));
  });
  const before = (await gateway.entries(customer.accountId)).length;
  const abort = new AbortController();
  const response = await gateway.chat(
    customer.secret,
    { ...bodyOf(2), stream: true },
    { signal: abort.signal },
  );
  const reader = response.body?.getReader();
  let text = "";
  while (text.split('"one two three"').length < 3) {
    text += Buffer.from((await reader?.read())?.value ?? []).toString();
  }
  abort.abort();
  await eventually(() => gone).toBe(2);
  await eventually(async () => (await gateway.entries(customer.accountId)).length).toBe(before + 1);
  expect(await lastEntry()).toMatchObject({ kind: "capture", usageSource: "estimated", outputTokens: 6 });
  expect((await gateway.balance(customer.accountId)).frozen).toBe(0n);
});

test("the hold covers each of the answers, with a prompt for each", async () => {
  inTurn(answerWith("one"));
  // Each answer of 100 tokens costs 0.0002, its prompt some tens of 0.000001.
  const poor = await gateway.customer({ quota: "0.0005" });
  const ask = (n: number) => gateway.chat(poor.secret, bodyOf(n)).then(({ status }) => status);
  expect(await ask(3)).toBe(402);
  expect(upstream.requests).toEqual([]);
  expect(await ask(2)).toBe(200);
});

test("a channel that gives several answers at once is asked once", async () => {
  const able = await gateway.model();
  await gateway.channel({ model: able, baseUrl: upstream.baseUrl });
  inTurn(answerWith("one"));
  await gateway.chat(customer.secret, { ...bodyOf(2), model: able });
  expect(upstream.requests.map(({ body }) => body.n)).toEqual([2]);
});
