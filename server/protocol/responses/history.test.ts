/** Histories that other gateways broke, in the requests of upstreams of both dialects. */
import { describe, expect, test } from "vitest";
import { callOf, upstreamRequestOf } from "@/tests/support/upstream-request";
import type { JsonObject } from "../fields";

type SentMessage = { role: string; content: unknown; tool_calls?: JsonObject[]; tool_call_id?: string };

const turnsFor = (dialect: "chat" | "messages", input: unknown[], more: object = {}) =>
  upstreamRequestOf(callOf.responses({ input }), dialect, more).messages as SentMessage[];

const user = (content: unknown) => ({ type: "message", role: "user", content });
const answer = (text: string) => ({
  type: "message",
  role: "assistant",
  content: [{ type: "output_text", text }],
});
const call = (id: string) => ({ type: "function_call", call_id: id, name: "f", arguments: "{}" });
const output = (id: string, value: unknown) => ({ type: "function_call_output", call_id: id, output: value });
const rolesOf = (turns: SentMessage[]) => turns.map(({ role }) => role);

describe("calls in a row", () => {
  const input = [user("x"), answer("Both."), call("a"), call("b"), output("a", "1"), output("b", "2")];

  test("are one message for a chat upstream, with text and calls (litellm PR#21154, CLIProxyAPI#3152, vllm PR#40981)", () => {
    const turns = turnsFor("chat", input);
    expect(rolesOf(turns)).toEqual(["user", "assistant", "tool", "tool"]);
    expect(turns[1]).toMatchObject({ content: "Both.", tool_calls: [{ id: "a" }, { id: "b" }] });
    expect(turns.slice(2)).toMatchObject([
      { tool_call_id: "a", content: "1" },
      { tool_call_id: "b", content: "2" },
    ]);
  });

  test("are one turn for a messages upstream, and their results one turn", () => {
    expect(turnsFor("messages", input)).toMatchObject([
      { role: "user" },
      { role: "assistant", content: [{ type: "text" }, { id: "a" }, { id: "b" }] },
      { role: "user", content: [{ tool_use_id: "a" }, { tool_use_id: "b" }] },
    ]);
  });

  test("with results between them are sent in an order that the upstream accepts", () => {
    const mixed = [user("x"), call("a"), output("a", "1"), call("b"), output("b", "2")];
    expect(rolesOf(turnsFor("chat", mixed))).toEqual(["user", "assistant", "tool", "assistant", "tool"]);
  });
});

describe.each(["chat", "messages"] as const)("for a %s upstream", (dialect) => {
  test("a result whose call is missing does not fail the conversation (OpenMinis#222, 9router PR#2928)", () => {
    const turns = turnsFor(dialect, [output("gone", "kept words"), user("go on")]);
    expect(rolesOf(turns).filter((role) => role === "tool")).toEqual([]);
    expect(JSON.stringify(turns)).not.toContain("tool_use_id");
    expect(JSON.stringify(turns)).toContain("go on");
  });

  test("a result of several parts keeps its text and its pictures (CLIProxyAPI#5039, pi#9518)", () => {
    const parts = [
      { type: "input_text", text: "a chart" },
      // Without `detail`, which some clients leave out.
      { type: "input_image", image_url: "data:image/png;base64,iVBORw0KGgo=" },
    ];
    const text = JSON.stringify(turnsFor(dialect, [user("x"), call("a"), output("a", parts)]));
    expect(text).toContain("a chart");
    expect(text).toContain("iVBORw0KGgo=");
  });

  test("thinking without a call after it does not fail the conversation (vercel/ai#7099, continue#8933, TanStack/ai#1212)", () => {
    const orphan = { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "hm" }] };
    const turns = turnsFor(dialect, [user("x"), orphan, answer("so"), user("y"), orphan]);
    expect(rolesOf(turns)).toEqual(["user", "assistant", "user"]);
    expect(JSON.stringify(turns.at(1)?.content)).not.toContain("hm");
  });
});

test("thinking goes back to a chat upstream that wants it, and not as text (codex#24500, rikkahub#1690, litellm PR#36355)", () => {
  const thought = { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "hm" }] };
  const turns = turnsFor("chat", [user("x"), thought, call("a"), output("a", "1")], { echoesThinking: true });
  expect(turns[1]).toMatchObject({ reasoning_content: "hm", tool_calls: [{ id: "a" }] });
  expect(turns[1]?.content ?? "").not.toContain("hm");
});

test("a vendor's compaction between a call and its result is refused by name (agents-python#2317)", () => {
  const compaction = { type: "compaction", encrypted_content: "z" };
  expect(() => turnsFor("chat", [user("x"), call("a"), compaction, output("a", "1")])).toThrow(
    expect.objectContaining({ kind: "cannotConvert", message: expect.stringContaining("compaction") }),
  );
});
