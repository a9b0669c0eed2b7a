import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { startGateway } from "@/tests/support/gateway";
import { perFile, servedModel } from "@/tests/support/per-file";
import { answerWith, startUpstream } from "@/tests/support/upstream";

const gateway = perFile(() => startGateway());
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
