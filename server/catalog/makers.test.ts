import { expect, test } from "vitest";
import lists from "./list-prices.json" with { type: "json" };
import { ownerOfModel } from "./makers";

test.each([
  ["gpt-4.1", "openai"],
  ["o3", "openai"],
  ["claude-haiku-4-5-20251001", "anthropic"],
  ["kimi-k2.6", "moonshot"],
  ["router/glm-5.2", "zhipu"],
  ["qwen-max", "dashscope"],
  ["qwen3-max", "dashscope"],
  ["codestral", "mistral"],
  ["llama-3.3-70b-versatile", undefined],
  ["our-own", undefined],
  ["omni-7", undefined],
  ["constructor", undefined],
])("the owner of %s is %s", (name, owner) => {
  expect(ownerOfModel(name)).toBe(owner);
});

test.each([
  ...(["openai", "anthropic", "gemini", "mistral", "xai", "deepseek", "dashscope"] as const).map(
    (vendor) => [vendor, vendor] as const,
  ),
  ...([
    ["moonshot-intl", "moonshot"],
    ["zai", "zhipu"],
    ["dashscope-intl", "dashscope"],
  ] as const),
])("every model on the list of %s has the owner %s", (vendor, owner) => {
  const others = Object.keys(lists[vendor].models).filter((name) => ownerOfModel(name) !== owner);
  expect(others).toEqual([]);
});
