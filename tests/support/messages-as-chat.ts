/** One messages stream as a client of the chat dialect sees it. */
import type { JsonObject } from "@/server/protocol/fields";
import { mapToolNames } from "@/server/protocol/tool-names";
import type { Counted } from "@/server/protocol/upstream-plan";
import { messagesAsChunks } from "./crossed";

export const counted: Counted = {
  usage: {
    inputTokens: 5,
    cacheReadTokens: 2,
    cacheWriteTokens: 3,
    cacheWrite1hTokens: 4,
    outputTokens: 6,
    reasoningTokens: 1,
  },
  source: "upstream",
};
const context = { model: "public", inputTokens: 9, fallbackId: "chatcmpl_1", now: new Date(5_000) };

export const callOf = (more: object = {}) => ({
  context,
  client: {
    names: mapToolNames(["f", "g"], 128),
    schemaTool: null,
    usesLegacyFunctions: false,
    ...more,
  },
});

export const start = { type: "message_start", message: { id: "msg_01", content: [] } };
export const begin = (index: number, content_block: JsonObject) => ({
  type: "content_block_start",
  index,
  content_block,
});
export const delta = (index: number, of: JsonObject) => ({ type: "content_block_delta", index, delta: of });
export const json = (index: number, partial_json: string) =>
  delta(index, { type: "input_json_delta", partial_json });
export const stop = (index: number) => ({ type: "content_block_stop", index });
export const finish = (stop_reason: string | null) => ({ type: "message_delta", delta: { stop_reason } });
export const use = (id: string, name = "f", input: JsonObject = {}) => ({
  type: "tool_use",
  id,
  name,
  input,
});

export function parse(frames: string): JsonObject[] {
  const data = frames.split("\n\n").filter((frame) => frame.startsWith("data: {"));
  return data.map((frame) => JSON.parse(frame.slice("data: ".length)) as JsonObject);
}

export function stream(
  events: JsonObject[],
  { wantsUsage = false, ...more }: { wantsUsage?: boolean } & JsonObject = {},
) {
  const writer = messagesAsChunks({ ...callOf(more), wantsUsage });
  const text = events.map((event) => writer.write(event)).join("") + writer.end(counted);
  return { text, chunks: parse(text) };
}

type Choice = { delta: JsonObject; finish_reason: string | null };
export const choices = (chunks: JsonObject[]) => chunks.flatMap((chunk) => chunk.choices as Choice[]);
export const deltas = (events: JsonObject[], more: JsonObject = {}) =>
  choices(stream([start, ...events], more).chunks)
    .slice(1, -1)
    .map((choice) => choice.delta);
export const ended = (events: JsonObject[], more: JsonObject = {}) =>
  choices(stream([start, ...events], more).chunks).at(-1)?.finish_reason;
