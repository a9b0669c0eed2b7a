import { describe, expect, test } from "vitest";
import { completionAsMessage } from "@/tests/support/crossed";
import { SYNTHETIC_SIGNATURE } from "../../signed-thinking";
import { mapToolNames } from "../../tool-names";

const usage = {
  inputTokens: 3,
  cacheReadTokens: 2,
  cacheWriteTokens: 4,
  cacheWrite1hTokens: 0,
  outputTokens: 5,
  reasoningTokens: 1,
};
const context = { model: "public", inputTokens: 9, fallbackId: "chatcmpl_1", now: new Date(0) };

function convert(message: object, choice: object = {}, tools = ["Bash", "Read"]) {
  const answer = { id: "chatcmpl-x", choices: [{ index: 0, message, finish_reason: "stop", ...choice }] };
  const text = completionAsMessage(
    answer,
    { usage, source: "upstream" },
    { context, names: mapToolNames(tools, 64) },
  );
  return text === null ? null : JSON.parse(text);
}

const call = (name: string, args: string, id = "call_1") => ({
  id,
  type: "function",
  function: { name, arguments: args },
});

test("an answer is a message under the public name, with the upstream's id and all four counts", () => {
  expect(convert({ content: "hi" })).toEqual({
    id: "msg_x",
    type: "message",
    role: "assistant",
    model: "public",
    content: [{ type: "text", text: "hi" }],
    stop_reason: "end_turn",
    stop_sequence: null,
    usage: {
      input_tokens: 3,
      cache_creation_input_tokens: 4,
      cache_read_input_tokens: 2,
      output_tokens: 5,
      output_tokens_details: { thinking_tokens: 1 },
    },
  });
});

test("thinking, text and calls come in this order, no optional member is null", () => {
  const answer = convert({
    content: "on it",
    reasoning_content: "hm",
    tool_calls: [call("Bash", '{"a":1}')],
  });
  expect(answer.content).toEqual([
    { type: "thinking", thinking: "hm", signature: SYNTHETIC_SIGNATURE },
    { type: "text", text: "on it" },
    { type: "tool_use", id: "call_1", name: "Bash", input: { a: 1 } },
  ]);
  expect(answer.stop_reason).toBe("tool_use");
});

test("an answer without content is one empty text", () => {
  expect(convert({ content: null }).content).toEqual([{ type: "text", text: "" }]);
});

test("only the first choice counts", () => {
  const answer = {
    choices: [
      { index: 1, message: { content: "b" } },
      { index: 0, message: { content: "a" } },
    ],
  };
  const text = completionAsMessage(
    answer,
    { usage, source: "upstream" },
    { context, names: mapToolNames([], 64) },
  );
  expect(JSON.parse(String(text))).toMatchObject({ id: "msg_1", content: [{ text: "a" }] });
});

describe("calls", () => {
  test("a shortened name comes back whole, an illegal id legal, a missing one minted", () => {
    const name = `mcp__${"x".repeat(90)}`;
    const sent = mapToolNames([name], 64).toUpstream(name);
    const [first, second] = convert(
      { tool_calls: [call(sent, "{}", "functions.Bash:0"), call("Bash", "{}", "")] },
      {},
      [name, "Bash"],
    ).content;
    expect(first).toMatchObject({ name, id: expect.stringMatching(/^tgid_[a-zA-Z0-9_-]+$/) });
    expect(second).toMatchObject({ name: "Bash", id: expect.stringMatching(/^call_[0-9a-f]{24}$/) });
  });

  test.each(["", " ", "null", "{}"])("the arguments %j are none", (args) => {
    expect(convert({ tool_calls: [call("Bash", args)] }).content).toMatchObject([{ input: {} }]);
  });

  test.each(['{"a":', "[]", '"x"', "{a}"])(
    "the arguments %j make it no answer, unless it was cut",
    (args) => {
      expect(convert({ tool_calls: [call("Bash", args)] })).toBeNull();
      expect(convert({ tool_calls: [call("Bash", args)] }, { finish_reason: "length" })).toMatchObject({
        content: [{ type: "tool_use", input: {} }],
        stop_reason: "max_tokens",
      });
    },
  );

  test("CLIProxyAPI#3748: a call without a name is the only tool's, or none if it says nothing, or no answer", () => {
    expect(convert({ tool_calls: [call("", '{"a":1}')] }, {}, ["Bash"]).content).toMatchObject([
      { name: "Bash" },
    ]);
    expect(convert({ content: "x", tool_calls: [call("", "")] })).toMatchObject({ stop_reason: "end_turn" });
    expect(convert({ tool_calls: [call("", '{"a":1}')] })).toBeNull();
  });

  test("a call of a custom tool is one if its input is arguments, else it is no answer", () => {
    const custom = (input: string) => ({
      tool_calls: [{ id: "c", type: "custom", custom: { name: "Bash", input } }],
    });
    expect(convert(custom('{"command":"ls"}')).content).toEqual([
      { type: "tool_use", id: "c", name: "Bash", input: { command: "ls" } },
    ]);
    expect(convert(custom("ls"))).toBeNull();
  });

  test("the older form of a call is one; Snowflake's empty one is none", () => {
    const old = convert(
      { function_call: { name: "Bash", arguments: "{}" } },
      { finish_reason: "function_call" },
    );
    expect(old).toMatchObject({ content: [{ type: "tool_use", name: "Bash" }], stop_reason: "tool_use" });
    expect(convert({ content: "x", function_call: {} }, {}, ["Bash"]).content).toHaveLength(1);
  });
});

test.each([
  [{ content: "x" }, { finish_reason: "stop" }, { stop_reason: "end_turn", stop_sequence: null }],
  [{ content: "x" }, { finish_reason: "length" }, { stop_reason: "max_tokens", stop_sequence: null }],
  [{ content: "x" }, { finish_reason: "content_filter" }, { stop_reason: "refusal", stop_sequence: null }],
  [
    { content: null, refusal: "no" },
    { finish_reason: "stop" },
    { stop_reason: "refusal", stop_sequence: null },
  ],
  [{ content: "x" }, { finish_reason: "tool_calls" }, { stop_reason: "end_turn", stop_sequence: null }],
  [
    { tool_calls: [call("Bash", "{}")] },
    { finish_reason: "stop" },
    { stop_reason: "tool_use", stop_sequence: null },
  ],
  [
    { content: "x" },
    { finish_reason: "stop", stop_reason: "END" },
    { stop_reason: "stop_sequence", stop_sequence: "END" },
  ],
  [
    { content: "x" },
    { finish_reason: "stop", stop_reason: 128_009 },
    { stop_reason: "end_turn", stop_sequence: null },
  ],
])("%j with %j ends as %j", (message, choice, ending) => {
  expect(convert(message, choice)).toMatchObject(ending);
});

test("a refusal's words are text", () => {
  expect(convert({ content: null, refusal: "no" }).content).toEqual([{ type: "text", text: "no" }]);
});
