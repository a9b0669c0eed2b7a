import { createConnection } from "node:net";
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { listCalls } from "@/server/calls";
import { startGateway } from "@/tests/support/gateway";
import { perFile, servedModel } from "@/tests/support/per-file";
import { sharedGateway } from "@/tests/support/shared-gateway";
import { until } from "@/tests/support/until";
import { answerWith, startUpstream } from "@/tests/support/upstream";

const gateway = perFile(sharedGateway);
const upstream = perFile(() => startUpstream(answerWith("Hello there")));
const model = servedModel({ gateway, upstream });
const customer = perFile(() => gateway.customer());

describe("the list of models", () => {
  test("is read by both vendors' clients, and so is one model", async () => {
    const openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: customer.secret });
    const anthropic = new Anthropic({ baseURL: gateway.url, apiKey: customer.secret });
    expect(await openai.models.retrieve(model)).toMatchObject({ id: model, object: "model" });
    expect(await anthropic.models.retrieve(model)).toMatchObject({ id: model, type: "model" });
    const page = await anthropic.models.list({ limit: 1_000 });
    expect(page.data.map(({ id }) => id)).toContain(model);
    await expect(openai.models.retrieve("no-such-model")).rejects.toMatchObject({ status: 404 });
  });

  test("is read page by page to its end", async () => {
    await Promise.all([1, 2, 3].map(() => servedBy()));
    const anthropic = new Anthropic({ baseURL: gateway.url, apiKey: customer.secret });
    const seen: string[] = [];
    for await (const each of anthropic.models.list({ limit: 2 })) {
      seen.push(each.id);
    }
    const { data } = (await (await fetch(`${gateway.url}/v1/models`)).json()) as { data: { id: string }[] };
    expect(seen).toEqual(data.map(({ id }) => id));
  });

  test("has no model that no enabled channel serves", async () => {
    const unserved = await gateway.model();
    const { data } = (await (await fetch(`${gateway.url}/v1/models`)).json()) as { data: { id: string }[] };
    expect(data.map(({ id }) => id)).not.toContain(unserved);
    expect((await fetch(`${gateway.url}/v1/models/${unserved}`)).status).toBe(404);
  });

  test.each(["vendor/with/slashes", "vendor%2Fwith%2Fslashes"])("finds an identifier like %s", async (id) => {
    const name = await gateway.model({ id: decodeURIComponent(id) }).catch(() => decodeURIComponent(id));
    await gateway.channel({ baseUrl: upstream.baseUrl, model: name }).catch(() => {});
    const response = await fetch(`${gateway.url}/v1/models/${id}`);
    expect(await response.json()).toMatchObject({ id: "vendor/with/slashes" });
  });

  test.each(["%", "%zz", "..%2f..%2fadmin", "a".repeat(5_000)])("says 404 to %j", async (id) => {
    expect((await fetch(`${gateway.url}/v1/models/${id}`)).status).toBe(404);
  });
});

async function servedBy(): Promise<void> {
  await gateway.channel({ baseUrl: upstream.baseUrl, model: await gateway.model() });
}

