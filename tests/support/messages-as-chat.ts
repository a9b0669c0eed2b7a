/** One message, whole or as a stream, as a client of the chat dialect sees it. */
import { expect } from "vitest";
import type { JsonObject } from "@/server/protocol/fields";
import { mapToolNames } from "@/server/protocol/tools/tool-names";
import { dataOf } from "./dialect-pairs/model-answer";
import { messageAsCompletion, messagesAsChunks } from "./pivot-translation";
import { sampleUsage } from "./sample-usage";

type CompletionChoice = { delta: JsonObject; message: JsonObject; finish_reason: string | null };
/** `soleTool`: the request had only one tool. */
export type ChatTraits = { schemaTool?: string | null; usesLegacyFunctions?: boolean; soleTool?: boolean };

const callOf = ({ soleTool = false, ...more }: ChatTraits) => ({
  context: { model: "public", inputTokens: 9, fallbackId: "chatcmpl_1", now: new Date(5_000) },
  client: {
    names: mapToolNames(soleTool ? ["f"] : ["f", "g", "读取"], 128),
    ...{ schemaTool: null, usesLegacyFunctions: false, ...more },
  },
});

/** The whole answer as a completion. */
export const complete = (message: JsonObject, client: ChatTraits = {}) =>
  JSON.parse(JSON.stringify(messageAsCompletion(message, sampleUsage, callOf(client)))) as JsonObject & {
    choices: [CompletionChoice];
  };

export const start = { type: "message_start", message: { id: "msg_01", content: [] } };
export const begin = (index: number, content_block: JsonObject) => ({
  ...{ type: "content_block_start", index, content_block },
});
export const delta = (index: number, fields: JsonObject) => ({
  ...{ type: "content_block_delta", index, delta: fields },
});
export const json = (index: number, partial_json: string) =>
  delta(index, { type: "input_json_delta", partial_json });
export const stop = (index: number) => ({ type: "content_block_stop", index });
export const finish = (stop_reason: string | null) => ({ type: "message_delta", delta: { stop_reason } });

export const openWriter = (wantsUsage: boolean, client: ChatTraits = {}) =>
  messagesAsChunks({ ...callOf(client), wantsUsage });

export function stream(
  events: JsonObject[],
  { wantsUsage = false, ...client }: { wantsUsage?: boolean } & ChatTraits = {},
) {
  const writer = openWriter(wantsUsage, client);
  const text = events.map((event) => writer.write(event)).join("") + writer.end(sampleUsage);
  return { text, chunks: dataOf(text) };
}

const choices = (chunks: JsonObject[]) => chunks.flatMap((chunk) => chunk.choices as CompletionChoice[]);
export const deltas = (events: JsonObject[], client: ChatTraits = {}) =>
  choices(stream([start, ...events], client).chunks)
    .slice(1, -1)
    .map((choice) => choice.delta);

type FunctionCall = { name: string; arguments: string };
type IndexedToolCall = { index: number; id: string; type: string; function: FunctionCall };
const added = (
  previous: FunctionCall | undefined,
  { name, arguments: text }: FunctionCall,
): FunctionCall => ({
  ...{ name: previous?.name ?? name, arguments: (previous?.arguments ?? "") + text },
});

/**
 * Checks the rules of the strictest clients: one head, the role first, the end last, calls with a complete start and in
 * order.
 */
function expectStrict(chunks: JsonObject[]): void {
  for (const { choices: _said, usage: _counts, ...head } of chunks) {
    expect(head).toEqual({ id: "chatcmpl-01", object: "chat.completion.chunk", created: 5, model: "public" });
  }
  const allChoices = choices(chunks);
  expect(allChoices.map(({ delta }) => delta.role)).toEqual(
    allChoices.map((_, at) => (at === 0 ? "assistant" : undefined)),
  );
  expect(allChoices.slice(0, -1).filter((choice) => choice.finish_reason !== null)).toEqual([]);
  expect(allChoices.at(-1)?.finish_reason).toMatch(/./);
  let begun = 0;
  for (const { index, id, type, function: target } of allChoices.flatMap(
    ({ delta }) => (delta.tool_calls ?? []) as Partial<IndexedToolCall>[],
  )) {
    expect(typeof target?.arguments).toBe("string");
    if (index === begun) {
      begun++;
      expect([id, type, target?.name]).toEqual([
        expect.stringMatching(/./),
        "function",
        expect.stringMatching(/./),
      ]);
    } else {
      expect(index).toBeLessThan(begun);
    }
  }
}

/** Adds chunks up as the SDKs do. */
export function accumulate(chunks: JsonObject[]): Pick<CompletionChoice, "message" | "finish_reason"> {
  expectStrict(chunks);
  const message: JsonObject = { refusal: null };
  const calls: Omit<IndexedToolCall, "index">[] = [];
  const blocks: JsonObject[] = [];
  for (const { delta } of choices(chunks)) {
    message.role ??= delta.role;
    for (const field of ["content", "reasoning_content"]) {
      if (typeof delta[field] === "string") {
        message[field] = `${message[field] ?? ""}${delta[field]}`;
      }
    }
    for (const { index, ...block } of (delta.thinking_blocks ?? []) as { index: number }[]) {
      blocks[index] = block;
    }
    for (const { index, ...call } of (delta.tool_calls ?? []) as IndexedToolCall[]) {
      calls[index] = { ...call, ...calls[index], function: added(calls[index]?.function, call.function) };
    }
    if (delta.function_call) {
      message.function_call = added(
        message.function_call as FunctionCall | undefined,
        delta.function_call as FunctionCall,
      );
    }
  }
  if (message.content === "" && (calls.length > 0 || message.function_call)) {
    message.content = null;
  }
  const lists = { thinking_blocks: blocks, tool_calls: calls };
  const filled = Object.entries(lists).filter(([, list]) => list.length > 0);
  return {
    message: { ...message, ...Object.fromEntries(filled) },
    finish_reason: choices(chunks).at(-1)?.finish_reason ?? null,
  };
}
