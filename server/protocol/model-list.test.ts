import { expect, test } from "vitest";
import { decimalsOf } from "@/server/pricing";
import { readModelList } from "./model-list";

const only = (body: unknown) => readModelList(body)?.models[0];
const unsaid = { kind: null, contextWindow: null, maxOutputTokens: null, prices: null };

test("OpenAI's list names models and nothing else", () => {
  const body = { object: "list", data: [{ id: "gpt-4.1", object: "model", owned_by: "system" }] };
  expect(readModelList(body)).toEqual({ models: [{ name: "gpt-4.1", ...unsaid }], next: null, isLast: true });
});

test("Anthropic's list has both limits, and names the query of its next page", () => {
  const model = { type: "model", id: "claude-opus-4-6", max_input_tokens: 1_000_000, max_tokens: 128_000 };
  const body = { data: [model], has_more: true, first_id: "a", last_id: "claude-opus-4-6" };
  expect(readModelList(body)).toEqual({
    models: [{ ...unsaid, name: "claude-opus-4-6", contextWindow: 1_000_000, maxOutputTokens: 128_000 }],
    next: "after_id=claude-opus-4-6",
    isLast: false,
  });
  expect(readModelList({ ...body, has_more: false })).toMatchObject({ next: null, isLast: true });
  // The vendor has more, and does not say how to ask for it.
  expect(readModelList({ ...body, last_id: undefined })).toMatchObject({ next: null, isLast: false });
});

test("Google's list has the collection before each name, and methods that show the kind", () => {
  const model = (name: string, method: string) => ({
    name: `models/${name}`,
    inputTokenLimit: 1_048_576,
    outputTokenLimit: 65_536,
    supportedGenerationMethods: [method],
  });
  const list = readModelList({
    models: [model("gemini-2.5-pro", "generateContent"), model("gemini-embedding-001", "embedContent")],
    nextPageToken: "a b",
  });
  expect(list?.next).toBe("pageToken=a%20b");
  expect(list?.models.map(({ name, kind, maxOutputTokens }) => [name, kind, maxOutputTokens])).toEqual([
    ["gemini-2.5-pro", "chat", 65_536],
    ["gemini-embedding-001", "embedding", 65_536],
  ]);
});

test("a price of one token becomes the price of a million, exactly, and one for both limits is the window", () => {
  const model = {
    id: "openai/gpt-4.1-nano",
    context_length: 1_047_576,
    top_provider: { max_completion_tokens: 32_768 },
    pricing: { prompt: "0.0000001", completion: "0.0000004", input_cache_read: "0.000000025", image: "0" },
  };
  const read = only({ data: [model] });
  expect(read).toMatchObject({ contextWindow: 1_047_576, maxOutputTokens: 32_768 });
  expect(read?.prices && decimalsOf(read.prices)).toEqual({
    input: "0.1",
    output: "0.4",
    cache_read: "0.025",
  });
  const whole = { id: "m", context_window: 4_096, max_tokens: 4_096 };
  expect(only([whole])).toMatchObject({ contextWindow: 4_096, maxOutputTokens: null });
});

test("a bare array with prices of a million tokens is Together's", () => {
  const body = [{ id: "a/b", type: "embedding", context_length: 512, pricing: { input: 0.008, output: 0 } }];
  const read = only(body);
  expect(read).toMatchObject({ kind: "embedding", contextWindow: 512 });
  expect(read?.prices && decimalsOf(read.prices)).toEqual({ input: "0.008" });
});

test.each([
  ["a negative price", { pricing: { prompt: "-1", completion: "-1" } }],
  ["a word for a price", { pricing: { prompt: "free", completion: "0" } }],
  ["limits that are no counts", { context_length: "128k", max_tokens: -1, pricing: null }],
])("%s is unknown", (_, members) => {
  expect(only({ data: [{ id: "m", ...members }] })).toEqual({ name: "m", ...unsaid });
});

test.each([null, 7, "models", {}, { data: {} }, { error: { message: "no" } }])("%j is no list", (body) => {
  expect(readModelList(body)).toBeNull();
});

test("entries without a usable name are left out", () => {
  const unusable = ["", "a\nb", "half \ud800 a pair", "x".repeat(257)].map((id) => ({ id }));
  const data = [...unusable, "text", null, { id: "__proto__" }];
  expect(readModelList({ data })?.models.map(({ name }) => name)).toEqual(["__proto__"]);
});

test.each(["-1", "1e-7", "999999999", "free"])(
  "a model with the price %j of its output has no list price: the other price alone would sell it short",
  (completion) => {
    const model = { id: "a/b", pricing: { prompt: "0.000002", completion } };
    expect(only({ data: [model] })?.prices).toBeNull();
  },
);
