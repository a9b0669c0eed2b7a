import { expect, test } from "vitest";
import type { VendorApi } from "@/server/domain/enums";
import { type Capabilities, usualCapabilities } from "@/server/protocol/capabilities";
import { refusableMembers } from "@/server/protocol/scalar-members";
import { findVendor, guessVendor, vendors } from "../vendors";
import { capabilitiesOf, dialectOf, isKnownApi, overridesSchema } from "./capabilities";

const subject = {
  dialect: "openai",
  vendor: null,
  baseUrl: "https://llm.example.com/v1",
  upstreamName: "some-model",
  overrides: null,
} as const;

const at = (vendor: string, upstreamName: string) =>
  capabilitiesOf({ ...subject, dialect: findVendor(vendor)?.dialect ?? "openai", vendor, upstreamName });

test("an upstream without settings has the usual capabilities of its dialect", () => {
  expect(capabilitiesOf(subject)).toEqual(usualCapabilities.chat);
  expect(capabilitiesOf({ ...subject, dialect: "anthropic" })).toEqual(usualCapabilities.messages);
  expect(capabilitiesOf({ ...subject, dialect: "sandbox", baseUrl: "sandbox:" })).toEqual(
    usualCapabilities.chat,
  );
});

test("the operator's setting beats the model's, the model's the vendor's, and the vendor's the dialect's", () => {
  const kimi = { ...subject, vendor: "moonshot", upstreamName: "kimi-k3" };
  expect(capabilitiesOf(kimi)).toMatchObject({
    jsonSchema: true, // dialect
    images: "data", // vendor
    thinking: "effort", // model
    effortLevels: ["low", "high", "max"],
  });
  expect(capabilitiesOf({ ...kimi, overrides: { thinking: "none", effortLevels: [] } })).toMatchObject({
    images: "data",
    thinking: "none",
    effortLevels: [],
  });
});

test.each([
  ["https://api.openai.com/v1", "openai", "openai"],
  ["https://mine.openai.azure.com/openai/v1", "openai", "azure-openai"],
  ["https://api.deepseek.com", "openai", "deepseek"],
  ["https://api.deepseek.com/anthropic/v1", "anthropic", "deepseek-anthropic"],
  ["https://api.z.ai/api/coding/paas/v4", "openai", "zai"],
  ["http://localhost:8000/v1", "openai", undefined],
  ["https://api.openai.com.evil.example/v1", "openai", undefined],
] as const)("a channel at %s in dialect %s without a vendor counts as %s", (baseUrl, dialect, vendor) => {
  expect(guessVendor(baseUrl, dialect)?.id).toBe(vendor);
});

test("a vendor that this version does not know counts as no vendor", () => {
  expect(capabilitiesOf({ ...subject, vendor: "gone" })).toEqual(usualCapabilities.chat);
});

test.each([
  ["openai", "gpt-4o", ["metadata", "verbosity"]],
  ["openai", "gpt-5.1", ["metadata", "prompt_cache_retention"]],
  ["openai", "gpt-5.1-codex-mini", ["verbosity"]],
  ["openai", "gpt-4o-search-preview", ["seed", "prompt_cache_key"]],
  ["ollama", "llama3.3", ["prompt_cache_key", "verbosity"]],
  ["groq", "openai/gpt-oss-120b", ["prompt_cache_key", "logit_bias"]],
  ["fireworks", "any", ["prompt_cache_key"]],
  ["gemini-native", "gemini-2.5-pro", ["frequency_penalty"]],
])("%s gets for %s no member that its API refuses: %j", (vendor, model, refused) => {
  expect(at(vendor, model).refusedMembers).toEqual(expect.arrayContaining(refused));
});

test("OpenAI's Responses API accepts metadata and cache keys, and any verbosity for GPT-5", () => {
  expect(at("openai-responses", "gpt-4o").refusedMembers).toEqual(["prompt_cache_retention", "verbosity"]);
  expect(at("openai-responses", "gpt-5.1").refusedMembers).toEqual(["prompt_cache_retention"]);
});

const everyRefusable = expect.arrayContaining(refusableMembers);

