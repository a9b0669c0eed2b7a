import { Ajv2020 } from "ajv/dist/2020.js";
import { beforeAll, describe, expect, test } from "vitest";
import { documentIn } from "@/app/docs/documents";
import { nanos, parseMoney } from "@/server/base/money";
import { perFile } from "@/tests/support/per-file";
import { sharedGateway } from "@/tests/support/shared-gateway";

const gateway = perFile(sharedGateway);
const customer = perFile(() => gateway.customer());

const document = documentIn("en");
const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema({ ...document, $id: "api" });

type MediaTypes = Record<string, { schema?: { $ref: string } }>;
type Described = { content?: MediaTypes; "x-error-codes"?: string[] };

/** The document's description of an operation's answer with this status. */
function answerAt(method: string, path: string, status: number): Described | undefined {
  const operations = document.paths[path] as Record<string, { responses: Record<string, Described> }>;
  return operations[method.toLowerCase()]?.responses[String(status)];
}

/** Sends a call and checks the answer against the document. `path` is the document's, `at` has its parameters. */
type CallInput = { at?: Record<string, string>; body?: object; headers?: Record<string, string> };
async function call(method: string, path: string, { at = {}, body, headers = {} }: CallInput = {}) {
  const target = path.replace(/\{(\w+)\}/g, (_, name: string) => at[name] ?? "");
  const answer = await fetch(gateway.url + target, {
    method,
    headers: { authorization: `Bearer ${customer.secret}`, "content-type": "application/json", ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
  const json = (await answer.json()) as Record<string, unknown>;
  const declaration = answerAt(method, path, answer.status);
  expect(declaration, `${method} ${path} ${answer.status} ${JSON.stringify(json)}`).toBeDefined();
  const slug = answer.headers.get("x-error-code");
  if (slug !== null) {
    expect(declaration?.["x-error-codes"]).toContain(slug);
  }
  const { $ref } = declaration?.content?.["application/json"]?.schema ?? { $ref: "" };
  const validate = ajv.getSchema(`api${$ref}`);
  validate?.(json);
  expect(validate?.errors ?? [], JSON.stringify(json)).toEqual([]);
  expect(validate).toBeDefined();
  return { status: answer.status, json, slug };
}

beforeAll(async () => {
  const price = parseMoney("0.05") ?? nanos(0n);
  for (const [id, kind] of [
    ["sandbox-chat", "chat"],
    ["sandbox-reasoner", "chat"],
    ["sandbox-embedding", "embedding"],
    ["sandbox-video-turbo", "video"],
  ] as const) {
    const videoPrices = kind === "video" ? [{ durationSeconds: 5, resolution: "720p" as const, price }] : [];
    await gateway.model({ id, kind, videoPrices });
    await gateway.channel({ model: id, dialect: "sandbox", baseUrl: "sandbox:", models: { [id]: id } });
  }
});

const messages = [{ role: "user", content: "Hello" }];
const version = { headers: { "anthropic-version": "2023-06-01" } };
const chat = { body: { model: "sandbox-reasoner", messages, max_tokens: 4096 } };

const embed = { model: "sandbox-embedding", input: "a" };
const parts = [{ text: "Hello" }];
const google = { at: { model: "sandbox-chat" }, body: { contents: [{ role: "user", parts }] } };
const googleEmbed = { at: { model: "sandbox-embedding" }, body: { content: { parts } } };

describe("an answer matches the OpenAPI document:", () => {
  test.each([
    ["GET", "/v1/models", {}, 200],
    ["GET", "/v1/models", version, 200],
    ["GET", "/v1/models", { headers: { "x-goog-api-key": "sk-none" } }, 200],
    ["GET", "/v1/models/{model}", { at: { model: "sandbox-chat" } }, 200],
    ["GET", "/v1/models/{model}", { at: { model: "none" } }, 404],
    ["POST", "/v1/chat/completions", chat, 200],
    ["POST", "/v1/chat/completions", { body: { ...chat.body, usage: { include: true } } }, 200],
    ["POST", "/v1/chat/completions", { body: {} }, 400],
    ["POST", "/v1/chat/completions", { ...chat, headers: { authorization: "Bearer sk-none" } }, 401],
    ["POST", "/v1/chat/completions", { body: { model: "none", messages } }, 404],
    ["POST", "/v1/messages", { ...chat, ...version }, 200],
    ["POST", "/v1/messages", chat, 400],
    ["POST", "/v1/messages/count_tokens", { ...chat, ...version }, 200],
    ["POST", "/v1/completions", { body: { model: "sandbox-chat", prompt: "Hello" } }, 200],
    ["POST", "/v1/embeddings", { body: { model: "sandbox-embedding", input: ["a", "b"] } }, 200],
    ["POST", "/v1/embeddings", { body: { ...embed, encoding_format: "base64" } }, 200],
    ["POST", "/v1/embeddings", { ...chat, headers: { "content-encoding": "rar" } }, 415],
    ["POST", "/v1/rerank", { body: { model: "sandbox-chat", query: "q", documents: ["a"] } }, 404],
    ["POST", "/v1beta/models/{model}:generateContent", google, 200],
    ["POST", "/v1beta/models/{model}:countTokens", google, 200],
    ["POST", "/v1beta/models/{model}:embedContent", googleEmbed, 200],
    ["POST", "/v1/videos/{video_id}/remix", { at: { video_id: "task_none" }, body: {} }, 400],
  ] as const)("%s %s %j: %i", async (...[method, path, request, status]) => {
    expect(await call(method, path, request)).toMatchObject({ status });
  });

  /** The slug of a refusal, or the status. */
  const endOf = async (...args: Parameters<typeof call>) => {
    const { status, slug } = await call(...args);
    return slug ?? status;
  };

  test("responses, from creation to deletion", async () => {
    const created = await call("POST", "/v1/responses", { body: { model: "sandbox-chat", input: "Hello" } });
    const at = { response_id: String(created.json.id) };
    const path = "/v1/responses/{response_id}";
    expect(await endOf("GET", path, { at })).toBe(200);
    expect(await endOf("GET", `${path}/input_items`, { at })).toBe(200);
    expect(await endOf("POST", `${path}/cancel`, { at })).toBe("not_cancellable");
    expect(await endOf("DELETE", path, { at })).toBe(200);
    expect(await endOf("GET", path, { at })).toBe("response_not_found");
    const body = { model: "sandbox-chat", input: "Hello", previous_response_id: created.json.id };
    expect(await endOf("POST", "/v1/responses", { body })).toBe("previous_response_not_found");
  });

  test("conversations, from creation to deletion", async () => {
    const items = [{ role: "user", content: "Hello" }];
    const created = await call("POST", "/v1/conversations", { body: { items, metadata: { a: "b" } } });
    const at = { conversation_id: String(created.json.id) };
    const path = "/v1/conversations/{conversation_id}";
    const body = { model: "sandbox-chat", input: "Hello", conversation: created.json.id };
    expect(await endOf("POST", "/v1/responses", { body })).toBe(200);
    expect(await endOf("GET", path, { at })).toBe(200);
    expect(await endOf("POST", path, { at, body: { metadata: null } })).toBe(200);
    expect(await endOf("POST", path, { at, body: {} })).toBe("invalid_parameters");
    const added = await call("POST", `${path}/items`, { at, body: { items } });
    expect(await endOf("GET", `${path}/items`, { at })).toBe(200);
    const itemParams = { ...at, item_id: String(added.json.first_id) };
    expect(await endOf("GET", `${path}/items/{item_id}`, { at: itemParams })).toBe(200);
    expect(await endOf("DELETE", `${path}/items/{item_id}`, { at: itemParams })).toBe(200);
    expect(await endOf("GET", `${path}/items/{item_id}`, { at: itemParams })).toBe("conversation_not_found");
    expect(await endOf("DELETE", path, { at })).toBe(200);
    expect(await endOf("POST", "/v1/responses", { body })).toBe("conversation_not_found");
  });

  test("a video task, in both APIs", async () => {
    const body = { model: "sandbox-video-turbo", prompt: "A cat" };
    const submitted = await call("POST", "/v1/videos/generations", { body });
    expect(submitted.status).toBe(202);
    const at = { task_id: String(submitted.json.id) };
    const path = "/v1/videos/generations";
    expect(await endOf("GET", `${path}/{task_id}`, { at })).toBe(200);
    expect(await endOf("GET", "/v1/videos/{video_id}", { at: { video_id: at.task_id } })).toBe(200);
    expect(await endOf("GET", "/v1/videos")).toBe(200);
    expect(await endOf("POST", "/v1/videos", { body: { ...body, seconds: "5" } })).toBe(200);
    expect(await endOf("POST", path, { body: { ...body, duration: 10 } })).toBe("video_not_priced");
    expect(await endOf("GET", `${path}/{task_id}`, { at: { task_id: "task_none" } })).toBe("task_not_found");
    const other = await gateway.customer();
    const headers = { authorization: `Bearer ${other.secret}` };
    expect(await endOf("GET", `${path}/{task_id}`, { at, headers })).toBe("task_forbidden");
  });
});
