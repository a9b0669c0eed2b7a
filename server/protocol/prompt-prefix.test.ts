import fc from "fast-check";
import { expect, test } from "vitest";
import { parseChatConversation } from "./chat/conversation";
import { parseCompletion } from "./completions/conversation";
import { parseGeminiConversation } from "./gemini/conversation";
import { parseMessagesConversation } from "./messages/conversation";
import { promptPrefix } from "./prompt-prefix";

const chat = (body: object) => parseChatConversation(JSON.stringify({ model: "m", ...body })).prefix();
const messages = (body: object) =>
  parseMessagesConversation(JSON.stringify({ model: "m", max_tokens: 9, ...body }), { headers: {} }).prefix();
const gemini = (body: object) =>
  parseGeminiConversation(JSON.stringify(body), { model: "m", delivery: "whole" }).prefix();

const user = (content: unknown) => ({ role: "user", content });
const assistant = (content: unknown) => ({ role: "assistant", content });
const later = [assistant("yes?"), user("more")];

test("a conversation that goes on keeps its prefix, in each dialect", () => {
  const system = { role: "system", content: "Be brief." };
  const tools = [{ type: "function", function: { name: "look", parameters: { type: "object" } } }];
  expect(chat({ tools, messages: [system, user("hi"), ...later] })).toBe(
    chat({ tools, messages: [system, user("hi")] }),
  );
  expect(messages({ system: "Be brief.", messages: [user("hi"), ...later] })).toBe(
    messages({ system: "Be brief.", messages: [user("hi")] }),
  );
  const first = { role: "user", parts: [{ text: "hi" }] };
  const answer = { role: "model", parts: [{ text: "yes?" }] };
  expect(gemini({ contents: [first, answer, first] })).toBe(gemini({ contents: [first] }));
  expect(parseCompletion(JSON.stringify({ model: "m", prompt: "Once" })).prefix()).toBe("Once");
});

test("another tool, other instructions or another first turn make another prefix", () => {
  const request = { system: "a", tools: [{ name: "t", input_schema: {} }], messages: [user("b")] };
  const prefixes = [
    request,
    { ...request, system: "z" },
    { ...request, tools: [{ name: "z", input_schema: {} }] },
    { ...request, messages: [user("z")] },
  ].map(messages);
  expect(new Set(prefixes).size).toBe(4);
});

test("marks that move from turn to turn, and the line that changes with each call, are not part of the prefix", () => {
  const block = { type: "text", text: "hi" };
  const cache_control = { type: "ephemeral" };
  const line = (hash: string) => `x-anthropic-billing-header: cc_version=2; cch=${hash};`;
  const turn = (hash: string, first: object) =>
    messages({ system: [{ type: "text", text: `${line(hash)}\nBe brief.` }], messages: [user([first])] });
  expect(turn("a1", { ...block, cache_control })).toBe(turn("b22", block));
});

test("the client's own cache key is used before the prompt", () => {
  const named = (content: string) => chat({ prompt_cache_key: "thread-1", messages: [user(content)] });
  expect(named("a")).toBe(named("b"));
});

test("the prefix of any JSON is made from a bounded part of it", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), fc.jsonValue(), (tools, system, turns) => {
      expect(promptPrefix({}, { tools, system, turns }).length).toBeLessThan(40_000);
    }),
  );
  const long = "x".repeat(1_000_000);
  const wide = Array.from({ length: 100_000 }, () => long);
  expect(promptPrefix({}, { tools: wide, system: long, turns: [user(wide)] }).length).toBeLessThan(13_000);
});