test.each([
  ["openai", "https://llm.internal.example/v1", "llama"],
  ["openai-responses", "https://llm.internal.example/v1", "gpt-5.1"],
  ["openai", "https://mine.services.ai.azure.com/openai/v1", "mistral-large"],
] as const)("an upstream of %s at %s for %s gets no member that it may refuse", (...row) => {
  const [dialect, baseUrl, upstreamName] = row;
  const unknown = { dialect, baseUrl, upstreamName, vendor: null, overrides: null };
  expect(capabilitiesOf(unknown).refusedMembers).toEqual(everyRefusable);
  expect(capabilitiesOf({ ...unknown, overrides: { refusedMembers: [] } }).refusedMembers).toEqual([]);
});

test("a Gemini upstream at any address gets a seed and no penalties", () => {
  const vertex = { ...subject, dialect: "gemini", upstreamName: "gemini-3-pro" } as const;
  expect(capabilitiesOf(vertex).refusedMembers).toEqual(["frequency_penalty", "presence_penalty"]);
});

test("Claude models are known by name at any Anthropic-dialect server, without the tools of Anthropic's own server", () => {
  const proxied = { ...subject, dialect: "anthropic", upstreamName: "claude-sonnet-4-6" } as const;
  expect(capabilitiesOf(proxied)).toMatchObject({ thinking: "adaptive", webSearch: false });
  expect(at("anthropic", "claude-sonnet-4-6")).toMatchObject({ thinking: "adaptive", webSearch: true });
});

test.each([
  ["claude-3-haiku-20240307", { thinking: "none", sampling: "full", maxOutputTokens: 4_096 }],
  ["claude-3-5-sonnet-20241022", { thinking: "none", sampling: "full", maxOutputTokens: 8_192 }],
  ["claude-3-7-sonnet-20250219", { thinking: "budget", sampling: "full", maxOutputTokens: 64_000 }],
  ["claude-sonnet-4-20250514", { thinking: "budget", sampling: "full", maxOutputTokens: 64_000 }],
  ["claude-opus-4-20250514", { thinking: "budget", sampling: "full", maxOutputTokens: 32_000 }],
  ["claude-opus-4-1-20250805", { thinking: "budget", sampling: "one", maxOutputTokens: 32_000 }],
  ["claude-haiku-4-5-20251001", { thinking: "budget", sampling: "one", maxOutputTokens: 64_000 }],
  [
    "anthropic.claude-sonnet-4-5-20250929-v1:0",
    { thinking: "budget", sampling: "one", maxOutputTokens: 64_000 },
  ],
  ["claude-opus-4-6", { thinking: "adaptive", sampling: "one", maxOutputTokens: 128_000 }],
  ["claude-opus-4-8", { thinking: "adaptive", sampling: "none", maxOutputTokens: 128_000 }],
  ["claude-sonnet-5", { thinking: "adaptive", sampling: "none", maxOutputTokens: 128_000 }],
  ["claude-opus-5-20260501", { thinking: "adaptive", sampling: "none", maxOutputTokens: 128_000 }],
  ["claude-haiku-5-5", { thinking: "adaptive", sampling: "none", maxOutputTokens: 128_000 }],
  ["claude-opus-5-5", { thinking: "always", sampling: "none", maxOutputTokens: 128_000 }],
  ["claude-fable-5-1", { thinking: "always", sampling: "none", maxOutputTokens: 128_000 }],
  ["claude-opus-6", { thinking: "adaptive", sampling: "none", maxOutputTokens: 128_000 }],
] as const)("%s: %j", (name, expected) => {
  expect(at("anthropic", name)).toMatchObject(expected);
});

