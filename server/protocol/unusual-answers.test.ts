/** Answers in unusual forms: every client gets all of the answer, and pays for the upstream's counts. */
import { describe, expect, test } from "vitest";
import { atOnce } from "@/server/base/turns";
import { clients } from "@/tests/support/dialect-pairs/clients";
import { planOf, relay } from "@/tests/support/dialect-pairs/pairs";
import type { Dialect } from "./capabilities";
import type { JsonObject } from "./fields";

const dialects = ["chat", "messages", "responses", "gemini"] as const;
const context = { model: "public", inputTokens: 5, fallbackId: "gen_1", now: new Date(5_000) };
const usage = { input_tokens: 9, output_tokens: 7 };
const chatUsage = { prompt_tokens: 9, completion_tokens: 7, total_tokens: 16 };
const usageMetadata = { promptTokenCount: 9, candidatesTokenCount: 7, totalTokenCount: 16 };

const start = { type: "message_start", message: { id: "m", usage: { input_tokens: 9, output_tokens: 1 } } };
const grow = (event: object) => ({ type: "content_block_delta", index: 0, ...event });
const end = { type: "message_delta", delta: { stop_reason: "end_turn" }, usage };
const over = { type: "message_stop" };
const message = (content: unknown) => ({ id: "m", type: "message", content, stop_reason: "end_turn", usage });
const chunk = (choice: object) => ({ id: "c", choices: [{ index: 0, finish_reason: null, ...choice }] });
const counted = { id: "c", choices: [], usage: chatUsage };
const call = { id: "a", type: "function", function: { name: "f", arguments: '{"a":"1"}' } };
const STOP = { finishReason: "STOP", index: 0 };
const response = (output: unknown) => ({ id: "r", status: "completed", output, usage });
const item = (content: unknown) => ({ id: "i", type: "message", role: "assistant", content });

const text = { text: "Hello", finish: "end" };
const calls = { calls: [{ name: "f", input: { a: "1" } }], finish: "calls" };

