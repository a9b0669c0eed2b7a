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
  expect(
    completeResponse({ incomplete_details: {}, error: { code: "x", message: null } }, usual),
  ).toMatchObject({
    incomplete_details: { reason: "max_output_tokens" },
    error: { code: "x", message: "" },
  });
});