test.each([
  ["openai", "gpt-4o-mini", { outputTokenField: null, sampling: "full", thinking: "none" }],
  ["openai", "o3", { outputTokenField: "max_completion_tokens", effortLevels: ["low", "medium", "high"] }],
  ["openai", "gpt-5-nano-2025-08-07", { effortLevels: ["minimal", "low", "medium", "high"], maxStops: 0 }],
  ["openai", "gpt-5.1", { effortLevels: ["none", "low", "medium", "high"], sampling: "none" }],
  ["openai", "gpt-5.4-mini", { effortLevels: ["none", "low", "medium", "high", "xhigh"] }],
  ["openai", "gpt-5-chat-latest", { thinking: "none", outputTokenField: "max_completion_tokens" }],
  ["azure-openai", "gpt-35-turbo-16k", { sampling: "full", thinking: "none", maxOutputTokens: 4_096 }],
  ["azure-openai", "gpt-41-mini", { sampling: "full", thinking: "none", maxOutputTokens: 32_768 }],
  ["azure-openai", "gpt-5.4-mini", { sampling: "none", thinking: "effort" }],
  ["openrouter", "openai/gpt-5", { reasoningTokens: "included" }],
  ["vercel", "openai/gpt-5", { reasoningTokens: "separate" }],
  ["perplexity", "sonar-deep-research", { reasoningTokens: "separate", thinking: "effort" }],
  ["gemini", "gemini-2.5-flash", { thinking: "effort", effortLevels: ["none", "low", "medium", "high"] }],
  ["gemini", "gemini-3.5-flash", { thinking: "effort", effortLevels: ["low", "medium", "high"] }],
  ["dashscope", "qwen-plus", { thinking: "enable_thinking", topK: true }],
  ["dashscope", "qwen3-coder-plus", { thinking: "none", topK: true }],
  ["deepseek", "deepseek-flash", { thinking: "type", echoesThinking: true, jsonSchema: false }],
  ["moonshot", "kimi-k2.6", { thinking: "type", echoesThinking: true, sampling: "none" }],
  ["moonshot", "moonshot-v1-8k", { thinking: "none", echoesThinking: false, sampling: "full" }],
  ["zai", "glm-4.7-flash", { thinking: "type", echoesThinking: true }],
  ["zai", "glm-5.3", { thinking: "effort", effortLevels: ["low", "high", "max"] }],
  ["siliconflow", "Qwen/Qwen3-VL-32B-Instruct", { thinking: "none" }],
  ["xai", "grok-4.20-reasoning", { thinking: "none", maxStops: 0 }],
  ["vllm", "Qwen/Qwen3-8B", { thinking: "chat_template", maxStops: null }],
  ["vllm", "openai/gpt-oss-20b", { thinking: "effort" }],
])("%s, %s: %j", (vendor, name, expected) => {
  expect(at(vendor, name)).toMatchObject(expected);
});

test("presets name only capabilities of their dialect, and each has its own id", () => {
  expect(new Set(vendors.map(({ id }) => id)).size).toBe(vendors.length);
  for (const { id, dialect, capabilities, models = [] } of vendors) {
    const schema = overridesSchema(dialect);
    for (const part of [capabilities, ...models.map((row) => row.capabilities)]) {
      expect(schema.safeParse(part), id).toMatchObject({ success: true });
      const { thinking } = { ...usualCapabilities[dialectOf(dialect)], ...capabilities, ...part };
      const hasLevels = (part.effortLevels ?? []).length > 0;
      expect(hasLevels && thinking === "none", `${id}: levels without thinking`).toBe(false);
    }
  }
});

test.each<[string, Record<string, unknown>, Partial<Capabilities>]>([
  ["a member", { topK: true, ofTomorrow: "x" }, { topK: true }],
  ["a value of a member", { topK: true, thinking: "telepathy" }, { topK: true }],
  ["a value of another type", { images: { url: true }, maxStops: "many" }, {}],
  ["one value of several", { effortLevels: ["high", "ultra", "low"] }, { effortLevels: ["low", "high"] }],
])("stored settings of a later release are ignored, and close no channel: %s", (_what, overrides, read) => {
  expect(capabilitiesOf({ ...subject, overrides })).toEqual({ ...usualCapabilities.chat, ...read });
  const preset = { ...subject, vendor: "moonshot", upstreamName: "kimi-k3" };
  expect(capabilitiesOf({ ...preset, overrides })).toEqual({ ...capabilitiesOf(preset), ...read });
});

test("a channel with an API of a later release is shown, and takes no calls", () => {
  expect(isKnownApi("openai")).toBe(true);
  expect(["of-tomorrow", "constructor"].map(isKnownApi)).toEqual([false, false]);
  const dialect = "of-tomorrow" as VendorApi;
  expect(capabilitiesOf({ ...subject, dialect })).toEqual(usualCapabilities.chat);
});
