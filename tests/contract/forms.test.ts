import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { finished } from "node:stream/promises";
import OpenAI, { AzureOpenAI, toFile } from "openai";
import { describe, expect, test, vi } from "vitest";
import { nanos, parseMoney } from "@/server/base/money";
import { perFile, served } from "@/tests/support/per-file";
import { field, fileField, formOf, wavOf } from "@/tests/support/sound";
import { sleep, until } from "@/tests/support/until";
import { answerJson } from "@/tests/support/upstream";

const heard = { text: "Hello.", usage: { type: "duration", seconds: 3 } };
const input = { input_tokens: 432, input_tokens_details: { text_tokens: 44, image_tokens: 388 } };
const painted = { created: 1, data: [{ b64_json: "AAAA" }], usage: { ...input, output_tokens: 4_160 } };
const price = (text: string) => parseMoney(text) ?? nanos(0n);
const priced = (unit: string, text: string) => ({ unitPrices: [{ unit, price: price(text) }] });
const ofSound = { kind: "transcription" as const, ...priced("second", "0.006") };
const { gateway, upstream: listener, model } = served(answerJson(heard), ofSound);
const perToken = { inputPrice: price("5"), outputPrice: price("40"), ...priced("image_input", "10") };
const ofPictures = { kind: "image" as const, ...perToken };
const { upstream: painter, model: imageModel } = served(answerJson(painted), ofPictures);
const customer = perFile(() => gateway.customer({ quota: "100" }));

const MB = 1024 * 1024;
const TYPE = "multipart/form-data; boundary=b0undary";
type Send = { path?: string; type?: string; headers?: Record<string, string>; secret?: string };

const send = (
  body: Uint8Array<ArrayBuffer> | string,
  { path = "audio/transcriptions", type = TYPE, headers, secret = customer.secret }: Send = {},
) => gateway.post(secret, path, body, { headers: { "content-type": type, ...headers }, body });

const file = fileField("file", wavOf(1));
const whole = () => formOf([field("model", model), file]);
const outcomeOf = async (response: Response) => ({
  status: response.status,
  slug: response.headers.get("x-error-code"),
  body: (await response.json()) as Record<string, unknown>,
});

describe("an invalid form", () => {
  test("in JSON is a 400 that names the right content type", async () => {
    const answer = await outcomeOf(await send(JSON.stringify({ model }), { type: "application/json" }));
    expect(answer).toMatchObject({ status: 400, slug: "invalid_content_type" });
    expect(answer.body.message).toContain("multipart/form-data");
  });

  test("that is too large is refused", async () => {
    const large = fileField("file", Buffer.alloc(33 * 1024 * 1024));
    const answer = await outcomeOf(await send(formOf([field("model", model), large])));
    expect(answer).toMatchObject({ status: 400, slug: "body_too_large" });
  });

  test("that is too large and slow is refused, and its connection is not reset", async () => {
    const { port } = new URL(gateway.url);
    const headers = { "x-api-key": customer.secret, "content-type": TYPE, "content-length": 33 * MB };
    const sending = request({ port, path: "/v1/audio/transcriptions", method: "POST", headers });
    const answered = once(sending, "response") as Promise<[IncomingMessage]>;
    sending.write(Buffer.alloc(MB));
    // The server has answered by then, and reads the rest only to drop it.
    await sleep(700);
    sending.end(Buffer.alloc(32 * MB));
    const [response] = await answered;
    expect([response.statusCode, response.headers["x-error-code"]]).toEqual([400, "body_too_large"]);
    // An unread answer would keep the request open until the server ends the idle connection.
    response.resume();
    await finished(sending);
  });
});

