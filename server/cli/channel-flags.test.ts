import { expect, test } from "vitest";
import { capabilityOverrides } from "./channel-flags";

const models = Object.fromEntries(["m", "a:b", "__proto__"].map((name) => [name, name]));
const overrides = (dialect: "openai" | "anthropic", ...capability: string[]) =>
  capabilityOverrides({ capability }, { dialect, models });

test("effort levels are kept in their order, each once, however they were written", () => {
  expect(overrides("openai", "m:effortLevels=high,low,high")).toEqual({
    m: { effortLevels: ["low", "high"] },
  });
});

test("a field that the dialect does not have is refused", () => {
  const entry = "m:outputTokenField=max_completion_tokens";
  expect(overrides("openai", entry)).toEqual({ m: { outputTokenField: "max_completion_tokens" } });
  expect(() => overrides("anthropic", entry)).toThrow("outputTokenField");
});

test("every model keeps its overrides, whatever it is called", () => {
  const entries = overrides("openai", "__proto__:topK=true", "a:b:topK=true", "__proto__:webSearch=true");
  expect(Object.entries(entries)).toEqual([
    ["__proto__", { topK: true, webSearch: true }],
    ["a:b", { topK: true }],
  ]);
});
