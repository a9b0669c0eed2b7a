import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI, { AzureOpenAI } from "openai";
import { describe, expect, test } from "vitest";
import { createLog } from "@/server/base/log";
import { sqlOf } from "@/server/db/handles";
import { collectItems } from "@/tests/support/collect-items";
import { eventually } from "@/tests/support/eventually";
import { startGateway } from "@/tests/support/gateway";
import { messages, perFile, servedModel } from "@/tests/support/per-file";
import { firstLineOf } from "@/tests/support/raw-request";
import { answerWith, startUpstream } from "@/tests/support/upstream";

const lines: string[] = [];
const log = createLog("info", { write: (line) => void lines.push(line) });
const PAGE = "https://app.example.com";
const gateway = perFile(() =>
  startGateway({ log, env: { CORS_ORIGINS: `${PAGE}/, http://localhost:5173` } }),
);
const upstream = perFile(() => startUpstream(answerWith("Hello there")));
const model = servedModel({ gateway, upstream });
const customer = perFile(() => gateway.customer());

const errorOf = (response: Response) => `${response.status} ${response.headers.get("x-error-code")}`;

/** Sends a request with exactly this path. */
const raw = (head: string) => firstLineOf(gateway.url, `${head}\r\nHost: 127.0.0.1\r\n\r\n`);

/** A call in the form of Azure's clients. */
const callDeployment = (deployment: string, body: string, key = customer.secret) =>
  fetch(`${gateway.url}/openai/deployments/${deployment}/chat/completions?api-version=2024-10-21`, {
    method: "POST",
    headers: { "api-key": key, "content-type": "application/json" },
    body,
  });

describe("Azure's addresses", () => {
  test("work with the vendor's client", async () => {
    const client = new AzureOpenAI({
      endpoint: gateway.url,
      apiKey: customer.secret,
      apiVersion: "2024-10-21",
      deployment: model,
    });
    const answer = await client.chat.completions.create({ model, messages });
    expect(answer.choices[0]?.message.content).toBe("Hello there");
  });

  test("name the model of a body that has none, and leave its text as it is", async () => {
    for (const content of ["hi", "word ".repeat(100_000)]) {
      // More digits than a double holds.
      const body = `{"messages": [{"role":"user","content":"${content}"}], "seed": 12345678901234567890 }`;
      const response = await callDeployment(model, body);
      expect(response.status).toBe(200);
      expect(upstream.requests.at(-1)?.raw).toContain('"seed": 12345678901234567890');
    }
  });

  test("of Responses name a deployment or none, and the current ones stand for ours", async () => {
    const { requests } = upstream;
    for (const [path, body] of [
      [`openai/deployments/${model}/responses`, { input: "hi" }],
      ["openai/responses", { model, input: "hi" }],
      ["openai/v1/responses", { model, input: "hi" }],
      ["api/v1/chat/completions", { model, messages }],
    ] as const) {
      const before = requests.length;
      const headers = { "api-key": customer.secret, "content-type": "application/json" };
      const init = { method: "POST", headers, body: JSON.stringify(body) };
      const response = await fetch(`${gateway.url}/${path}?api-version=preview`, init);
      expect([path, response.status, requests.length - before]).toEqual([path, 200, 1]);
    }
  });

  test("yield to the body's own model", async () => {
    const response = await callDeployment("no-such-model", JSON.stringify({ model, messages }));
    expect(response.status).toBe(200);
  });

  test.each([
    ["%zz", "404 model_not_found"],
    ["a".repeat(300), "400 invalid_parameters"],
  ])("refuse a deployment like %.8s in the envelope", async (deployment, refusal) => {
    expect(errorOf(await callDeployment(deployment, JSON.stringify({ messages })))).toBe(refusal);
  });

  test("refuse an unknown key, and other paths, in the envelope", async () => {
    expect(errorOf(await callDeployment(model, "{}", "no"))).toBe("401 invalid_api_key");
    expect(errorOf(await fetch(`${gateway.url}/openai/deployments`))).toBe("404 unknown_path");
    expect(await raw("POST /openai/deployments/../chat/completions HTTP/1.1")).toMatch(/^HTTP\/1\.1 401 /);
  });
});

describe("pages of other origins", () => {
  const fromPage = { headers: { origin: PAGE } };
  const preflight = {
    "access-control-request-method": "POST",
    "access-control-request-headers": "authorization,x-stainless-os",
  };
  const ask = (origin: string) =>
    fetch(`${gateway.url}/v1/chat/completions`, { method: "OPTIONS", headers: { origin, ...preflight } });

  test("may send a preflight request, which is not logged", async () => {
    lines.length = 0;
    const response = await ask(PAGE);
    expect(response.status).toBe(204);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "access-control-allow-origin": PAGE,
      "access-control-allow-headers": "authorization,x-stainless-os",
      vary: "origin",
    });
    expect(response.headers.has("access-control-allow-credentials")).toBe(false);
    expect(lines).toEqual([]);
  });

  test("read answers and refusals with their headers", async () => {
    for (const secret of [customer.secret, "no"]) {
      const response = await gateway.post(secret, "chat/completions", { model, messages }, fromPage);
      expect(response.headers.get("access-control-allow-origin")).toBe(PAGE);
      expect(response.headers.get("access-control-expose-headers")).toBe("*");
    }
  });

  test.each(["https://evil.example.com", "null", `${PAGE}.evil.com`])(
    "are refused from %s",
    async (origin) => {
      const response = await ask(origin);
      expect(response.headers.has("access-control-allow-origin")).toBe(false);
    },
  );
});