const streams: [what: string, upstream: Dialect, events: JsonObject[], heard: object][] = [
  [
    "one choice without a list",
    "chat",
    [
      { id: "c", choices: { index: 0, delta: { content: "Hello" } } },
      chunk({ finish_reason: "stop" }),
      counted,
    ],
    text,
  ],
  [
    "the text and counts of Workers AI's own API",
    "chat",
    [{ response: "Hel", p: "ab" }, { response: "lo" }, { response: "", usage: chatUsage }],
    text,
  ],
  [
    "the calls of Workers AI's own API",
    "chat",
    [
      { response: "", tool_calls: [{ name: "f", arguments: { a: "1" } }] },
      { response: null, usage: chatUsage },
    ],
    calls,
  ],
  [
    "the names of Tencent's own API",
    "chat",
    [
      { Id: "c", Choices: [{ Delta: { Role: "assistant", Content: "Hello" }, FinishReason: "" }] },
      {
        Id: "c",
        Choices: [{ Delta: { Content: "" }, FinishReason: "stop" }],
        Usage: { PromptTokens: 9, CompletionTokens: 7, TotalTokens: 16 },
      },
    ],
    text,
  ],
  [
    "zeros before the counts of a vendor's own member",
    "chat",
    [
      chunk({ delta: { content: "Hello" } }),
      {
        ...chunk({ delta: {}, finish_reason: "stop" }),
        usage: { prompt_tokens: 0, completion_tokens: 0 },
        x_groq: { usage: chatUsage },
      },
    ],
    text,
  ],
  [
    "no counts in the response but beside it",
    "responses",
    [
      {
        type: "response.completed",
        response: { ...response([item([{ type: "output_text", text: "Hello" }])]), usage: {} },
        usage,
      },
    ],
    text,
  ],
  [
    "calls only in the message that follows the pieces of its text",
    "chat",
    [
      chunk({ delta: { content: "Hello" } }),
      chunk({ message: { content: "Hello", tool_calls: [call] }, finish_reason: "tool_calls" }),
      counted,
    ],
    { text: "Hello", ...calls },
  ],
  ...["reasoning_text", "thinking_content", "reasoningContent"].map((name): (typeof streams)[number] => [
    `thinking under the name ${name}`,
    "chat",
    [
      chunk({ delta: { [name]: "hm" } }),
      chunk({ delta: { content: "Hello" }, finish_reason: "stop" }),
      counted,
    ],
    { thinking: "hm", ...text },
  ]),
  [
    "calls and counts in camelCase",
    "chat",
    [
      chunk({ delta: { toolCalls: [call] } }),
      chunk({ delta: {}, finish_reason: "tool_calls" }),
      { id: "c", choices: [], usage: { promptTokens: 9, completionTokens: 7, totalTokens: 16 } },
    ],
    calls,
  ],
  [
    "pieces of a call without their function",
    "chat",
    [
      chunk({ delta: { tool_calls: [{ index: 0, id: "a", name: "f" }] } }),
      chunk({ delta: { tool_calls: [{ index: 0, arguments: '{"a":' }] } }),
      chunk({ delta: { tool_calls: [{ index: 0, arguments: '"1"}' }] }, finish_reason: "tool_calls" }),
      counted,
    ],
    calls,
  ],
  [
    "a call without a type",
    "messages",
    [
      start,
      { type: "content_block_start", index: 0, content_block: { id: "a", name: "f", input: {} } },
      grow({ delta: { partial_json: '{"a":"1"}' } }),
      { type: "content_block_stop", index: 0 },
      { ...end, delta: { stop_reason: "tool_use" }, usage: { input_tokens: "9", output_tokens: "7" } },
      over,
    ],
    calls,
  ],
  ["a text in place of a delta", "messages", [start, grow({ delta: "Hello" }), end, over], text],
  ["a text beside the type", "messages", [start, grow({ text: "Hello" }), end, over], text],
  [
    "an end beside the type",
    "messages",
    [
      start,
      grow({ delta: { text: "Hello" } }),
      { ...end, delta: undefined, stop_reason: "max_tokens" },
      over,
    ],
    { text: "Hello", finish: expect.stringMatching(/^(?:length|max_output_tokens)$/) },
  ],
  [
    "a whole response in place of events",
    "responses",
    [{ object: "response", ...response([item([{ type: "output_text", text: "Hello" }])]) }],
    text,
  ],
  [
    "parts that are a text",
    "gemini",
    [{ candidates: [{ content: { parts: "Hello" }, ...STOP }], usageMetadata }],
    text,
  ],
  [
    "a part that is a text",
    "gemini",
    [{ candidates: [{ content: { parts: ["Hello"] }, ...STOP }], usageMetadata }],
    text,
  ],
  [
    "a content that is a text",
    "gemini",
    [{ candidates: [{ content: "Hello", ...STOP }], usageMetadata }],
    text,
  ],
  [
    "a text in place of a content",
    "gemini",
    [{ candidates: [{ text: "Hello", ...STOP }], usageMetadata }],
    text,
  ],
  [
    "one candidate without a list",
    "gemini",
    [{ candidates: { content: { parts: [{ text: "Hello" }] }, ...STOP }, usageMetadata }],
    text,
  ],
  [
    "counts in the candidate",
    "gemini",
    [{ candidates: [{ content: { parts: [{ text: "Hello" }] }, ...STOP, usageMetadata }] }],
    text,
  ],
  [
    "a mark of thinking that is a text, and an end in lower case",
    "gemini",
    [
      {
        candidates: [
          { content: { parts: [{ text: "hm", thought: "true" }, { text: "Hello" }] }, finishReason: "stop" },
        ],
        usageMetadata,
      },
    ],
    { thinking: "hm", ...text },
  ],
];