const chat = { messages: [{ role: "user", content: "hi" }] };
const send = (body: Buffer, encoding: string) =>
  fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${customer.secret}`,
      "content-type": "application/json",
      "content-encoding": encoding,
    },
    body: new Uint8Array(body),
  });

describe("a compressed body", () => {
  const encoders = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync, zstd: zstdCompressSync };

  test.each(Object.entries(encoders))("in %s is read, small or large", async (encoding, encode) => {
    const large = { model, messages: [{ role: "user", content: "word ".repeat(100_000) }] };
    for (const body of [{ model, ...chat }, large]) {
      const response = await send(encode(JSON.stringify(body)), encoding);
      expect(response.status).toBe(200);
      expect(upstream.asked.at(-1)?.body.messages).toEqual(body.messages);
    }
  });

  test("that holds more than a body may is refused before it is all there", async () => {
    const bomb = gzipSync(Buffer.alloc(200 * 1024 * 1024, " "));
    const response = await send(bomb, "gzip");
    expect([response.status, response.headers.get("x-error-code")]).toEqual([400, "body_too_large"]);
  });

  test.each([
    ["gzip", Buffer.from("not compressed"), "400 invalid_json"],
    ["zstd", Buffer.from("not compressed"), "400 invalid_json"],
    ["br", Buffer.from("not compressed at all"), "400 invalid_json"],
    ["gzip", gzipSync("{}").subarray(0, 12), "400 invalid_json"],
    ["compress", Buffer.from("{}"), "415 unsupported_encoding"],
  ])("in %s that cannot be read is refused", async (encoding, body, refusal) => {
    const response = await send(body, encoding);
    expect(`${response.status} ${response.headers.get("x-error-code")}`).toBe(refusal);
  });
});

test("a websocket is refused at once, in the status that Codex goes on from", async () => {
  const { hostname, port } = new URL(gateway.url);
  const answer = await new Promise<string>((resolve, reject) => {
    const socket = createConnection({ host: hostname, port: Number(port) });
    socket.write(
      `GET /v1/responses HTTP/1.1\r\nHost: ${hostname}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n",
    );
    socket.once("data", (data) => {
      resolve(data.toString());
      socket.destroy();
    });
    socket.once("error", reject);
  });
  expect(answer).toMatch(/^HTTP\/1\.1 426 /);
  expect(answer.toLowerCase()).toContain("\r\nupgrade: http/1.1\r\n");
});

describe("a wrong base URL", () => {
  test.each([
    ["/chat/completions", "/v1/chat/completions"],
    ["/v1/v1/chat/completions", "/v1/chat/completions"],
    ["/v1/chat/completions/v1/messages", "/v1/messages"],
    ["/messages/", "/v1/messages"],
    ["/completions", "/v1/completions"],
    ["/v1/v1/rerank", "/v1/rerank"],
  ])("%s is told the right path, in JSON", async (path, right) => {
    const response = await fetch(`${gateway.url}${path}`, { method: "POST", body: "{}" });
    expect(response.status).toBe(404);
    expect(response.headers.get("x-error-code")).toBe("wrong_base_url");
    expect(((await response.json()) as { message: string }).message).toContain(`-> ${right}`);
  });

  test("is seen in the list of requests of the key that called, as is a path that nobody has", async () => {
    const { secret, accountId } = await gateway.customer();
    for (const path of ["/v1/v1/models", "/v1/fine_tuning/jobs?key=hidden"]) {
      await fetch(`${gateway.url}${path}`, { headers: { authorization: `Bearer ${secret}` } });
    }
    const endpoints = async () =>
      (await listCalls(gateway.runtime.db, { accountId }, { limit: 10 })).rows.map((row) => row.endpoint);
    await until(async () => (await endpoints()).length === 2, 5_000);
    expect((await endpoints()).sort()).toEqual(["GET /v1/fine_tuning/jobs", "GET /v1/v1/models"]);
  });
});

describe("a page of another origin", () => {
  const open = perFile(() => startGateway({ env: { CORS_ORIGINS: "https://app.example.com/" } }));
  const preflight = (url: string, origin: string) =>
    fetch(`${url}/v1/chat/completions`, {
      method: "OPTIONS",
      headers: {
        origin,
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization,content-type,x-stainless-os",
      },
    });

  test("may call where it is named, without a key for the question", async () => {
    const asked = await preflight(open.url, "https://app.example.com");
    expect(asked.status).toBe(204);
    expect(asked.headers.get("access-control-allow-origin")).toBe("https://app.example.com");
    expect(asked.headers.get("access-control-allow-headers")).toContain("authorization");
    const refused = await fetch(`${open.url}/v1/chat/completions`, {
      method: "POST",
      headers: { origin: "https://app.example.com" },
      body: "{}",
    });
    expect(refused.status).toBe(401);
    expect(refused.headers.get("access-control-allow-origin")).toBe("https://app.example.com");
    expect(refused.headers.get("access-control-allow-credentials")).toBeNull();
  });

  test("may not where another one is, or none", async () => {
    const other = await preflight(open.url, "https://evil.example.com");
    expect(other.headers.get("access-control-allow-origin")).toBeNull();
    const closed = await preflight(gateway.url, "https://app.example.com");
    expect([closed.status, closed.headers.get("access-control-allow-origin")]).toEqual([405, null]);
  });
});
