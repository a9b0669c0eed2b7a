import { expect, test } from "vitest";
import { messagesOf } from "@/tests/support/messages-history";
import { usualCapabilities } from "../capabilities";
import type { JsonObject } from "../fields";
import { AnswerSoFar } from "../pivot/other-form";
import { toEnvelope } from "../pivot/sealed";
import { estimateItems } from "../responses/estimate";
import { mapToolNames } from "../tools/tool-names";
import { estimateInput } from "../usage/estimate";
import { ReasoningDetails } from "./reasoning-details";
import { ChatEvents } from "./stream-in";

const text = { type: "reasoning.text", index: 0, format: "anthropic-claude-v1" };
const encrypted = { type: "reasoning.encrypted", index: 1, id: "r1", data: "ENC==" };

test("pieces of one detail become one, with the last value of each other member", () => {
  const details = new ReasoningDetails();
  details.add([{ ...text, text: "I " }]);
  details.add([{ ...text, text: "think", signature: null }]);
  details.add([{ ...text, signature: "SIG" }, encrypted]);
  details.add([{ ...encrypted, id: "r2" }, "nothing"]);
  expect(JSON.parse(details.take()?.data ?? "")).toEqual([
    { ...text, text: "I think", signature: "SIG" },
    encrypted,
    { ...encrypted, id: "r2" },
  ]);
  expect(details.take()).toBeNull();
});

const call = { index: 0, id: "a", function: { name: "look", arguments: "{}" } };

/** The blocks of a stream with these deltas. */
function blocksOf(deltas: JsonObject[], reasoningDetails = true) {
  const events = new ChatEvents(mapToolNames(["look"], 64), { ...usualCapabilities.chat, reasoningDetails });
  const chunks = [...deltas, { finish_reason: "tool_calls" }].map(({ finish_reason = null, ...delta }) => ({
    choices: [{ index: 0, delta, finish_reason }],
  }));
  const answer = new AnswerSoFar();
  answer.add([...chunks.flatMap((chunk) => events.read(chunk)), ...(events.end() ?? [])]);
  return answer.whole.blocks;
}
const sealed = (details: JsonObject[], summary = "") => ({
  type: "thinking",
  text: summary,
  seal: { origin: "openrouter", data: JSON.stringify(details) },
});
const callBlock = { type: "call", id: "a", name: "look", arguments: "{}" };

test.each<[string, JsonObject[], unknown[]]>([
  [
    "with the text of thinking",
    [
      { reasoning_content: "hm", reasoning_details: [{ ...text, text: "hm" }] },
      { content: "So", reasoning_details: [encrypted] },
    ],
    [sealed([{ ...text, text: "hm" }, encrypted], "hm"), { type: "text", text: "So" }],
  ],
  [
    "together with a call",
    [{ reasoning_details: [encrypted], tool_calls: [call] }],
    [sealed([encrypted]), callBlock],
  ],
  [
    "after a call",
    [{ tool_calls: [call] }, { reasoning_details: [encrypted] }],
    [callBlock, sealed([encrypted])],
  ],
])("details that come %s become the seal of a block", (_where, deltas, blocks) => {
  expect(blocksOf(deltas)).toEqual(blocks);
});

test("blocks have no seal if the upstream does not want its details back", () => {
  const deltas = [{ reasoning_content: "hm", reasoning_details: [encrypted] }, { tool_calls: [call] }];
  expect(blocksOf(deltas, false)).toEqual([{ type: "thinking", text: "hm", seal: null }, callBlock]);
});

const historyWith = (data: string): JsonObject[] => {
  const signature = toEnvelope({ type: "thinking", text: "hm", seal: { origin: "openrouter", data } });
  return [
    { role: "user", content: "x" },
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "hm", signature },
        { type: "text", text: "So" },
      ],
    },
    { role: "user", content: "y" },
  ];
};

test("details go back only to an upstream that wants them", () => {
  const messages = historyWith(JSON.stringify([encrypted]));
  const sentTo = (reasoningDetails: boolean) => messagesOf({ messages }, { reasoningDetails })[1];
  expect(sentTo(true)).toEqual({ role: "assistant", content: "So", reasoning_details: [encrypted] });
  expect(sentTo(false)).toEqual({ role: "assistant", content: "So" });
});

test("a detail with unknown members goes back with its known members only", () => {
  const data = JSON.stringify([{ ...encrypted, more: "x", format: { deep: [] } }]);
  expect(messagesOf({ messages: historyWith(data) }, { reasoningDetails: true })[1]).toMatchObject({
    reasoning_details: [encrypted],
  });
});

test("details with more text than the block shows go back whole, because their vendor wants all of it unchanged", () => {
  const longer = [{ ...text, text: "h".repeat(1_000) }, encrypted];
  expect(
    messagesOf({ messages: historyWith(JSON.stringify(longer)) }, { reasoningDetails: true })[1],
  ).toEqual({
    role: "assistant",
    content: "So",
    reasoning_details: longer,
  });
});

test("a detail that no vendor has written is left out", () => {
  const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
  for (const data of ["no JSON", '{"type":"reasoning.text"}', "[1]", deep]) {
    expect(messagesOf({ messages: historyWith(data) }, { reasoningDetails: true })[1]).toEqual({
      role: "assistant",
      content: "So",
    });
  }
});

test.each<[string, JsonObject]>([
  ["a text", { type: "reasoning.text", text: "密".repeat(1_000) }],
  ["data", { ...encrypted, data: "密".repeat(1_000) }],
  ["a signature", { ...text, signature: "密".repeat(1_000) }],
  ["a name", { ...encrypted, id: "密".repeat(1_000) }],
])(
  "all that a client may have written into a signature is counted before it is sent: %s",
  (_what, detail) => {
    const data = JSON.stringify([detail]);
    const signature = toEnvelope({ type: "thinking", text: "hm", seal: { origin: "openrouter", data } });
    const thinking = { type: "thinking", thinking: "hm", signature };
    expect(estimateInput({ messages: [{ role: "assistant", content: [thinking] }] })).toBeGreaterThan(700);
    expect(estimateItems([{ type: "reasoning", summary: [], encrypted_content: signature }])).toBeGreaterThan(
      700,
    );
  },
);