describe("a form", () => {
  test("that its client sends for longer than ten seconds does not count as a late call", async () => {
    const { port } = new URL(gateway.url);
    const form = Buffer.from(whole());
    const headers = { "x-api-key": customer.secret, "content-type": TYPE, "content-length": form.byteLength };
    const sending = request({ port, path: "/v1/audio/transcriptions", method: "POST", headers });
    const answered = once(sending, "response") as Promise<[IncomingMessage]>;
    sending.write(form.subarray(0, 100));
    await until(() => gateway.runtime.access.liveCalls() > 0);
    const now = performance.now.bind(performance);
    const clock = vi.spyOn(performance, "now").mockImplementation(() => now() + 11_000);
    sending.end(form.subarray(100));
    const [response] = await answered;
    clock.mockRestore();
    expect(response.statusCode).toBe(200);
    response.resume();
  });

  test("is charged once for its Idempotency-Key, whatever lies between its parts", async () => {
    listener.requests.length = 0;
    const headers = { "idempotency-key": "one" };
    const first = await (await send(whole(), { headers })).text();
    const other = formOf([field("model", model), file], "another-boundary");
    const type = "multipart/form-data; boundary=another-boundary";
    const again = await send(other, { headers, type });
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(await again.text()).toBe(first);
    expect(listener.requests).toHaveLength(1);
    const changed = formOf([field("model", model), fileField("file", wavOf(2))]);
    expect((await outcomeOf(await send(changed, { headers }))).slug).toBe("idempotency_mismatch");
  });

  test("of Azure's clients names its model in the address", async () => {
    const azure = new AzureOpenAI({
      apiKey: customer.secret,
      endpoint: gateway.url,
      apiVersion: "2025-04-01-preview",
      maxRetries: 0,
    });
    const upload = await toFile(wavOf(1), "a.wav");
    expect((await azure.audio.transcriptions.create({ model, file: upload })).text).toBe("Hello.");
    const bare = await fetch(`${gateway.url}/openai/deployments/${model}/audio/translations`, {
      method: "POST",
      headers: { "api-key": customer.secret, "content-type": TYPE },
      body: formOf([file]),
    });
    expect(bare.status).toBe(200);
    expect(listener.requests.at(-1)?.raw).toContain('name="model"');
  });
});

describe("POST /v1/images/edits", () => {
  const png = Buffer.from("89504e470d0a1a0a", "hex");

  test("takes pictures and a mask from the official SDK, and charges what the upstream counts", async () => {
    const own = await gateway.customer();
    const client = new OpenAI({ apiKey: own.secret, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
    const picture = () => toFile(png, "a.png", { type: "image/png" });
    const edited = await client.images.edit({
      model: imageModel,
      image: [await picture(), await picture()],
      mask: await picture(),
      prompt: "a collage",
      n: 1,
    });
    expect(edited.data?.[0]?.b64_json).toBe("AAAA");
    expect(painter.requests.at(-1)?.path).toBe("/v1/images/edits");
    expect(painter.requests.at(-1)?.raw.match(/name="image\[\]"/g)).toHaveLength(2);
    // 44 x 5 + 388 x 10 + 4,160 x 40, of a million.
    expect(await gateway.entries(own.accountId)).toMatchObject([
      { kind: "capture", amount: 170_500_000n, units: { image_input: 388 }, inputTokens: 44 },
    ]);
  });

  test.each(["image[]", "references[]"])("freezes money for each picture, as %s", async (name) => {
    const own = await gateway.customer({ quota: "0.2" });
    const others = Array.from({ length: 15 }, () => fileField(name, png));
    const fields = [field("model", imageModel), field("prompt", "a"), fileField("image", png), ...others];
    const refused = await send(formOf(fields), { path: "images/edits", secret: own.secret });
    expect(refused.status).toBe(402);
  });

  test.each([
    [
      "a request for eleven pictures by another name",
      [field("prompt", "a"), fileField("image", png), field("num_images", "11")],
    ],
    [
      "a request that names another model, too,",
      [field("prompt", "a"), fileField("image", png), field("models[]", "other")],
    ],
  ])("%s is a 400", async (_how, fields) => {
    const body = formOf([field("model", imageModel), ...fields]);
    expect((await send(body, { path: "images/edits" })).status).toBe(400);
  });
});
