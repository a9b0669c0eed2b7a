import { expect, test } from "vitest";
import { completeEvent, completeItem, completeResponse } from "./complete";

test("members that an upstream sends are not changed, and a complete value is returned as the same object", () => {
  const part = { type: "output_text", text: "a", annotations: [], vendor: 1 };
  const item = { type: "message", id: "m", status: "incomplete", role: "assistant", content: [part] };
  expect(completeItem(item)).toBe(item);
  const event = { type: "response.output_text.delta", content_index: 3, delta: "a" };
  expect(completeEvent(event)).toBe(event);
  const other = { type: "shell_call", action: null };
  expect(completeItem(other)).toBe(other);
});

test("members that an upstream omits or sends as null are added if clients need them", () => {
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

test("a response has all usual members, and keeps a vendor's null in a member that may be null", () => {
  const usual = { error: null, tools: [], temperature: 1, parallel_tool_calls: true };
  expect(completeResponse({ temperature: null, tools: null, extra: 1 }, usual)).toEqual({
    ...{ error: null, tools: [], temperature: null, parallel_tool_calls: true, extra: 1 },
  });
});

test("the reason of a cut response and the error of a failed one are completed, and are null if they are empty in others", () => {
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

test("a text in place of parts becomes its one part, and an object in place of a text becomes JSON", () => {
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
