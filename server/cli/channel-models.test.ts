import { expect, test } from "vitest";
import { capabilityOverrides, changedModels } from "./channel-models";

const models = Object.fromEntries(["m", "a:b", "__proto__"].map((name) => [name, name]));
const overrides = (dialect: "openai" | "anthropic", ...capability: string[]) =>
  capabilityOverrides({ capability }, { dialect, models });

test("effort levels are stored in their order, each once, in whatever order they were written", () => {
  expect(overrides("openai", "m:effortLevels=high,low,high")).toEqual({
    m: { effortLevels: ["low", "high"] },
  });
});

test("a field that the dialect does not have is refused", () => {
  const entry = "m:outputTokenField=max_completion_tokens";
  expect(overrides("openai", entry)).toEqual({ m: { outputTokenField: "max_completion_tokens" } });
  expect(() => overrides("anthropic", entry)).toThrow("outputTokenField");
});

test("every model keeps its overrides, whatever its name is", () => {
  const entries = overrides("openai", "__proto__:topK=true", "a:b:topK=true", "__proto__:webSearch=true");
  expect(Object.entries(entries)).toEqual([
    ["__proto__", { topK: true, webSearch: true }],
    ["a:b", { topK: true }],
  ]);
});

test("a model that stays keeps its overrides, except for those that are reset to the preset", () => {
  const channel = {
    dialect: "openai" as const,
    models: { m: "m" },
    overrides: Object.fromEntries([
      ["m", { topK: true, maxStops: 2 }],
      ["__proto__", { topK: true }],
    ]),
  };
  const row = (modelId: string, upstreamName: string, overrides: object) => ({
    modelId,
    upstreamName,
    overrides,
  });
  const capability = ["m:topK=preset", "m:webSearch=true", "m:effortLevels=preset"];
  expect(changedModels({ capability, model: ["m=z", "constructor"] }, channel)).toEqual([
    row("m", "z", { maxStops: 2, webSearch: true }),
    row("constructor", "constructor", {}),
  ]);
  const models = Object.fromEntries([["__proto__", "p"]]);
  expect(changedModels({ capability: ["__proto__:webSearch=true"] }, { ...channel, models })).toEqual([
    row("__proto__", "p", { topK: true, webSearch: true }),
  ]);
  expect(changedModels({}, channel)).toBeUndefined();
  expect(() => changedModels({ capability: ["m:telepathy=preset"] }, channel)).toThrow("telepathy");
});
