import { expect } from "vitest";
import { checkUsage } from "./chat-checks";
import type { Manner as ChatManner, ChatRead } from "./chat-client";
import type { JsonObject } from "./corpus";
import type { AnswerContent, Crossed } from "./crossed-oracle";
import { fields, list, string } from "./json";
import { envelopeWords, type MessagesRead } from "./messages-client";
import type { Stage } from "./stage";
import type { RecordedUsage } from "./usage";

/** A recording in another dialect than its client's, and the expected reading of the client. */
export type CrossedScene = Stage & { crossed: Crossed };

const members: Record<string, string[]> = {
  text: ["text", "type"],
  thinking: ["signature", "thinking", "type"],
  tool_use: ["id", "input", "name", "type"],
};

/** Checks that there is at least one block and that all have only members that every client of the dialect accepts. */
function checkBlocks(blocks: JsonObject[]): void {
  expect(blocks.length, "a block to read").toBeGreaterThan(0);
  for (const block of blocks) {
    expect(Object.keys(block).sort()).toEqual(members[string(block.type)]);
  }
  const signatures = blocks.filter((block) => block.type === "thinking").map((block) => block.signature);
  expect(signatures.filter((signature) => !string(signature))).toEqual([]);
}

const legalId = /^[a-zA-Z0-9_-]+$/;

/** Checks that identifiers are unchanged if the client's dialect allows them, and that distinct ones stay distinct. */
function checkIds(ids: unknown[], content: AnswerContent, isLegal: (id: string) => boolean): void {
  expect(new Set(ids).size, "distinct tool calls").toBe(ids.length);
  for (const [index, { id }] of content.tools.entries()) {
    const clientId = string(ids[index]);
    expect(isLegal(clientId), `an id of the dialect: ${clientId}`).toBe(true);
    if (id !== null && isLegal(id)) {
      expect(clientId).toBe(id);
    }
  }
}

const joined = (blocks: JsonObject[], type: string) =>
  blocks.map((block) => (block.type === type ? string(block[type]) : "")).join("");

const calledTools = (content: AnswerContent) => content.tools.map(({ name, input }) => ({ name, input }));

function checkMessageSays(message: JsonObject, content: AnswerContent): void {
  const blocks = list(message.content);
  const tools = blocks.filter((block) => block.type === "tool_use");
  expect({
    text: joined(blocks, "text"),
    thinking: joined(blocks, "thinking"),
    tools: tools.map(({ name, input }) => ({ name, input })),
    stop: message.stop_reason,
  }).toEqual({
    text: content.text,
    thinking: content.thinking,
    tools: calledTools(content),
    stop: content.stop,
  });
  const ids = tools.map((tool) => tool.id);
  checkIds(ids, content, (id) => legalId.test(id));
}

function checkMessageUsage(clientUsage: JsonObject, usage: RecordedUsage | null): void {
  const { input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens } = clientUsage;
  if (!usage) {
    expect(input_tokens, "estimated input").toBeGreaterThan(0);
    expect(output_tokens, "estimated output").toBeGreaterThan(0);
    return;
  }
  const written = usage.cacheWrite + usage.cacheWrite1h;
  const input = usage.prompt === null ? input_tokens : usage.prompt - usage.cacheRead - written;
  const thinking = fields(clientUsage.output_tokens_details).thinking_tokens ?? 0;
  expect(input_tokens, "an input, or all of it cached").toBeGreaterThanOrEqual(usage.prompt === null ? 1 : 0);
  expect(thinking, "thinking").toBe(usage.reasoning ?? thinking);
  expect({ input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens }).toEqual({
    input_tokens: input,
    output_tokens: usage.completion,
    cache_read_input_tokens: usage.cacheRead,
    cache_creation_input_tokens: written,
  });
}

/** Checks a messages SDK's reading of a chat recording. */
export function checkCrossedMessage({ crossed, model }: CrossedScene, read: MessagesRead): void {
  if (crossed.kind === "refused") {
    const { status, message } = crossed.refused;
    expect(read.error).toMatchObject({ status });
    expect(envelopeWords(read.error)).toBe(message ?? envelopeWords(read.error));
    return;
  }
  if (crossed.kind === "broken") {
    expect(read.error?.status).toBeUndefined();
    expect(read.error?.message).toContain(crossed.words);
    return;
  }
  expect(read.error).toBeNull();
  const { message } = read;
  expect(message).toMatchObject({ type: "message", role: "assistant", model, stop_sequence: null });
  expect(message.id).toMatch(/./);
  const blocks = list(message.content).map(({ parsed_output: _added, ...block }) => block);
  checkBlocks(blocks);
  checkMessageSays({ ...message, content: blocks }, crossed.content);
  checkMessageUsage(fields(message.usage), crossed.usage);
}

/** Checks a chat SDK's reading of a messages recording. */
export function checkCrossedChat(
  { crossed, model, isStream }: CrossedScene,
  manner: ChatManner,
  read: ChatRead,
): void {
  if (crossed.kind !== "answer") {
    expect(read.error).toMatchObject({ status: crossed.kind === "refused" ? crossed.refused.status : 502 });
    return;
  }
  expect(read.error).toBeNull();
  const { content, usage } = crossed;
  const choice = read.choices[0];
  // The SDK's own accumulator keeps only the last fragment of members that it does not know.
  const hasThinking = !(isStream && manner === "accumulated");
  expect({
    text: choice?.text,
    ...(hasThinking && { thinking: choice?.reasoning }),
    tools: choice?.toolCalls.map(({ name, arguments: text }) => ({
      name,
      input: JSON.parse(text) as unknown,
    })),
    stop: choice?.finish,
  }).toEqual({
    text: content.text,
    ...(hasThinking && { thinking: content.thinking }),
    tools: calledTools(content),
    stop: content.stop,
  });
  const ids = choice?.toolCalls.map((call) => call.id) ?? [];
  checkIds(ids, content, (id) => id.length > 0 && id.length <= 40);
  expect(Object.keys(read.choices)).toEqual(["0"]);
  expect([...new Set(read.models)], "the public model name, and no other").toEqual([model]);
  checkUsage(read.usage, usage);
  const details = fields(read.usage?.prompt_tokens_details);
  expect(details.cached_tokens ?? 0).toBe(usage?.cacheRead ?? 0);
}