describe("a path that no endpoint has", () => {
  test.each([
    ["POST", "/chat/completions", "/v1/chat/completions"],
    ["GET", "/models", "/v1/models"],
  ])("%s %s is answered with the right address", async (method, path, right) => {
    const headers = { authorization: `Bearer ${customer.secret}`, "accept-language": "en" };
    const response = await fetch(gateway.url + path, { method, headers });
    expect(errorOf(response)).toBe("404 wrong_base_url");
    const message = expect.stringContaining(`-> ${right}`);
    expect(await response.json()).toMatchObject({ message, data: null });
  });

  test("that a vendor has is refused with a hint to its replacement, whatever the method", async () => {
    const headers = { authorization: `Bearer ${customer.secret}`, "accept-language": "en" };
    for (const [method, path, hint] of [
      ["GET", "/v1/chat/completions?limit=1", "/v1/responses"],
      ["POST", "/api/v1/files", "file_data"],
      ["POST", "/v1beta/interactions", "generateContent"],
      ["POST", `/v1beta/models/${model}:predictLongRunning`, "/v1/videos"],
    ] as const) {
      const response = await fetch(gateway.url + path, { method, headers });
      expect([path, errorOf(response)]).toEqual([path, "404 not_served"]);
      expect(await response.json()).toMatchObject({ message: expect.stringContaining(hint) });
    }
    const verb = await fetch(`${gateway.url}/v1beta/models/${model}:dream`, { method: "POST", headers });
    expect(errorOf(verb)).toBe("404 unknown_path");
  });

  test("is recorded for a key in its query, too, and a wrong base URL of Google's clients is recognised", async () => {
    lines.length = 0;
    const { secret, keyId } = await gateway.customer();
    const ask = (path: string) => fetch(`${gateway.url}${path}?key=${secret}`, { method: "POST" });
    expect(errorOf(await ask("/upload/v1beta/models/gemini:generateContent"))).toBe("404 wrong_base_url");
    expect(errorOf(await ask("/v1beta/files"))).toBe("404 not_served");
    expect(lines.map((line) => JSON.parse(line).keyId)).toEqual([keyId, keyId]);
    expect(lines.join()).not.toContain(secret);
  });

  test("is recorded for a disabled key, and not served", async () => {
    const { secret, keyId } = await gateway.customer();
    await sqlOf(gateway.runtime.db)`update api_keys set status = 'disabled' where id = ${keyId}`;
    const headers = { "x-api-key": secret };
    expect(errorOf(await fetch(`${gateway.url}/v1/files`, { headers }))).toBe("404 not_served");
    expect(JSON.parse(lines.at(-1) ?? "")).toMatchObject({ keyId, path: "GET /v1/files" });
    const deployment = await callDeployment(model, JSON.stringify({ messages }), secret);
    expect(errorOf(deployment)).toBe("403 key_disabled");
    const recorded = () =>
      sqlOf(gateway.runtime.db)`select error from calls where key_id = ${keyId} order by error desc`;
    await eventually(async () => [...(await recorded())]).toEqual([
      { error: "not_served" },
      { error: "key_disabled" },
    ]);
  });

  test("that contains a key, as a wrongly built address does, is logged without it", async () => {
    lines.length = 0;
    const { secret } = customer;
    for (const path of [`v1/files%3Fkey=${secret}`, `v1/${secret}/files`, `${secret}/v1/chat/completions`]) {
      await fetch(`${gateway.url}/${path}`, { method: "POST", headers: { "x-goog-api-key": secret } });
    }
    expect(lines).toHaveLength(3);
    expect(lines.join()).toContain("POST /v1/sk-***/files");
    expect(lines.join()).not.toContain(secret.slice(3, 20));
  });

  test("is logged once, with its caller and without its query", async () => {
    lines.length = 0;
    const headers = { authorization: `Bearer ${customer.secret}`, "user-agent": "some-client/1.0" };
    await fetch(`${gateway.url}/v1/files?key=secret`, { method: "POST", headers });
    const { keyId, accountId } = customer;
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      {
        ...{ endpoint: "unknown", path: "POST /v1/files", userAgent: "some-client/1.0" },
        ...{ keyId, accountId, address: expect.any(String), error: "not_served" },
      },
    ]);
    expect(lines.join()).not.toContain("secret");
  });

  test.each(["/v1/realtime", "/v1/models", "/v1/responses/resp_1", "/openai/realtime"])(
    "offers no websocket at %s",
    async (path) => {
      const head = `GET ${path} HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket`;
      expect(await raw(head)).toMatch(/^HTTP\/1\.1 426 /);
    },
  );

  test("with headers that are too large is refused, too", async () => {
    const answer = await raw(`GET /v1/files HTTP/1.1\r\nuser-agent: ${"a".repeat(20_000)}`);
    expect(answer).toMatch(/^HTTP\/1\.1 431 /);
  });
});

