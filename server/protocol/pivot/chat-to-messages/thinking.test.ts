import { describe, expect, test } from "vitest";
import { chatRequestAsMessages } from "@/tests/support/crossed";
import { type Capabilities, usualCapabilities } from "../../capabilities";
import type { JsonObject } from "../../fields";

function convert(more: JsonObject, takes: Partial<Capabilities>, maxOutputTokens = 64_000): JsonObject {
  const capabilities = { ...usualCapabilities.messages, ...takes };
  const fields = { model: "public", messages: [{ role: "user", content: "hi" }], ...more };
  const upstream = { dialect: "messages" as const, name: "claude", capabilities };
  return chatRequestAsMessages(fields, upstream, { maxOutputTokens, isCapped: false }).body;
}

const budget = { thinking: "budget" } as const;
const levels = { effortLevels: ["low", "medium", "high"] } satisfies Partial<Capabilities>;
const adaptive = { thinking: "adaptive", ...levels } as const;
const always = { thinking: "always", ...levels } as const;
const summarized = { type: "adaptive", display: "summarized" };

describe("a budget", () => {
  test.each([
    ["minimal", 1_024],
    ["low", 1_024],
    ["medium", 4_096],
    ["high", 16_384],
    ["xhigh", 32_000],
    ["max", 32_000],
  ])("for effort %s is %i", (reasoning_effort, budget_tokens) => {
    expect(convert({ reasoning_effort }, budget).thinking).toEqual({ type: "enabled", budget_tokens });
  });

  test("leaves room below the output limit, which is never raised", () => {
    const body = convert({ reasoning_effort: "high" }, budget, 2_000);
    expect([body.thinking, body.max_tokens]).toEqual([{ type: "enabled", budget_tokens: 1_024 }, 2_000]);
    expect(convert({ reasoning_effort: "high" }, budget, 1_024)).not.toHaveProperty("thinking");
  });

  test("that the client names is clamped likewise", () => {
    const thinking = { type: "enabled", budget_tokens: 100, display: "omitted" };
    expect(convert({ thinking }, budget).thinking).toEqual({ ...thinking, budget_tokens: 1_024 });
    expect(convert({ thinking: { ...thinking, budget_tokens: 90_000 } }, budget).thinking).toMatchObject({
      budget_tokens: 63_999,
    });
  });

  test("is none for who wants no thinking", () => {
    expect(convert({ reasoning_effort: "none" }, budget).thinking).toEqual({ type: "disabled" });
    expect(convert({ thinking: { type: "disabled" } }, budget).thinking).toEqual({ type: "disabled" });
    expect(convert({}, budget)).not.toHaveProperty("thinking");
  });

  const tools = [{ type: "function", function: { name: "f" } }];

  test("is none where a tool is forced, and is where it is not", () => {
    const forced = { reasoning_effort: "low", tools, tool_choice: "required" };
    expect(convert(forced, budget)).not.toHaveProperty("thinking");
    expect(convert(forced, adaptive)).toHaveProperty("thinking");
    expect(convert({ ...forced, tool_choice: "auto" }, budget)).toHaveProperty("thinking");
  });

  const signed = { type: "thinking", thinking: "hm", signature: "sig" };
  const step = (id: string, thinking_blocks?: JsonObject[]) => [
    { role: "assistant", tool_calls: [{ id, function: { name: "f", arguments: "" } }], thinking_blocks },
    { role: "tool", tool_call_id: id, content: "ok" },
  ];
  const hi = { role: "user", content: "hi" };

  test.each([
    ["has lost its signed thinking", [hi, ...step("a")], false],
    ["is a prefill without it", [hi, { role: "assistant", content: "{" }], false],
    ["has it", [hi, ...step("a", [signed])], true],
    ["had it in the loop's first step", [hi, ...step("a", [signed]), ...step("b")], true],
    ["lost it, though an earlier turn has it", [hi, ...step("a", [signed]), hi, ...step("b")], false],
    ["is over", [hi, ...step("a"), { role: "assistant", content: "done" }, hi], true],
  ])("litellm#15601: manual thinking for an assistant's turn that %s", (_name, messages, isOn) => {
    const body = convert({ reasoning_effort: "low", tools, messages }, budget);
    expect("thinking" in body).toBe(isOn);
    expect(JSON.stringify(body.messages).includes('"signature"')).toBe(
      isOn && JSON.stringify(messages).includes('"signature"'),
    );
    expect(convert({ reasoning_effort: "low", tools, messages }, adaptive)).toHaveProperty("thinking");
  });
});

test.each([
  ["minimal", "low"],
  ["medium", "medium"],
  ["max", "high"],
])("effort %s is clipped to %s of the levels that the model takes", (reasoning_effort, effort) => {
  for (const takes of [adaptive, always]) {
    const body = convert({ reasoning_effort }, takes);
    expect([body.thinking, body.output_config]).toEqual([summarized, { effort }]);
  }
});

test("a model that takes no level is only told to think", () => {
  const body = convert({ reasoning_effort: "high" }, { ...adaptive, effortLevels: [] });
  expect(body.thinking).toEqual(summarized);
  expect(body).not.toHaveProperty("output_config");
});

test.each([
  [{ type: "enabled", budget_tokens: 2_000 }, "low"],
  [{ type: "enabled", budget_tokens: 20_000 }, "high"],
])("thinking %j at a model that knows no budgets is effort %s", (thinking, effort) => {
  const body = convert({ thinking }, adaptive);
  expect([body.thinking, body.output_config]).toEqual([summarized, { effort }]);
});

test("thinking is switched off where it can be, and kept low where it cannot", () => {
  expect(convert({ reasoning_effort: "none" }, adaptive).thinking).toEqual({ type: "disabled" });
  const body = convert({ reasoning_effort: "none" }, always);
  expect(body).not.toHaveProperty("thinking");
  expect(body.output_config).toEqual({ effort: "low" });
});

test("a model that is not asked to think is asked nothing", () => {
  const body = convert({ reasoning_effort: "high", thinking: { type: "enabled", budget_tokens: 2_000 } }, {});
  expect(body).not.toHaveProperty("thinking");
  expect(body).not.toHaveProperty("output_config");
});

test("an effort and a schema share output_config", () => {
  const schema = { type: "object", properties: {}, additionalProperties: false };
  const response_format = { type: "json_schema", json_schema: { schema } };
  expect(
    convert({ reasoning_effort: "low", response_format }, { ...adaptive, jsonSchema: true }),
  ).toMatchObject({
    output_config: { effort: "low", format: { type: "json_schema", schema } },
  });
});

test("a model that thinks is sent no sampling parameters", () => {
  const sampling = { temperature: 0.5, top_p: 0.5, top_k: 3 };
  for (const takes of [budget, adaptive, always]) {
    const body = convert({ ...sampling, reasoning_effort: "low" }, { ...takes, sampling: "full" });
    expect(Object.keys(body).filter((name) => name in sampling)).toEqual([]);
  }
  expect(convert({ ...sampling, reasoning_effort: "none" }, budget)).toMatchObject({ temperature: 0.5 });
});
