/** One chat stream as a client of the messages dialect sees it. */
import { expect } from "vitest";
import type { JsonObject } from "@/server/protocol/fields";
import { SYNTHETIC_SIGNATURE } from "@/server/protocol/signed-thinking";
import { mapToolNames } from "@/server/protocol/tool-names";
import type { Counted } from "@/server/protocol/upstream-plan";
import { chunksAsMessages } from "./crossed";

const context = { model: "public", inputTokens: 9, fallbackId: "chatcmpl_1", now: new Date(0) };
export const counted: Counted = {
  usage: {
    inputTokens: 3,
    cacheReadTokens: 2,
    cacheWriteTokens: 4,
    cacheWrite1hTokens: 0,
    outputTokens: 5,
    reasoningTokens: 1,
  },
  source: "upstream",
};

export const openWriter = (tools = ["Bash", "Read"]) =>
  chunksAsMessages({ context, names: mapToolNames(tools, 64) });

export const chunk = (delta: object, choice: object = {}) => ({
  id: "chatcmpl-x",
  choices: [{ index: 0, delta, finish_reason: null, ...choice }],
});
export const call = (index: number, more: { id?: string; name?: string; args?: string }) => ({
  index,
  ...(more.id !== undefined && { id: more.id }),
  function: { name: more.name, arguments: more.args },
});
export const calling = (...calls: object[]) => chunk({ tool_calls: calls });
export const finish = (finish_reason: string, more: object = {}) => chunk({}, { finish_reason, ...more });

/** Frames as events; each is named after its data. */
export function eventsOf(frames: string): JsonObject[] {
  return frames
    .split("\n\n")
    .filter((frame) => frame !== "")
    .map((frame) => {
      const [name, data] = frame.split("\n");
      const event = JSON.parse(String(data).slice("data: ".length));
      expect(name).toBe(`event: ${event.type}`);
      return event;
    });
}

/** Puts blocks together as a client does, and demands what the strictest does: one open at a time, no gap. */
export function collect(events: JsonObject[]): JsonObject[] {
  const blocks: JsonObject[] = [];
  let isOpen = false;
  for (const event of events.filter((each) => String(each.type).startsWith("content_block"))) {
    if (event.type === "content_block_start") {
      expect([isOpen, event.index]).toEqual([false, blocks.length]);
      blocks.push({ ...(event.content_block as JsonObject), json: "" });
    }
    const block = blocks.at(-1) as JsonObject;
    expect(event.index).toBe(blocks.length - 1);
    if (event.type === "content_block_delta") {
      expect(isOpen).toBe(true);
      addDelta(block, event.delta as JsonObject);
    }
    isOpen = event.type !== "content_block_stop";
  }
  expect(isOpen).toBe(false);
  return blocks.map(({ json, ...block }) =>
    block.type === "tool_use" ? { ...block, input: JSON.parse(String(json || "{}")) } : block,
  );
}

const homes: Record<string, string[]> = {
  text_delta: ["text", "text"],
  thinking_delta: ["thinking", "thinking"],
  signature_delta: ["thinking", "signature"],
  input_json_delta: ["tool_use", "partial_json"],
};

function addDelta(block: JsonObject, delta: JsonObject): void {
  const [type, member = ""] = homes[String(delta.type)] ?? [];
  expect(block.type).toBe(type);
  const target = member === "partial_json" ? "json" : member;
  block[target] = String(block[target]) + String(delta[member]);
}

/** The whole stream, checked: what a client reads, and every event. */
export function run(chunks: JsonObject[], tools?: string[]) {
  const writer = openWriter(tools);
  const events = eventsOf(chunks.map((each) => writer.write(each)).join("") + writer.end(counted));
  const types = events.map((event) => event.type);
  expect(types.slice(0, 2)).toEqual(["message_start", "ping"]);
  expect(types.slice(-2)).toEqual(["message_delta", "message_stop"]);
  expect(types.filter((type) => type === "message_start")).toHaveLength(1);
  const last = events.at(-2) as { delta: JsonObject; usage: JsonObject };
  return { blocks: collect(events), events, ...last };
}

export const thinking = (text: string) => ({
  type: "thinking",
  thinking: text,
  signature: SYNTHETIC_SIGNATURE,
});
export const text = (value: string) => ({ type: "text", text: value });
export const tool = (name: string, input: object, id: unknown = expect.any(String)) => ({
  type: "tool_use",
  id,
  name,
  input,
});
