import { expect, test } from "vitest";
import { messagesAsChunks } from "@/tests/support/crossed";
import {
  begin,
  callOf,
  delta,
  deltas,
  ended,
  finish,
  json,
  parse,
  start,
  stop,
  stream,
  use,
} from "@/tests/support/messages-as-chat";
import type { JsonObject } from "../../fields";
import { SYNTHETIC_SIGNATURE } from "../../signed-thinking";

test("a stream begins with the role, ends with the reason and [DONE], under one head", () => {
  const { text, chunks } = stream([
    start,
    begin(0, { type: "text", text: "" }),
    delta(0, { type: "text_delta", text: "hi" }),
    stop(0),
    finish("end_turn"),
  ]);
  const head = { id: "chatcmpl-01", object: "chat.completion.chunk", created: 5, model: "public" };
  const chunk = (of: JsonObject, finish_reason: string | null = null) => ({
    ...head,
    choices: [{ index: 0, delta: of, logprobs: null, finish_reason }],
  });
  expect(chunks).toEqual([
    chunk({ role: "assistant", content: "" }),
    chunk({ content: "hi" }),
    chunk({}, "stop"),
  ]);
  expect(text.endsWith("data: [DONE]\n\n")).toBe(true);
});

test("headroom#2026: usage comes only when asked for, in one last chunk", () => {
  const events = [start, finish("end_turn")];
  expect(stream(events).text).not.toContain("usage");
  const { chunks } = stream(events, { wantsUsage: true });
  expect(chunks.slice(0, -1).map((chunk) => chunk.usage)).toEqual([null, null]);
  expect(chunks.at(-1)).toMatchObject({ choices: [], id: "chatcmpl-01" });
});

test("Portkey#497, CLIProxyAPI#5617: the usage chunk counts the prompt, cached tokens among it", () => {
  expect(stream([start, finish("end_turn")], { wantsUsage: true }).chunks.at(-1)?.usage).toEqual({
    prompt_tokens: 14,
    completion_tokens: 6,
    total_tokens: 20,
    prompt_tokens_details: { cached_tokens: 2, cache_write_tokens: 7 },
    completion_tokens_details: { reasoning_tokens: 1 },
  });
});

test("litellm#19028: a stream cut off in a call's arguments ends with length", () => {
  expect(ended([begin(0, use("a")), json(0, '{"x'), finish("max_tokens")])).toBe("length");
});

test.each([
  ["refusal", "content_filter"],
  ["model_context_window_exceeded", "length"],
  ["tool_use", "tool_calls"],
  [null, "tool_calls"],
])("stop reason %s is %s", (reason, expected) => {
  expect(ended([begin(0, use("a")), stop(0), finish(reason)])).toBe(expected);
});

test("thinking is shown as it comes, and once signed, whole to hand back", () => {
  const signature = (text: string) => delta(0, { type: "signature_delta", signature: text });
  const thinking = [
    begin(0, { type: "thinking", thinking: "", signature: "" }),
    delta(0, { type: "thinking_delta", thinking: "a" }),
    delta(0, { type: "thinking_delta", thinking: "b" }),
  ];
  const redacted = [begin(1, { type: "redacted_thinking", data: "xx" }), stop(1)];
  expect(deltas([...thinking, signature("si"), signature("g"), stop(0), ...redacted])).toEqual([
    { reasoning_content: "a" },
    { reasoning_content: "b" },
    {
      thinking_blocks: [
        { index: 0, type: "thinking", thinking: "ab", signature: "sig" },
        { index: 1, type: "redacted_thinking", data: "xx" },
      ],
    },
  ]);
  for (const unsigned of [[], [signature(SYNTHETIC_SIGNATURE)]]) {
    expect(deltas([...thinking, ...unsigned, stop(0)])).toHaveLength(2);
  }
});

test("all signed thinking comes in one chunk, in order, right before the end: openai-node keeps the last chunk's alone", () => {
  const signed = (index: number, thinking: string) => [
    begin(index, { type: "thinking", thinking, signature: `of ${thinking}` }),
    stop(index),
  ];
  const events = [
    ...signed(0, "first"),
    begin(1, { type: "text", text: "on it" }),
    stop(1),
    ...signed(2, "second"),
    begin(3, use("a")),
    stop(3),
  ];
  const said = deltas(events);
  expect(said.filter((of) => of.thinking_blocks)).toEqual([
    {
      thinking_blocks: [
        { index: 0, type: "thinking", thinking: "first", signature: "of first" },
        { index: 1, type: "thinking", thinking: "second", signature: "of second" },
      ],
    },
  ]);
  expect(said.at(-1)).toHaveProperty("thinking_blocks");
});

test("events of no known kind, and deltas of no known block, say nothing", () => {
  const events = [
    { type: "novelty" },
    json(7, "{}"),
    stop(7),
    delta(0, { type: "citations_delta" }),
    begin(0, {}),
  ];
  expect(deltas(events)).toEqual([]);
});

test("a stream that breaks off says so in words that every SDK finds, and has no [DONE]", () => {
  const writer = messagesAsChunks({ ...callOf(), wantsUsage: true });
  writer.write(start);
  const text = writer.fail({ code: 502, message: "上游断开", data: null });
  expect(parse(text)).toEqual([
    {
      error: { message: "上游断开", type: "upstream_error", code: 502, param: null },
      code: 502,
      message: "上游断开",
      data: null,
    },
  ]);
  expect(text).not.toContain("[DONE]");
});
