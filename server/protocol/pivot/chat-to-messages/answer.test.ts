import { expect, test } from "vitest";
import { messageAsCompletion } from "@/tests/support/crossed";
import type { JsonObject } from "../../fields";
import { readMessagesAnswer } from "../../messages/answer";
import { SYNTHETIC_SIGNATURE } from "../../signed-thinking";
import { mapToolNames } from "../../tool-names";

const usage = {
  inputTokens: 3,
  cacheReadTokens: 0,
  cacheWriteTokens: 12_304,
  cacheWrite1hTokens: 0,
  outputTokens: 550,
  reasoningTokens: 7,
};
const context = { model: "public", inputTokens: 9, fallbackId: "chatcmpl_1", now: new Date(5_000) };

function translate(message: JsonObject, more: object = {}) {
  const names = mapToolNames(["f", "g", "读取"], 128);
  const client = { names, schemaTool: null, usesLegacyFunctions: false, ...more };
  const text = messageAsCompletion(message, { usage, source: "upstream" }, { context, client });
  return JSON.parse(text);
}

const answer = (content: JsonObject[], stop_reason = "end_turn") => ({
  id: "msg_01",
  type: "message",
  content,
  stop_reason,
});
const text = (words: string) => ({ type: "text", text: words });
const use = (id: string | undefined, name = "f", input: unknown = {}) => ({
  type: "tool_use",
  id,
  name,
  input,
});
const call = (id: string, name: string, args: string) => ({
  id,
  type: "function",
  function: { name, arguments: args },
});

test("an answer is a completion under the public name, its texts joined as they are", () => {
  expect(translate(answer([text("a"), text("b")]))).toEqual({
    id: "chatcmpl-01",
    object: "chat.completion",
    created: 5,
    model: "public",
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: "ab", refusal: null },
        logprobs: null,
        finish_reason: "stop",
      },
    ],
    usage: expect.anything(),
  });
});

test("litellm#9812, CLIProxyAPI#5617: cached tokens are a part of the prompt, counted once", () => {
  expect(translate(answer([])).usage).toEqual({
    prompt_tokens: 12_307,
    completion_tokens: 550,
    total_tokens: 12_857,
    prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 12_304 },
    completion_tokens_details: { reasoning_tokens: 7 },
  });
});

test("higress#3506: every call is a tool call with its own id, name and arguments as text", () => {
  const message = answer([use("toolu_1", "f", { a: 1 }), use("toolu_2", "g")], "tool_use");
  const [choice] = translate(message).choices;
  expect(choice.finish_reason).toBe("tool_calls");
  expect(choice.message).toEqual({
    role: "assistant",
    content: null,
    refusal: null,
    tool_calls: [call("toolu_1", "f", '{"a":1}'), call("toolu_2", "g", "{}")],
  });
});

test("what is said beside calls stays", () => {
  const { message } = translate(answer([text("on it"), use("a")], "tool_use")).choices[0];
  expect(message).toMatchObject({ content: "on it", tool_calls: [call("a", "f", "{}")] });
});

test("llmgateway#3389: identifiers are never empty, and come back as the client's own", () => {
  const wrapped = `tgid_${Buffer.from("functions.f:0").toString("base64url")}`;
  const { message } = translate(answer([use(undefined), use("", "g"), use(wrapped)], "tool_use")).choices[0];
  const ids = message.tool_calls.map((each: JsonObject) => each.id);
  expect(ids).toEqual(["chatcmpl_1_0", "chatcmpl_1_1", "functions.f:0"]);
});

test("a name that was made legal comes back as the client's", () => {
  const legal = mapToolNames(["读取"], 128).toUpstream("读取");
  const { message } = translate(answer([use("a", legal)], "tool_use")).choices[0];
  expect(message.tool_calls).toEqual([call("a", "读取", "{}")]);
});

test.each([
  ["end_turn", "stop"],
  ["stop_sequence", "stop"],
  ["pause_turn", "stop"],
  ["compaction", "stop"],
  ["max_tokens", "length"],
  ["model_context_window_exceeded", "length"],
  ["refusal", "content_filter"],
  ["tool_use", "stop"],
])("stop reason %s without a call of the client's is %s", (reason, finish) => {
  const server = { type: "server_tool_use", id: "s", name: "web_search", input: {} };
  const results = { type: "web_search_tool_result", tool_use_id: "s", content: [] };
  const [choice] = translate(answer([server, results, text("a")], reason)).choices;
  expect(choice).toMatchObject({ finish_reason: finish, message: { content: "a" } });
  expect(choice.message).not.toHaveProperty("tool_calls");
});

test("litellm#19028: an answer cut off in a call ends with length", () => {
  expect(translate(answer([use("a")], "max_tokens")).choices[0].finish_reason).toBe("length");
});

test("a budget that thinking used up leaves an empty text", () => {
  const message = answer([{ type: "thinking", thinking: "hm", signature: "" }], "max_tokens");
  expect(translate(message).choices[0]).toMatchObject({
    message: { content: "", reasoning_content: "hm" },
    finish_reason: "length",
  });
});

test("thinking is shown as text, and where a vendor signed it, as blocks to hand back", () => {
  const signed = { type: "thinking", thinking: "a", signature: "sig" };
  const redacted = { type: "redacted_thinking", data: "xx" };
  const synthetic = { type: "thinking", thinking: "b", signature: SYNTHETIC_SIGNATURE };
  const { message } = translate(answer([signed, redacted, synthetic, text("c")])).choices[0];
  expect(message).toMatchObject({
    content: "c",
    reasoning_content: "ab",
    thinking_blocks: [signed, redacted],
  });
});

test("litellm#12463: only the tool that stands for the answer becomes text", () => {
  const more = { schemaTool: "json_answer" };
  const json = use("a", "json_answer", { b: 1 });
  expect(translate(answer([json], "tool_use"), more).choices[0]).toEqual({
    index: 0,
    message: { role: "assistant", content: '{"b":1}', refusal: null },
    logprobs: null,
    finish_reason: "stop",
  });
  expect(translate(answer([use("x", "f")], "tool_use"), more).choices[0]).toMatchObject({
    message: { content: null, tool_calls: [call("x", "f", "{}")] },
    finish_reason: "tool_calls",
  });
});

test("a schema answer is its JSON alone, whatever the model says around it", () => {
  const more = { schemaTool: "json_answer" };
  const blocks = [text("Here it is: "), use("a", "json_answer", { b: 1 }), use("c", "json_answer", { b: 2 })];
  expect(translate(answer([...blocks, text("Anything else?")], "tool_use"), more).choices[0]).toMatchObject({
    message: { content: '{"b":1}' },
    finish_reason: "stop",
  });
  expect(translate(answer([text('{"b":1}')], "end_turn"), more).choices[0]).toMatchObject({
    message: { content: '{"b":1}' },
  });
});

test("a client of before tools is answered with a function call", () => {
  const message = answer([use("a", "f", { b: 1 }), use("c", "g")], "tool_use");
  expect(translate(message, { usesLegacyFunctions: true }).choices[0]).toEqual({
    index: 0,
    message: {
      role: "assistant",
      content: null,
      refusal: null,
      function_call: { name: "f", arguments: '{"b":1}' },
    },
    logprobs: null,
    finish_reason: "function_call",
  });
});

test("what has no content is no answer, and one without an identifier is given one", () => {
  expect(readMessagesAnswer({ type: "error" }, context)).toBeNull();
  expect(translate({ content: [text("a")] }).id).toBe("chatcmpl_1");
});
