import { expect, test } from "vitest";
import { checkDraft, checkModels, checkSettings } from "./draft";

const draft = {
  ...{ name: " deepseek ", dialect: "openai" as const, vendor: "deepseek" },
  ...{ baseUrl: "https://api.deepseek.com/", secrets: ["s"], models: { m: "deepseek-flash" } },
};

test("an unchanged base URL stays as it is stored, even if it would be normalised to another", () => {
  const { settings } = checkDraft(draft);
  expect(settings).toMatchObject({ name: "deepseek", baseUrl: "https://api.deepseek.com", weight: 1 });
  expect(checkSettings("openai", { weight: 2, baseUrl: settings.baseUrl }, settings)).toEqual({
    ...settings,
    weight: 2,
  });
  expect(checkSettings("openai", { baseUrl: "https://other.test" }, settings).baseUrl).toBe(
    "https://other.test/v1",
  );
});

test("null clears a setting that may be absent, and a setting that is not named stays", () => {
  const before = { ...checkDraft(draft).settings, maxTasks: 3 };
  expect(checkSettings("openai", { vendor: null, maxTasks: null }, before)).toEqual({
    ...before,
    vendor: null,
    maxTasks: null,
  });
});

test("a vendor of a later release may stay, but cannot be chosen", () => {
  const before = { ...checkDraft(draft).settings, vendor: "acme" };
  expect(checkSettings("openai", { weight: 2 }, before).vendor).toBe("acme");
  expect(() => checkDraft({ ...draft, vendor: "acme" })).toThrow('vendor "acme" does not exist');
});

test.each([
  ["no name", { name: "  " }, "name"],
  ["a name that is too long", { name: "x".repeat(101) }, "name"],
  ["a weight below zero", { weight: -1 }, "weight"],
  ["a weight beyond bounds", { weight: 1_001 }, "weight"],
  ["half a priority", { priority: 0.5 }, "priority"],
  ["a limit of no tasks", { maxTasks: 0 }, "maxTasks"],
  ["a vendor of another dialect", { vendor: "anthropic" }, "vendor anthropic uses anthropic"],
  ["a malformed address", { baseUrl: "api.test" }, "api.test"],
  ["an empty upstream name", { models: { m: "" } }, "0.1"],
  ["capabilities of a model that the channel lacks", { capabilities: { other: { topK: true } } }, "other"],
  [
    "thinking by effort without a level",
    { vendor: null, baseUrl: "https://other.test", capabilities: { m: { thinking: "effort" as const } } },
    '"m" uses effort levels',
  ],
  [
    "a form of thinking of the other dialect",
    { capabilities: { m: { thinking: "budget" as const } } },
    "thinking",
  ],
])("%s is refused by name", (_name, change, words) => {
  expect(() => checkDraft({ ...draft, ...change })).toThrow(words);
});

test("a model may have any name", () => {
  const models = Object.fromEntries([["__proto__", "a"]]);
  expect(
    checkModels({ ...draft, dialect: "openai" }, models, Object.fromEntries([["__proto__", { topK: true }]])),
  ).toEqual([{ modelId: "__proto__", upstreamName: "a", capabilities: { topK: true } }]);
});
