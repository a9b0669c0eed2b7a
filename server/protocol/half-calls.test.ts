/** Calls that were cut off or have no name, although the upstream says that the answer ended well. */
import { describe, expect, test } from "vitest";
import { atOnce } from "@/server/base/turns";
import { clients } from "@/tests/support/dialect-pairs/clients";
import { terms } from "@/tests/support/terms";
import { type Dialect, usualCapabilities } from "./capabilities";
import type { JsonObject } from "./fields";
import { parseGeminiConversation } from "./gemini/conversation";
import type { ConversationRequest } from "./upstream-plan";

const context = { model: "public", inputTokens: 5, fallbackId: "gen_1", now: new Date(5_000) };
const dialects = ["chat", "messages", "responses", "gemini"] as const;

type Call = { name: string; args: string; isCut?: boolean };

const chatUsage = { prompt_tokens: 9, completion_tokens: 7 };
const usage = { input_tokens: 9, output_tokens: 7 };

const chatCall = ({ name, args }: Call) => ({
  ...{ index: 0, id: "a", type: "function" },
  function: { ...(name && { name }), arguments: args },
});
const item = ({ name, args, isCut }: Call) => ({
  ...{ id: "fc_1", type: "function_call", call_id: "a", name, arguments: args },
  status: isCut ? "incomplete" : "completed",
});
const response = (call: Call) => ({
  ...{ id: "r", object: "response", output: [item(call)], usage },
  ...(call.isCut
    ? { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } }
    : { status: "completed" }),
});
const candidate = ({ name, args, isCut }: Call) => ({
  candidates: [
    {
      content: { role: "model", parts: [{ functionCall: { ...(name && { name }), args } }] },
      ...{ finishReason: isCut ? "MAX_TOKENS" : "STOP", index: 0 },
    },
  ],
  usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 7, totalTokenCount: 16 },
});

/** The same call of an upstream of each dialect, whole and as events. */
const upstreams: Record<
  Dialect,
  { whole: (call: Call) => JsonObject; events: (call: Call) => JsonObject[] }
> = {
  chat: {
    whole: (call) => ({
      choices: [
        {
          ...{ index: 0, finish_reason: call.isCut ? "length" : "tool_calls" },
          message: { role: "assistant", content: null, tool_calls: [chatCall(call)] },
        },
      ],
      usage: chatUsage,
    }),
    events: (call) => [
      { id: "c", choices: [{ index: 0, delta: { tool_calls: [chatCall(call)] }, finish_reason: null }] },
      { id: "c", choices: [{ index: 0, delta: {}, finish_reason: call.isCut ? "length" : "tool_calls" }] },
      { id: "c", choices: [], usage: chatUsage },
    ],
  },
  messages: {
    whole: ({ name, args, isCut }) => ({
      ...{ id: "m", type: "message", stop_reason: isCut ? "max_tokens" : "tool_use", usage },
      content: [{ type: "tool_use", id: "a", name, input: args }],
    }),
    events: ({ name, args, isCut }) => [
      { type: "message_start", message: { id: "m", usage } },
      {
        type: "content_block_start",
        index: 0,
        content_block: { type: "tool_use", id: "a", name, input: {} },
      },
      { type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: args } },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: isCut ? "max_tokens" : "tool_use" }, usage },
    ],
  },
  responses: {
    whole: response,
    events: (call) => [
      { type: "response.output_item.added", output_index: 0, item: { ...item(call), arguments: "" } },
      { type: "response.function_call_arguments.delta", output_index: 0, item_id: "fc_1", delta: call.args },
      { type: "response.output_item.done", output_index: 0, item: item(call) },
      { type: call.isCut ? "response.incomplete" : "response.completed", response: response(call) },
    ],
  },
  gemini: { whole: candidate, events: (call) => [candidate(call)] },
};

const schema = { type: "object" };
type Ask = (isStream: boolean) => ConversationRequest;

const severalTools = (client: Dialect): Ask => clients[client].ask;

/** Calls that offer one tool. */
const soleTool: Record<Dialect, Ask> = {
  chat: (isStream) =>
    clients.chat.ask(isStream, {
      tools: [{ type: "function", function: { name: "f", parameters: schema } }],
    }),
  messages: (isStream) => clients.messages.ask(isStream, { tools: [{ name: "f", input_schema: schema }] }),
  responses: (isStream) =>
    clients.responses.ask(isStream, {
      tools: [{ type: "function", name: "f", parameters: schema, strict: false }],
    }),
  gemini: (isStream) =>
    parseGeminiConversation(
      JSON.stringify({
        contents: [{ role: "user", parts: [{ text: "hi" }] }],
        tools: [{ functionDeclarations: [{ name: "f" }] }],
      }),
      { model: "m", delivery: isStream ? "events" : "whole" },
    ),
};

const planOf = (ask: Ask, upstream: Dialect, isStream: boolean) =>
  atOnce(
    ask(isStream).planFor(
      { dialect: upstream, name: "up", capabilities: { ...usualCapabilities[upstream], thinking: "none" } },
      terms(9_000),
    ),
  );

const readWhole = (ask: Ask, upstream: Dialect, call: Call) =>
  atOnce(planOf(ask, upstream, false).readAnswer(upstreams[upstream].whole(call), context));

/** A client's stream, and what it costs. */
function readStream(ask: Ask, upstream: Dialect, call: Call) {
  const stream = planOf(ask, upstream, true).openStream(context);
  const text = upstreams[upstream]
    .events(call)
    .map((event) => {
      const step = stream.push(JSON.stringify(event));
      expect(step.kind).toBe("frames");
      return step.kind === "frames" ? step.text : "";
    })
    .join("");
  return { text: text + stream.ending(), outputTokens: stream.settled(true).usage.outputTokens };
}

const ERROR = /"error":\{/;
const pairs = dialects.flatMap((client) => dialects.map((upstream) => [client, upstream] as const));

const halves: [what: string, call: Call][] = [
  ["a cut call", { name: "f", args: '{"a":"x' }],
  ["a call without a name, where it may be of several tools", { name: "", args: '{"a":"x"}' }],
];

describe.each(pairs)("a client of %s, an upstream of %s", (client, upstream) => {
  test.each(halves)(
    "%s is no answer, and its stream ends with an error and the upstream's counts",
    (_, call) => {
      expect(readWhole(severalTools(client), upstream, call)).toBeTypeOf("string");
      const { text, outputTokens } = readStream(severalTools(client), upstream, call);
      expect(text).toMatch(ERROR);
      expect(outputTokens).toBe(7);
    },
  );

  test("a call that the output limit cut is an answer that was cut", () => {
    const cut = { name: "f", args: '{"a":"x', isCut: true };
    expect(readWhole(severalTools(client), upstream, cut)).toBeTypeOf("object");
    expect(readStream(severalTools(client), upstream, cut).text).not.toMatch(ERROR);
  });

  test("a call without a name is one of the only tool", () => {
    const call = { name: "", args: '{"a":"x"}' };
    const read = readWhole(soleTool[client], upstream, call);
    expect(JSON.stringify(read)).toContain('"name":"f"');
    expect(readStream(soleTool[client], upstream, call).text).toContain('"name":"f"');
  });
});
