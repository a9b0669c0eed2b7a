import { expect, test } from "vitest";
import { assistant, call, convert, result, stub, text, tool, use, user } from "@/tests/support/chat-history";
import { cpuTimeMs } from "@/tests/support/cpu-time";
import type { JsonObject } from "../../fields";

test("text and calls of one turn stay together, results come back first and together", () => {
  const body = convert([
    user(),
    { ...assistant(call("a", "f", '{"x":1}'), call("b", "g", "")), content: "on it" },
    user("hurry"),
    tool("b", "two"),
    tool("a", "one"),
  ]);
  expect(body.messages).toEqual([
    { role: "user", content: [text("hi")] },
    { role: "assistant", content: [text("on it"), use("a", "f", { x: 1 }), use("b", "g")] },
    { role: "user", content: [result("b", "two"), result("a", "one"), text("hurry")] },
  ]);
});

test.each([
  ["nothing", "", {}],
  ["an object", { a: 1 }, { a: 1 }],
  ["broken JSON", '{"a":', { _raw: '{"a":' }],
  ["a list", "[1]", { _raw: "[1]" }],
])("a call whose arguments are %s is kept", (_name, args, input) => {
  const { messages } = convert([user(), assistant(call("a", "f", args)), tool("a")]);
  expect((messages as JsonObject[])[1]?.content).toEqual([use("a", "f", input)]);
});

test("a call without a result is given one, at the end of the conversation too", () => {
  const { messages } = convert([user(), assistant(call("a"), call("b")), tool("a"), assistant(call("c"))]);
  expect(messages).toEqual([
    { role: "user", content: [text("hi")] },
    { role: "assistant", content: [use("a"), use("b")] },
    { role: "user", content: [result("a"), stub("b")] },
    { role: "assistant", content: [use("c")] },
    { role: "user", content: [stub("c")] },
  ]);
});

test("a result that no call waits for becomes the user's text", () => {
  expect(convert([tool("x", "lost"), user()]).messages).toEqual([
    { role: "user", content: [text("[tool_result x]"), text("lost"), text("hi")] },
  ]);
});

test("a late result finds its call", () => {
  const { messages } = convert([
    user(),
    assistant(call("a")),
    user("?"),
    { role: "assistant", content: "-" },
    tool("a"),
  ]);
  expect((messages as JsonObject[])[2]).toEqual({ role: "user", content: [result("a"), text("?")] });
});

test("qwen-code#8160, vllm#34745, llmgateway#3389: identifiers stay distinct, legal and paired", () => {
  const ids = ["functions.Bash:0", "functions_Bash_0", "functions.Bash_0"];
  const { messages } = convert([
    user(),
    assistant(...ids.map((id) => call(id))),
    ...ids.map((id) => tool(id, id)),
  ]);
  const [, said, back] = messages as { content: JsonObject[] }[];
  const sent = said?.content.map((block) => String(block.id)) ?? [];
  expect(new Set(sent).size).toBe(3);
  expect(sent.every((id) => /^[a-zA-Z0-9_-]+$/.test(id))).toBe(true);
  expect(back?.content.map((block) => block.tool_use_id)).toEqual(sent);
  expect(back?.content.map((block) => block.content)).toEqual(ids);
});

test("litellm#23510: an identifier that comes twice is made unique, and each result finds its own call", () => {
  const { messages } = convert([
    user(),
    assistant(call("call_0", "f"), call("call_0", "g")),
    tool("call_0", "1"),
    tool("call_0", "2"),
    assistant(call("call_0", "h")),
    tool("call_0", "3"),
  ]);
  expect(messages).toEqual([
    { role: "user", content: [text("hi")] },
    { role: "assistant", content: [use("call_0", "f"), use("call_0_2", "g")] },
    { role: "user", content: [result("call_0", "1"), result("call_0_2", "2")] },
    { role: "assistant", content: [use("call_0_3", "h")] },
    { role: "user", content: [result("call_0_3", "3")] },
  ]);
});

test("missing identifiers follow from the position, the same in the next request", () => {
  const turn = [user(), assistant(call(undefined, "f"), call("", "g")), tool(undefined, "1"), tool("", "2")];
  const first = convert(turn).messages as JsonObject[];
  expect(first[1]?.content).toEqual([use("call_1", "f"), use("call_2", "g")]);
  expect(first[2]?.content).toEqual([result("call_1", "1"), result("call_2", "2")]);
  expect((convert([...turn, user("next")]).messages as JsonObject[]).slice(0, 2)).toEqual(first.slice(0, 2));
});

test("a result without an identifier is that of the only call that waits", () => {
  const { messages } = convert([
    user(),
    assistant(call("a"), call("b", "g")),
    tool("a", "1"),
    tool(undefined, "2"),
  ]);
  expect((messages as JsonObject[])[2]?.content).toEqual([result("a", "1"), result("b", "2")]);
  const unclear = convert([user(), assistant(call("a"), call("b", "g")), tool(undefined, "2")]);
  expect(JSON.stringify(unclear.messages)).toContain("[tool_result ]");
});

test("200,000 calls without identifiers find their results in no time", () => {
  const calls = Array.from({ length: 200_000 }, () => call(undefined));
  const began = cpuTimeMs();
  const { messages } = convert([
    user(),
    { ...assistant(), tool_calls: calls },
    ...calls.map(() => tool(undefined)),
  ]);
  expect((messages as { content: JsonObject[] }[])[2]?.content.at(-1)).toEqual(result("call_200000"));
  expect(cpuTimeMs() - began).toBeLessThan(5_000);
});

test("200,000 system blocks are as many", () => {
  const content = Array.from({ length: 200_000 }, () => text("a"));
  expect(convert([{ role: "system", content }, user()]).system).toHaveLength(200_000);
});

test("legacy function messages become a call and its result", () => {
  const { messages } = convert([
    user(),
    { role: "assistant", content: null, function_call: { name: "f", arguments: '{"a":1}' } },
    { role: "function", name: "f", content: "ok" },
  ]);
  expect((messages as JsonObject[]).slice(1)).toEqual([
    { role: "assistant", content: [use("call_1", "f", { a: 1 })] },
    { role: "user", content: [result("call_1")] },
  ]);
});
