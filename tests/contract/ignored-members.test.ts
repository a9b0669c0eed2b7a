/**
 * Members that a translation cannot carry: a header of the answer names them, whole or streamed, in every dialect, and
 * the call's record keeps them with the reason.
 */
import { expect, test } from "vitest";
import { getCall } from "@/server/calls";
import { answerMessageWith } from "@/tests/support/messages-answer";
import { messages, perFile, served, servedModel } from "@/tests/support/per-file";
import { answerWith, startUpstream } from "@/tests/support/upstream";

const { gateway, upstream, model } = served(answerWith("Hello"));
const customer = perFile(() => gateway.customer());
const anthropic = perFile(() => startUpstream(answerMessageWith("Hello")));
const claude = servedModel({ gateway, upstream: anthropic }, {}, { dialect: "anthropic" });

const inMessages = { messages, max_tokens: 9 };

test.each([
  ["messages", { ...inMessages, container: "c", inference_geo: "eu" }, "container, inference_geo"],
  ["messages", { ...inMessages, container: "c", stream: true }, "container"],
  ["responses", { input: "hi", truncation: "auto", moderation: { model: "m" } }, "truncation, moderation"],
  ["responses", { input: "hi", truncation: "auto", stream: true }, "truncation"],
  [
    "responses",
    { input: "hi", text: { verbosity: "low" }, prompt_cache_key: "k" },
    "text.verbosity, prompt_cache_key",
  ],
  ["chat/completions", { messages, seed: 1, anything: true }, null],
] as const)("%s with %j over chat is answered, and x-tollgate-ignored says: %s", async (...row) => {
  const [path, fields, ignored] = row;
  const response = await gateway.post(customer.secret, path, { model, ...fields });
  await response.text();
  expect([response.status, response.headers.get("x-tollgate-ignored")]).toEqual([200, ignored]);
});

test("a hostile name never gets into the header, and long lists are cut", async () => {
  const hostile = { "x\r\nset-cookie: a": 1, 名字: 1, ["n".repeat(65)]: 1, seed: 1 };
  const some = await gateway.post(customer.secret, "chat/completions", {
    model: claude,
    messages,
    ...hostile,
  });
  expect(some.headers.get("x-tollgate-ignored")).toBe("seed, +more");
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`m${index}`, 1]));
  const all = await gateway.post(customer.secret, "chat/completions", { model: claude, messages, ...many });
  expect(all.headers.get("x-tollgate-ignored")).toMatch(/^(m\d+, ){20}\+more$/);
});

test("Gemini's clients get the header, and so does a repeat with the same Idempotency-Key", async () => {
  const contents = [{ role: "user", parts: [{ text: "hi" }] }];
  const body = JSON.stringify({ contents, generationConfig: { mediaResolution: "LOW" }, labels: { a: "b" } });
  const ask = () =>
    fetch(`${gateway.url}/v1beta/models/${model}:generateContent`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "x-goog-api-key": customer.secret,
        "idempotency-key": "ignored-1",
      },
      body,
    });
  for (const replayed of [null, "true"]) {
    const response = await ask();
    await response.text();
    expect([response.status, response.headers.get("idempotent-replayed")]).toEqual([200, replayed]);
    expect(response.headers.get("x-tollgate-ignored")).toBe("generationConfig.mediaResolution, labels");
  }
});

test("the header is that of the upstream that answered, and the record has the reasons", async () => {
  const both = await gateway.model();
  const baseUrl = anthropic.baseUrl.replace(/\/v1$/, "");
  await gateway.channel({ model: both, dialect: "anthropic", baseUrl, priority: 9 });
  await gateway.channel({ model: both, baseUrl: upstream.baseUrl, priority: 1 });
  const body = { model: both, messages, seed: 1, user: "u", foo: 1 };
  const translated = await gateway.post(customer.secret, "chat/completions", body);
  expect(translated.headers.get("x-tollgate-ignored")).toBe("seed, foo");
  anthropic.answer((_request, response) => void response.writeHead(500).end());
  const forwarded = await gateway.post(customer.secret, "chat/completions", body);
  expect([forwarded.status, forwarded.headers.get("x-tollgate-ignored")]).toEqual([200, null]);
  const { runtime } = gateway;
  await runtime.calls.flush();
  const recorded = async (response: Response) =>
    (await getCall(runtime.db, { requestId: response.headers.get("x-request-id") ?? "" })).ignored;
  expect(await recorded(translated)).toEqual([
    { member: "seed", reason: "dialect" },
    { member: "foo", reason: "unknown" },
  ]);
  expect(await recorded(forwarded)).toBeNull();
});
