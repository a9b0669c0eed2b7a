/** One round of many calls and results: an upstream's writer pauses in the middle of it. */
import { expect, test } from "vitest";
import { atOnce } from "@/server/base/turns";
import { usualCapabilities } from "../capabilities";
import { toChatMessages } from "../chat/history-out";
import { readConversation } from "../chat/request-in";
import { toContents } from "../gemini/history-out";
import { writeHistory } from "../messages/history-out";
import { readInputs } from "../tools/call-arguments";
import { mapToolNames } from "../tools/tool-names";
import type { Turn } from "./conversation";

const CALLS = 10_240;
/** Items of a list written between two pauses. */
const PER_STEP = 256;

const ids = Array.from({ length: CALLS }, (_, index) => `c${index}`);
const read = atOnce(
  readConversation({
    messages: [
      { role: "user", content: "hi" },
      {
        role: "assistant",
        tool_calls: ids.map((id) => ({ id, type: "function", function: { name: "f", arguments: "{}" } })),
      },
      ...ids.map((id) => ({ role: "tool", tool_call_id: id, content: "x" })),
    ],
  }),
);
const [user, assistant, ...replies] = read.turns;
const results = replies.flatMap((turn) => (turn.role === "user" ? turn.blocks : []));
/** All results are in one turn. */
const turns = [user, assistant, { role: "user", blocks: results }] as Turn[];

const names = mapToolNames(["f"], 64);
const inputSteps = [...readInputs(turns)].length;
const writers: [string, Generator<void, unknown>, before: number][] = [
  ["chat", toChatMessages({ ...read, turns }, { capabilities: usualCapabilities.chat, names }), 0],
  ["messages", writeHistory({ ...read, turns }, usualCapabilities.messages), inputSteps],
  ["gemini", toContents({ ...read, turns }, { capabilities: usualCapabilities.gemini, names }), inputSteps],
];

test.each(writers)("a round of many results is written in steps: %s", (_dialect, writing, before) => {
  expect(results).toHaveLength(CALLS);
  expect([...writing].length - before).toBeGreaterThanOrEqual(CALLS / PER_STEP);
});
