import { describe, expect, test } from "vitest";
import { atOnce } from "@/server/base/turns";
import { readConversation } from "./chat/request-in";
import type { JsonObject } from "./fields";
import { estimateThinking, type KeptThinking, keptCalls, readKept, ThinkingBefore } from "./kept-thinking";
import type { AnswerBlock } from "./pivot/answer";
import { withoutSignedIds } from "./tools/tool-ids";

const id = "toolu_01A09q90qw90lq917835lq9";
const other = "call_9q90qw90lq917835lq9A0101";
const sealed = (origin: "anthropic" | "openai" | "google" | "openrouter"): AnswerBlock => ({
  type: "thinking",
  text: "hm",
  seal: { origin, data: "c2VhbA" },
});
const sealedBlock = (origin: "anthropic" | "openai", characters: number) => ({
  type: "thinking" as const,
  text: "",
  seal: { origin, data: "x".repeat(characters) },
});
const unsigned: AnswerBlock = { type: "thinking", text: "hm", seal: null };
const redacted: AnswerBlock = { type: "redacted", data: "ZGF0YQ" };
const call = (callId: string): AnswerBlock => ({ type: "call", id: callId, name: "f", arguments: "" });
const envelopeOf = (block: AnswerBlock) => {
  const kept: KeptThinking[] = [];
  const before = new ThinkingBefore((entry) => void kept.push(entry));
  before.add(block);
  before.idOf(id);
  return kept[0]?.envelopes[0] ?? "";
};
const text: AnswerBlock = { type: "text", text: "a" };

/** The identifiers that a client gets, and the thinking kept under each. */
function keepThinking(blocks: AnswerBlock[]) {
  const kept: KeptThinking[] = [];
  const before = new ThinkingBefore((entry) => void kept.push(entry));
  const ids = blocks.flatMap((block) => {
    before.add(block);
    return block.type === "call" ? [before.idOf(block.id)] : [];
  });
  return { ids, kept: Object.fromEntries(readKept(kept)) };
}

describe("thinking before a call", () => {
  test.each<[string, AnswerBlock[], string[], Record<string, AnswerBlock[]>]>([
    [
      "signed by Claude is kept",
      [sealed("anthropic"), text, call(id)],
      [`${id}__tgk`],
      { [id]: [sealed("anthropic")] },
    ],
    [
      "encrypted by OpenAI is kept",
      [sealed("openai"), call(other)],
      [`${other}__tgk`],
      { [other]: [sealed("openai")] },
    ],
    [
      "is kept under the first call after it",
      [redacted, call(id), call(other)],
      [`${id}__tgk`, other],
      { [id]: [redacted] },
    ],
    [
      "is kept under the call that it came before",
      [sealed("anthropic"), call(id), redacted, call(other)],
      [`${id}__tgk`, `${other}__tgk`],
      { [id]: [sealed("anthropic")], [other]: [redacted] },
    ],
    [
      "that its vendor does not want back is not kept",
      [unsigned, sealed("google"), sealed("openrouter"), call(id)],
      [id],
      {},
    ],
    [
      "is not kept under an identifier that other calls may have",
      [sealed("anthropic"), call("call_0")],
      ["call_0"],
      {},
    ],
    ["after the last call is not kept", [call(id), sealed("anthropic")], [id], {}],
  ])("%s", (_, ...[blocks, ids, kept]) => {
    expect(keepThinking(blocks)).toEqual({ ids, kept });
  });

  test("is not kept without a store, and no identifier is marked", () => {
    const before = new ThinkingBefore(undefined);
    before.add(redacted);
    expect(before.idOf(id)).toBe(id);
  });
});

const assistantTurn = (callIds: string[], more: JsonObject = {}): JsonObject => ({
  ...{ role: "assistant", content: null, ...more },
  tool_calls: callIds.map((callId) => ({
    id: callId,
    type: "function",
    function: { name: "f", arguments: "{}" },
  })),
});
const result = (tool_call_id: string): JsonObject => ({ role: "tool", tool_call_id, content: "b" });
const handedBack = { type: "thinking", thinking: "own", signature: "b3du" };
const envelopes = [envelopeOf(sealed("anthropic"))];
const thinking = readKept([{ callId: id, envelopes }]);

describe("a history", () => {
  test.each<[string, JsonObject[], string[], AnswerBlock["type"][]]>([
    [
      "whose calls lack their thinking gets it",
      [assistantTurn([`${id}__tgk`]), result(`${id}__tgk`)],
      [id],
      ["thinking", "call"],
    ],
    [
      "gets it before the text",
      [assistantTurn([other, `${id}__tgk`], { content: "a" })],
      [id],
      ["thinking", "text", "call", "call"],
    ],
    [
      "that has its thinking asks for none",
      [assistantTurn([`${id}__tgk`], { thinking_blocks: [handedBack] })],
      [],
      ["thinking", "call"],
    ],
    [
      "that has its thinking as content asks for none",
      [assistantTurn([`${id}__tgk`], { content: [handedBack] })],
      [],
      ["thinking", "call"],
    ],
    ["of other calls asks for none", [assistantTurn([other]), result(other)], [], ["call"]],
    [
      "asks once for thinking that is lost",
      [assistantTurn([`${other}__tgk`]), assistantTurn([`${other}__tgk`])],
      [other],
      ["call"],
    ],
  ])("%s", (_, ...[messages, callIds, types]) => {
    expect(keptCalls(messages)).toEqual(callIds);
    const { turns } = atOnce(readConversation({ messages }, thinking));
    expect(turns[0]?.blocks.map(({ type }) => type)).toEqual(types);
    expect(JSON.stringify(turns)).not.toContain("__tgk");
  });

  test("asks for its latest calls, and a bounded number of them", () => {
    const ids = Array.from({ length: 300 }, (_, at) => `call_${String(at).padStart(20, "0")}`);
    expect(keptCalls(ids.map((callId) => assistantTurn([`${callId}__tgk`])))).toEqual(ids.slice(-256));
  });

  test("goes to an upstream of its own dialect with the vendor's identifiers", () => {
    const messages = [assistantTurn([`${id}__tgk`]), result(`${id}__tgk`)];
    expect(withoutSignedIds(JSON.stringify({ messages }))).toBe(
      JSON.stringify({ messages: [assistantTurn([id]), result(id)] }),
    );
  });
});

test("kept thinking that cannot be read counts as lost", () => {
  expect(readKept([{ callId: id, envelopes: ["tg1.x", "other"] }])).toEqual(new Map([[id, []]]));
});

test.each<[string, AnswerBlock, number]>([
  ["of Claude's", { ...sealedBlock("anthropic", 1_688), text: "a ".repeat(200) }, 261],
  ["of OpenAI's", sealedBlock("openai", 6_284), 896],
  ["of xAI's", sealedBlock("openai", 1_731), 253],
  ["that is not shown", { type: "redacted", data: "x".repeat(1_020) }, 196],
  ["that is shown", { ...sealedBlock("anthropic", 400), text: "word ".repeat(500) }, 500],
])(
  "thinking %s counts as a part of the prompt, with no fewer tokens than its vendor counts",
  (_whose, block, tokens) => {
    const estimate = estimateThinking(readKept([{ callId: id, envelopes: [envelopeOf(block)] }]));
    expect(estimate).toBeGreaterThanOrEqual(tokens);
    expect(estimate).toBeLessThan(tokens * 1.5);
  },
);
