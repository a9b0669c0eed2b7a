import { expect, test } from "vitest";
import { nanos, parseMoney } from "@/server/base/money";
import { sheetOf } from "@/tests/support/price-sheet";
import { anthropicForm, googleForm, openaiForm } from "./model-forms";

const million = (price: string) => parseMoney(price) ?? nanos(0n);
const tokens = {
  ...{ input: million("3"), output: million("15"), cache_read: million("0.3") },
  ...{ cache_write: million("3.75"), cache_write_1h: million("6") },
};
const prices = sheetOf(tokens);
const unknown = {
  ...{ id: "m", kind: "chat" as const, ownedBy: "us", createdAt: new Date(1_700_000_000_000) },
  ...{ maxOutputTokens: 64_000, contextWindow: null, inputModalities: null, outputModalities: null },
  ...{ hasTools: null, hasThinking: null, prices },
};
const fullModel = {
  ...unknown,
  ...{ contextWindow: 200_000, hasTools: true, hasThinking: true },
  inputModalities: ["text" as const, "image" as const],
  prices: sheetOf({ ...tokens, web_search: million("0.01"), audio_input: million("9") }),
};
const basis = { id: "m", object: "model", created: 1_700_000_000, owned_by: "us", name: "m" };
const pricing = {
  ...{ prompt: "0.000003", completion: "0.000015", input_cache_read: "0.0000003" },
  ...{ input_cache_write: "0.00000375", currency: "CNY" },
};

test.each([
  [
    "with all facts",
    openaiForm(fullModel, "CNY"),
    {
      ...basis,
      ...{ context_length: 200_000, context_window: 200_000, max_model_len: 200_000 },
      architecture: { input_modalities: ["text", "image"], output_modalities: ["text"] },
      top_provider: { context_length: 200_000, max_completion_tokens: 64_000 },
      supported_parameters: ["max_tokens", "stop", "tools", "tool_choice", "reasoning", "reasoning_effort"],
      pricing: { ...pricing, web_search: "0.01" },
    },
  ],
  [
    "without facts, for a client without a key",
    openaiForm(unknown, null),
    {
      ...basis,
      architecture: { output_modalities: ["text"] },
      top_provider: { max_completion_tokens: 64_000 },
    },
  ],
  [
    "without tools and with unknown thinking",
    openaiForm({ ...unknown, hasTools: false }, null).supported_parameters,
    ["max_tokens", "stop"],
  ],
  [
    "of embeddings",
    openaiForm({ ...unknown, kind: "embedding", contextWindow: 8_192 }, "USD"),
    {
      ...basis,
      ...{ context_length: 8_192, context_window: 8_192, max_model_len: 8_192 },
      architecture: { output_modalities: ["embeddings"] },
      pricing: { prompt: "0.000003", completion: "0", currency: "USD" },
    },
  ],
  [
    "with the smallest price, with a large one, and without a price",
    (["0.000000001", "999999.999999999", "0"] as const).map(
      (price) =>
        openaiForm({ ...unknown, prices: sheetOf({ ...tokens, input: million(price) }) }, "USD").pricing
          ?.prompt,
    ),
    ["0.000000000000001", "0.999999999999999", "0"],
  ],
])("OpenAI's form of a model %s", (_of, form, expected) => {
  expect(form).toEqual(expected);
});

const dated = { type: "model", id: "m", display_name: "m", created_at: "2023-11-14T22:13:20.000Z" };
const standing = { lifecycle: "active", line: null, deprecated_at: null, retires_at: null };

test.each([
  [
    fullModel,
    {
      ...{ max_input_tokens: 200_000, max_tokens: 64_000 },
      capabilities: {
        ...{ image_input: { supported: true }, pdf_input: { supported: false } },
        thinking: { supported: true },
      },
    },
  ],
  [unknown, { max_input_tokens: null, max_tokens: 64_000, capabilities: null }],
  [
    { ...unknown, kind: "rerank" as const, hasThinking: false },
    { max_input_tokens: null, max_tokens: null, capabilities: { thinking: { supported: false } } },
  ],
])("Anthropic's form has all of its members, and null for unknown facts (%#)", (model, expected) => {
  expect(anthropicForm(model)).toEqual({ ...dated, ...standing, ...expected });
});

test.each([
  [
    fullModel,
    {
      ...{ inputTokenLimit: 200_000, outputTokenLimit: 64_000, thinking: true },
      supportedGenerationMethods: ["generateContent", "countTokens"],
    },
  ],
  [unknown, { outputTokenLimit: 64_000, supportedGenerationMethods: ["generateContent", "countTokens"] }],
  [
    { ...unknown, kind: "embedding" as const },
    { supportedGenerationMethods: ["embedContent", "batchEmbedContents"] },
  ],
  [{ ...unknown, kind: "image" as const }, { supportedGenerationMethods: ["predict"] }],
  [{ ...unknown, kind: "rerank" as const }, { supportedGenerationMethods: [] }],
])("Google's form has the known limits, and methods by kind (%#)", (model, expected) => {
  const named = { name: "models/m", baseModelId: "m", displayName: "m", description: "m", version: "001" };
  expect(googleForm(model)).toEqual({ ...named, ...expected });
});
