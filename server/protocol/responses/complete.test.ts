import { expect, test } from "vitest";
import { completeEvent, completeItem, completeResponse } from "./complete";

test("what an upstream says is not changed, and what is whole is the same object", () => {
  const part = { type: "output_text", text: "a", annotations: [], vendor: 1 };
  const item = { type: "message", id: "m", status: "incomplete", role: "assistant", content: [part] };
  expect(completeItem(item)).toBe(item);
  const event = { type: "response.output_text.delta", content_index: 3, delta: "a" };
  expect(completeEvent(event)).toBe(event);
  const other = { type: "shell_call", action: null };
  expect(completeItem(other)).toBe(other);
});

test("what it leaves out or sends as null is there, where clients insist on it", () => {
  expect(completeItem({ type: "reasoning", id: "r" })).toMatchObject({ summary: [] });
  expect(completeItem({ type: "message", content: [{ type: "output_text" }] }, "in_progress")).toEqual({
    type: "message",
    status: "in_progress",
    role: "assistant",
    content: [{ type: "output_text", text: "" }],
  });
  expect(
    completeItem({
      type: "reasoning",
      content: [{ type: "reasoning_text" }],
      summary: [{ type: "summary_text" }],
    }),
  ).toEqual({
    type: "reasoning",
    content: [{ type: "reasoning_text", text: "" }],
    summary: [{ type: "summary_text", text: "" }],
  });
  expect(completeEvent({ type: "response.reasoning_text.delta", delta: null })).toMatchObject({
    content_index: 0,
    delta: "",
  });
  expect(completeItem({ type: "function_call", name: "f", arguments: null })).toMatchObject({
    arguments: "",
  });
  expect(completeEvent({ type: "response.content_part.added", part: null })).toMatchObject({
    content_index: 0,
    part: { type: "output_text", text: "" },
  });
});

test("a response has all members that ours has, and keeps a vendor's null where one may be", () => {
  const usual = { error: null, tools: [], temperature: 1, parallel_tool_calls: true };
  expect(completeResponse({ temperature: null, tools: null, extra: 1 }, usual)).toEqual({
    ...{ error: null, tools: [], temperature: null, parallel_tool_calls: true, extra: 1 },
  });
});

test("why a response is cut, and its error, are whole where it is cut or failed, and else null if they say nothing", () => {
  const cut = { status: "incomplete", incomplete_details: { reason: null }, error: {} };
  expect(completeResponse(cut, {})).toEqual({
    ...cut,
    incomplete_details: { reason: "max_output_tokens" },
    error: null,
  });
  const whole = { status: "completed", incomplete_details: {}, error: { code: null } };
  expect(completeResponse(whole, {})).toEqual({ ...whole, incomplete_details: null, error: null });
  for (const [error, expected] of [
    ["boom", { code: "server_error", message: "boom" }],
    [
      { code: 429, message: null },
      { code: "429", message: "" },
    ],
    [{}, { code: "server_error", message: "" }],
  ] as const) {
    expect(completeResponse({ status: "failed", error }, {})).toEqual({ status: "failed", error: expected });
  }
});

test("a text where parts belong is its one part, and an object where a text belongs is written out", () => {
  const part = { type: "output_text", text: "All of it" };
  for (const content of ["All of it", ["All of it"]]) {
    expect(completeItem({ type: "message", content })).toMatchObject({ content: [part] });
  }
  expect(completeItem({ type: "reasoning", summary: "because", content: "thus" })).toMatchObject({
    summary: [{ type: "summary_text", text: "because" }],
    content: [{ type: "reasoning_text", text: "thus" }],
  });
  expect(completeItem({ type: "function_call", arguments: { city: "Paris" } })).toMatchObject({
    arguments: '{"city":"Paris"}',
  });
});