describe("the list of models", () => {
  test("works with both vendors' clients, and so does one model", async () => {
    const openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: customer.secret });
    const anthropic = new Anthropic({ baseURL: gateway.url, apiKey: customer.secret });
    expect(await openai.models.retrieve(model)).toMatchObject({ id: model, object: "model" });
    expect(await anthropic.models.retrieve(model)).toMatchObject({ id: model, type: "model" });
    const page = await anthropic.models.list({ limit: 1_000 });
    expect(page.data.map(({ id }) => id)).toContain(model);
    await expect(openai.models.retrieve("no-such-model")).rejects.toMatchObject({ status: 404 });
  });

  test("gives what is known in each vendor's format, and prices to those who pay them", async () => {
    const id = await gateway.model({
      ...{ contextWindow: 200_000, maxOutputTokens: 64_000, hasTools: true, hasThinking: true },
      inputModalities: ["image", "text"],
    });
    await gateway.channel({ baseUrl: upstream.baseUrl, model: id });
    const read = async (headers: Record<string, string>) =>
      (await fetch(`${gateway.url}/v1/models/${id}`, { headers })).json() as Promise<object>;
    const details = {
      context_length: 200_000,
      architecture: { input_modalities: ["text", "image"], output_modalities: ["text"] },
      top_provider: { context_length: 200_000, max_completion_tokens: 64_000 },
    };
    expect(await read({ authorization: `Bearer ${customer.secret}` })).toMatchObject({
      ...details,
      supported_parameters: expect.arrayContaining(["tools", "reasoning"]),
      pricing: { prompt: "0.000001", completion: "0.000002" },
    });
    const anonymous = await read({});
    expect(anonymous).toMatchObject(details);
    expect(anonymous).not.toHaveProperty("pricing");
    expect(await read({ "anthropic-version": "2023-06-01" })).toMatchObject({
      ...{ max_input_tokens: 200_000, max_tokens: 64_000, lifecycle: "active" },
      capabilities: { image_input: { supported: true }, thinking: { supported: true } },
    });
    const limits = { inputTokenLimit: 200_000, outputTokenLimit: 64_000, thinking: true };
    expect(await read({ "x-goog-api-key": customer.secret })).toMatchObject(limits);
  });

  test("is read page by page to its end", async () => {
    for (const _ of [1, 2, 3]) {
      await gateway.channel({ baseUrl: upstream.baseUrl, model: await gateway.model() });
    }
    const anthropic = new Anthropic({ baseURL: gateway.url, apiKey: customer.secret });
    const models = await collectItems(anthropic.models.list({ limit: 2 }));
    const { data } = (await (await fetch(`${gateway.url}/v1/models`)).json()) as { data: { id: string }[] };
    expect(models.map(({ id }) => id)).toEqual(data.map(({ id }) => id));
  });
});

const sendCompressed = (body: Buffer, encoding: string) => {
  const more = { headers: { "content-encoding": encoding }, body: new Uint8Array(body) };
  return gateway.post(customer.secret, "chat/completions", null, more);
};

describe("a compressed body", () => {
  const encoders = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync, zstd: zstdCompressSync };

  test.each(Object.entries(encoders))("in %s is read, small or large", async (encoding, encode) => {
    const large = { model, messages: [{ role: "user", content: "word ".repeat(100_000) }] };
    for (const body of [{ model, messages }, large]) {
      const response = await sendCompressed(encode(JSON.stringify(body)), encoding);
      expect(response.status).toBe(200);
      expect(upstream.requests.at(-1)?.body.messages).toEqual(body.messages);
    }
  });

  test("that exceeds the limit of a body is refused before all of it is unpacked", async () => {
    const bomb = gzipSync(Buffer.alloc(200 * 1024 * 1024, " "));
    expect(errorOf(await sendCompressed(bomb, "gzip"))).toBe("400 body_too_large");
  });

  test.each([
    ["gzip", Buffer.from("not compressed"), "400 invalid_json"],
    ["zstd", Buffer.from("not compressed"), "400 invalid_json"],
    ["br", Buffer.from("not compressed at all"), "400 invalid_json"],
    ["gzip", gzipSync("{}").subarray(0, 12), "400 invalid_json"],
    ["compress", Buffer.from("{}"), "415 unsupported_encoding"],
  ])("in %s that cannot be read is refused", async (encoding, body, refusal) => {
    expect(errorOf(await sendCompressed(body, encoding))).toBe(refusal);
  });
});
