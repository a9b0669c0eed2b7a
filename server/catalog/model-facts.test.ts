import { expect, test } from "vitest";
import { listedFactsOf, unknownFacts } from "./model-facts";
import list from "./model-facts.json" with { type: "json" };
import { ModelChange } from "./schema";

const gpt = {
  ...{ contextWindow: 128_000, maxOutputTokens: 16_384, hasTools: true },
  inputModalities: ["text", "image", "file"],
};

test.each([
  ["chat", "gpt-4o", gpt],
  ["chat", "gpt-4o-2024-08-06", gpt],
  ["chat", "openai/gpt-4o", gpt],
  ["chat", "gpt-4", { contextWindow: 8_192, maxOutputTokens: 4_096, hasTools: true }],
  ["embedding", "text-embedding-3-small", { contextWindow: 8_192 }],
  ["embedding", "gpt-4o", {}],
  ["image", "gpt-4o", {}],
  ["chat", "gpt-99", {}],
  ["chat", "constructor", {}],
  ["chat", "__proto__", {}],
  ["chat", "", {}],
] as const)("of a %s model with the name %j the lists say %j", (kind, id, facts) => {
  expect(listedFactsOf(kind, id)).toEqual(facts);
});

test("a fact that the operator has set stays, even if it says that the model lacks a feature", () => {
  const model = {
    id: "gpt-4o",
    kind: "chat" as const,
    contextWindow: 8_000,
    hasTools: false,
    hasThinking: null,
  };
  expect(unknownFacts({ ...model, inputModalities: null })).toEqual({ inputModalities: gpt.inputModalities });
});

test("each listed fact can be stored, and no answer is as long as its model's window", () => {
  for (const [id, row] of Object.entries(list.models)) {
    const facts = listedFactsOf(row.kind === "chat" ? "chat" : "embedding", id);
    expect(ModelChange.parse({ id, kind: row.kind, ...facts })).toEqual({ id, kind: row.kind, ...facts });
    expect(facts.maxOutputTokens ?? 0).toBeLessThan(facts.contextWindow ?? Number.POSITIVE_INFINITY);
  }
});
