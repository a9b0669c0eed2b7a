/** One chat answer, whole or as a stream, as a client of the messages dialect sees it. */
import { expect } from "vitest";
import type { JsonObject } from "@/server/protocol/fields";
import { mapToolNames } from "@/server/protocol/tools/tool-names";
import { chunksAsMessages, completionAsMessage } from "./pivot-translation";
import { sampleUsage } from "./sample-usage";
import { namedEventsOf } from "./sse-events";

const context = { model: "public", inputTokens: 9, fallbackId: "chatcmpl_1", now: new Date(0) };
export const longName = `mcp__${"x".repeat(90)}`;
const all = ["Bash", "Read", longName];
const namesOf = (tools: string[]) => mapToolNames(tools, 64);
export const sentName = namesOf(all).toUpstream(longName);

/** null: no answer. */
export function message(completion: JsonObject, tools = all): JsonObject | null {
  const answer = completionAsMessage(completion, sampleUsage, { context, names: namesOf(tools) });
  return answer && (JSON.parse(JSON.stringify(answer)) as JsonObject);
}

export const openWriter = (tools = all) => chunksAsMessages({ context, names: namesOf(tools) });

export const chunk = (delta: object, choice: object = {}) => ({
  ...{ id: "chatcmpl-x", choices: [{ index: 0, delta, finish_reason: null, ...choice }] },
});
export const calling = (...calls: object[]) => chunk({ tool_calls: calls });
export const finish = (finish_reason: string | null, more: object = {}) =>
  chunk({}, { finish_reason, ...more });

/** The arguments of a call that was cut off cannot be read. */
function inputOf(json: unknown): unknown {
  try {
    return JSON.parse(String(json || "{}"));
  } catch {
    return {};
  }
}

/** Builds the blocks as a client does, with the strictest client's rules: only one open block, and no gap. */
function collect(events: JsonObject[]): JsonObject[] {
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
    block.type === "tool_use" ? { ...block, input: inputOf(json) } : block,
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

/** A client's reading of the whole stream, and the stream's end. null: it broke off. */
export function read(chunks: JsonObject[], tools?: string[]) {
  const writer = openWriter(tools);
  const events = namedEventsOf(chunks.map((each) => writer.write(each)).join("") + writer.end(sampleUsage));
  const types = events.map((event) => event.type);
  expect(types.slice(0, 2)).toEqual(["message_start", "ping"]);
  expect(types.filter((type) => type === "message_start")).toHaveLength(1);
  if (types.at(-1) === "error") {
    expect(events.at(-1)).toMatchObject({ code: 502 });
    return null;
  }
  expect(types.slice(-2)).toEqual(["message_delta", "message_stop"]);
  const { delta, usage } = events.at(-2) as { delta: JsonObject; usage: JsonObject };
  return { content: collect(events), ...delta, usage };
}