const wholes: [what: string, upstream: Dialect, answer: unknown, heard: object][] = [
  [
    "one choice without a list",
    "chat",
    { choices: { message: { content: "Hello" }, finish_reason: "stop" }, usage: chatUsage },
    text,
  ],
  ["the members of Workers AI's own API", "chat", { response: "Hello", usage: chatUsage }, text],
  [
    "calls of Workers AI's own API",
    "chat",
    { response: null, tool_calls: [{ name: "f", arguments: { a: "1" } }], usage: chatUsage },
    calls,
  ],
  [
    "thinking as parts, and a text one level below its part",
    "chat",
    {
      choices: [
        {
          message: {
            reasoning_content: [{ type: "text", text: "hm" }],
            content: [{ type: "text", text: { value: "Hello" } }],
          },
        },
      ],
      usage: chatUsage,
    },
    { thinking: "hm", ...text },
  ],
  ...[
    { function: { name: "f", parameters: { a: "1" } } },
    { type: "tool_use", name: "f", input: { a: "1" } },
    { name: "f", args: '{"a":"1"}' },
  ].map((sent): (typeof wholes)[number] => [
    `the call ${JSON.stringify(sent)}`,
    "chat",
    { choices: [{ message: { content: null, tool_calls: [{ id: "a", ...sent }] } }], usage: chatUsage },
    calls,
  ]),
  ...(["messages", "responses"] as const).map((upstream): (typeof wholes)[number] => [
    "counts in camelCase",
    upstream,
    {
      ...(upstream === "messages" ? message([{ type: "text", text: "Hello" }]) : response([item("Hello")])),
      usage: { inputTokens: 9, outputTokens: 7 },
    },
    text,
  ]),
  [
    "counts in other spellings, as text",
    "gemini",
    {
      candidates: [{ content: { parts: [{ text: "Hello" }] }, ...STOP }],
      usage_metadata: { prompt_token_count: "9", candidatesTokenCount: "7", total_token_count: "16" },
    },
    text,
  ],
  [
    "items without a type",
    "responses",
    response([
      { summary: [{ type: "summary_text", text: "hm" }] },
      { role: "assistant", content: "Hello" },
      { name: "f", arguments: '{"a":"1"}' },
    ]),
    { thinking: "hm", text: "Hello", ...calls },
  ],
  ["a block of the Responses dialect", "messages", message([{ type: "output_text", text: "Hello" }]), text],
  [
    "blocks without a type",
    "messages",
    message([{ thinking: "hm" }, { text: "Hello" }, { name: "f", input: { a: "1" } }]),
    { thinking: "hm", text: "Hello", ...calls },
  ],
  ["a content of texts", "responses", response([item(["Hello"])]), text],
  ["one item without a list", "responses", response(item("Hello")), text],
  ["a text in place of items", "responses", response("Hello"), text],
  ["a text beside no items", "responses", { ...response([]), output_text: "Hello" }, text],
  [
    "a summary that is a text",
    "responses",
    response([{ type: "reasoning", summary: "hm" }, item("Hello")]),
    { thinking: "hm", ...text },
  ],
  [
    "empty arguments as a list",
    "gemini",
    {
      candidates: [{ content: { parts: [{ functionCall: { name: "f", args: [] } }] }, ...STOP }],
      usageMetadata,
    },
    { calls: [{ name: "f", input: {} }] },
  ],
];

describe.each(dialects)("a client of %s", (client) => {
  test.each(streams)("gets a stream with %s, from an upstream of %s", (_, ...[upstream, events, heard]) => {
    const written = relay(
      { client, upstream },
      events.map((event) => JSON.stringify(event)),
    );
    expect(clients[client].stream(written)).toMatchObject({ ...heard, usage: { input: 9, output: 7 } });
  });

  test.each(wholes)("gets an answer with %s, from an upstream of %s", (_, ...[upstream, answer, heard]) => {
    const read = atOnce(planOf({ client, upstream }, false).readAnswer(structuredClone(answer), context));
    const body = typeof read === "string" ? {} : read.body;
    expect(clients[client].whole(JSON.stringify(body))).toMatchObject({
      ...heard,
      usage: { input: 9, output: 7 },
    });
  });
});
