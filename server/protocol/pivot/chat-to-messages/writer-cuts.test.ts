import fc from "fast-check";
import { expect, test } from "vitest";
import { messageAsCompletion } from "@/tests/support/crossed";
import {
  begin,
  callOf,
  choices,
  counted,
  delta,
  finish,
  json,
  start,
  stop,
  stream,
} from "@/tests/support/messages-as-chat";
import type { JsonObject } from "../../fields";

/** Puts chunks together as the SDKs do. */
function accumulate(chunks: JsonObject[]): { message: JsonObject; finish_reason: unknown } {
  const message: JsonObject = { refusal: null };
  const calls: { id: string; type: string; function: { name: string; arguments: string } }[] = [];
  const blocks: JsonObject[] = [];
  for (const { delta: of } of choices(chunks)) {
    message.role ??= of.role;
    for (const field of ["content", "reasoning_content"]) {
      if (typeof of[field] === "string") {
        message[field] = `${message[field] ?? ""}${of[field]}`;
      }
    }
    for (const { index, ...block } of (of.thinking_blocks ?? []) as { index: number }[]) {
      blocks[index] = block;
    }
    for (const { index, ...call } of (of.tool_calls ?? []) as ((typeof calls)[0] & { index: number })[]) {
      const known = calls[index];
      calls[index] = known
        ? {
            ...known,
            function: { ...known.function, arguments: known.function.arguments + call.function.arguments },
          }
        : call;
    }
  }
  if (message.content === "" && calls.length > 0) {
    message.content = null;
  }
  return {
    message: {
      ...message,
      ...(blocks.length > 0 && { thinking_blocks: blocks }),
      ...(calls.length > 0 && { tool_calls: calls }),
    },
    finish_reason: choices(chunks).at(-1)?.finish_reason,
  };
}

/** A text in pieces, empty ones among them. */
const pieces = (text: string, cuts: number[]): string[] => {
  const places = [...cuts.map((cut) => Math.floor(cut * text.length)), text.length].sort((a, b) => a - b);
  return places.map((place, index) => text.slice(places[index - 1] ?? 0, place));
};

function streamed(block: JsonObject, index: number, cuts: number[]): JsonObject[] {
  const piecesOf = (text: unknown) => pieces(String(text), cuts);
  if (block.type === "text") {
    const texts = piecesOf(block.text).map((text) => delta(index, { type: "text_delta", text }));
    return [begin(index, { ...block, text: "" }), ...texts, stop(index)];
  }
  if (block.type === "thinking") {
    const texts = piecesOf(block.thinking).map((thinking) =>
      delta(index, { type: "thinking_delta", thinking }),
    );
    const signed = piecesOf(block.signature).map((signature) =>
      delta(index, { type: "signature_delta", signature }),
    );
    return [
      begin(index, { type: "thinking", thinking: "", signature: "" }),
      ...texts,
      ...signed,
      stop(index),
    ];
  }
  if (block.type === "tool_use") {
    const texts = piecesOf(JSON.stringify(block.input)).map((text) => json(index, text));
    return [begin(index, { ...block, input: {} }), ...texts, stop(index)];
  }
  return [begin(index, block), stop(index)];
}

const id = fc.stringMatching(/^[a-zA-Z0-9_-]{1,12}$/);
const block = fc.oneof(
  fc.record({ type: fc.constant("text"), text: fc.string({ unit: "binary" }) }),
  fc.record({ type: fc.constant("thinking"), thinking: fc.string(), signature: fc.string() }),
  fc.record({ type: fc.constant("redacted_thinking"), data: fc.string() }),
  fc.record({
    type: fc.constant("tool_use"),
    id,
    name: fc.constantFrom("f", "g", "out"),
    input: fc.dictionary(fc.string(), fc.jsonValue()),
  }),
  fc.record({ type: fc.constant("server_tool_use"), id, name: id, input: fc.constant({}) }),
);
const message = fc.record({
  id: fc.constant("msg_01"),
  content: fc.array(block, { maxLength: 6 }),
  stop_reason: fc.constantFrom("end_turn", "tool_use", "max_tokens", "refusal", "stop_sequence"),
});

test("however a message is cut into events, its chunks come to what its JSON answer says", () => {
  const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 5 });
  fc.assert(
    fc.property(message, cuts, fc.constantFrom(null, "out"), (whole, places, schemaTool) => {
      const events = whole.content.flatMap((each, index) => streamed(each, index, places));
      const { chunks } = stream([start, ...events, finish(whole.stop_reason)], { schemaTool });
      const answer = messageAsCompletion(whole, counted, callOf({ schemaTool }));
      const [choice] = (JSON.parse(String(answer)) as { choices: JsonObject[] }).choices;
      expect(accumulate(chunks)).toEqual({ message: choice?.message, finish_reason: choice?.finish_reason });
    }),
    { numRuns: 500 },
  );
});
