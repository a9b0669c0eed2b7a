import { expect, test } from "vitest";
import { atOnce } from "@/server/base/turns";
import { terms } from "@/tests/support/terms";
import { type Capabilities, usualCapabilities } from "../capabilities";
import { parseChatConversation } from "../chat/conversation";
import { parseMessagesConversation } from "../messages/conversation";

const messages = [{ role: "user", content: "hi" }];

const chat = (more: object, takes: Partial<Capabilities> = {}) => {
  const upstream = {
    dialect: "chat" as const,
    name: "cheap",
    capabilities: { ...usualCapabilities.chat, ...takes },
  };
  const raw = JSON.stringify({ model: "m", max_tokens: 10, messages, ...more });
  return JSON.parse(atOnce(parseChatConversation(raw).planFor(upstream, terms(10))).body as string);
};
const message = (more: object, { betas = "", premiumTiers = false } = {}) => {
  const capabilities = { ...usualCapabilities.messages, premiumTiers };
  const raw = JSON.stringify({ model: "m", max_tokens: 10, messages, ...more });
  const headers = { "anthropic-version": "2023-06-01", ...(betas && { "anthropic-beta": betas }) };
  const plan = atOnce(
    parseMessagesConversation(raw, { headers }).planFor(
      { dialect: "messages", name: "cheap", capabilities },
      terms(10),
    ),
  );
  return { body: JSON.parse(String(plan.body)), betas: plan.headers["anthropic-beta"] };
};

test("a call is served by the model that it is charged for, whichever others it names", () => {
  const dearer = { models: ["openai/o1-pro"], fallbacks: [{ model: "o1-pro" }], preset: "dear" };
  expect(chat(dearer)).toMatchObject({ model: "cheap", models: ["cheap"], fallbacks: [], preset: null });
  expect(message(dearer).body).toMatchObject({ model: "cheap", models: ["cheap"], fallbacks: [] });
});

test.each(["priority", "scale", "ultrafast", 7, {}])(
  "a call in the tier %s is served in the usual tier",
  (tier) => {
    expect(chat({ service_tier: tier }).service_tier).toBe("default");
    expect(message({ service_tier: tier }).body.service_tier).toBe("standard_only");
  },
);

test.each(["auto", "default", "flex", null])(
  "the tier %s costs no more, and goes to the vendor unchanged",
  (tier) => {
    expect(chat({ service_tier: tier }).service_tier).toBe(tier);
  },
);

test.each([
  ["on_demand", "on_demand"],
  ["flex", "flex"],
  ["default", "on_demand"],
  ["performance", "on_demand"],
])("a vendor with another name for its usual tier (Groq) gets %s as %s", (tier, expected) => {
  expect(chat({ service_tier: tier }, { standardTier: "on_demand" }).service_tier).toBe(expected);
});

test("fast answers and long prompts that cost more are not asked for", () => {
  const betas =
    "claude-code-20250219,context-1m-2025-08-07, fast-mode-2026-02-01,interleaved-thinking-2025-05-14";
  const { body, betas: kept } = message({ speed: "fast" }, { betas });
  expect(body.speed).toBe("standard");
  expect(kept).toBe("claude-code-20250219,interleaved-thinking-2025-05-14");
  expect(message({}, { betas: "Context-1M-2025-08-07" }).betas).toBeUndefined();
  const anthropic_beta = ["FAST-mode-2026-02-01", "code-execution-2025-08-25"];
  expect(message({ anthropic_beta }).body.anthropic_beta).toEqual(["code-execution-2025-08-25"]);
});

test("members that gateways copy into the call are under the same terms", () => {
  const inner = {
    service_tier: "priority",
    models: ["o1-pro"],
    model: "o1-pro",
    extra_body: { fallbacks: ["o1-pro"] },
  };
  const { extra_body } = chat({ extra_body: { ...inner, top_k: 5 } });
  expect(extra_body).toEqual({
    service_tier: "default",
    models: ["cheap"],
    model: "cheap",
    extra_body: { fallbacks: [] },
    top_k: 5,
  });
});

test("a call without such members gets none", () => {
  expect(Object.keys(chat({}))).toEqual(["model", "max_tokens", "messages"]);
});

test("an operator who has priced the dearer tiers allows them", () => {
  const dearer = { service_tier: "priority", models: ["a", "b"] };
  expect(chat(dearer, { premiumTiers: true })).toMatchObject(dearer);
  const betas = "context-1m-2025-08-07";
  expect(message({ speed: "fast" }, { betas, premiumTiers: true })).toMatchObject({
    body: { speed: "fast" },
    betas,
  });
});
