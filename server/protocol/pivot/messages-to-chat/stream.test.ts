/** The events of a chat stream for clients of the messages dialect, in sequence. */
import { expect, test } from "vitest";
import { calling, chunk, finish, openWriter, read } from "@/tests/support/chat-as-messages";
import { sampleUsage } from "@/tests/support/sample-usage";
import { namedEventsOf } from "@/tests/support/sse-events";
import type { JsonObject } from "../../fields";
import { SYNTHETIC_SIGNATURE } from "../../signed-thinking";

const text = (value: string) => ({ type: "text", text: value });
const thinking = (value: string) => ({ type: "thinking", thinking: value, signature: SYNTHETIC_SIGNATURE });
const use = (name: string, input: object = {}) => ({ type: "tool_use", id: "t", name, input });
const begin = (id: string, name: string, args: string) =>
  calling({ index: 0, id, function: { name, arguments: args } });
const bash = { id: "t", type: "function", function: { name: "Bash", arguments: "{}" } };
const everything = { reasoning_content: "hm", content: "a", tool_calls: [bash] };
const rest = (args: string) => calling({ index: 0, function: { arguments: args } });

test.each<[string, JsonObject[], JsonObject[]]>([
  [
    "claude-code-router#1725: thinking after a tool call closes the call and opens a new block",
    [chunk({ reasoning_content: "1" }), begin("t", "Bash", "{}"), chunk({ reasoning_content: "2" })],
    [thinking("1"), use("Bash"), thinking("2")],
  ],
  [
    "claude-code-router#1397: text after thinking and a tool call is a new text block",
    [chunk({ reasoning_content: "hm" }), begin("t", "Bash", "{}"), chunk({ content: "a" })],
    [thinking("hm"), use("Bash"), text("a")],
  ],
  [
    "litellm#30014: a chunk with a role, all kinds of content and a finish reason loses nothing",
    [chunk({ role: "assistant", ...everything }, { finish_reason: "stop" })],
    [thinking("hm"), text("a"), use("Bash")],
  ],
  [
    "CLIProxyAPI#3748: a call whose name comes late becomes a block",
    [begin("t", "", '{"a"'), begin("", "Bash", ":1}")],
    [use("Bash", { a: 1 })],
  ],
  ["an upstream without content gives one empty text", [], [text("")]],
])("%s", (_name, chunks, content) => {
  expect(read(chunks)?.content).toEqual(content);
});

test("litellm#24176, CLIProxyAPI#1700: the start has all four counts, with an estimate of the input", () => {
  const [start] = namedEventsOf(openWriter().write(chunk({ role: "assistant" })));
  const usage = { cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 0 };
  expect(start).toEqual({
    type: "message_start",
    message: {
      ...{ id: "msg_x", type: "message", role: "assistant", model: "public", content: [] },
      ...{ stop_reason: null, stop_sequence: null, usage: { input_tokens: 9, ...usage } },
    },
  });
});

test("CLIProxyAPI#5581: fragments of a call go out as they come, and text between them waits for the call's end", () => {
  const writer = openWriter();
  writer.write(begin("t", "Bash", ""));
  const delta = { type: "input_json_delta", partial_json: '{"a":' };
  const grown = { type: "content_block_delta", index: 0, delta };
  expect(namedEventsOf(writer.write(rest('{"a":')))).toEqual([grown]);
  expect(writer.write(chunk({ content: "meanwhile" }))).toBe("");
  expect(writer.write(rest("1}"))).toContain("meanwhile");
});

test("a finish reason does not end the message, because usage may come after it", () => {
  const writer = openWriter();
  writer.write(chunk({ content: "a" }));
  expect(writer.write(finish("stop"))).toBe("");
  expect(writer.write({ id: "c", choices: [], usage: {} })).toBe("");
});

test("a call with arguments that break the stream is left open", () => {
  const writer = openWriter();
  const events = namedEventsOf(writer.write(begin("t", "Bash", '{"a":')) + writer.end(sampleUsage));
  expect(events.at(-1)).toMatchObject({ type: "error", code: 502 });
  expect(events.map((event) => event.type)).not.toContain("content_block_stop");
});

test("a failure is one error event, and an open block is left open", () => {
  const failure = { code: 502, message: "broken", data: null } as const;
  const error = { type: "error", error: { type: "api_error", message: "broken" }, ...failure };
  expect(namedEventsOf(openWriter().fail(failure))).toEqual([error]);
  const writer = openWriter();
  writer.write(chunk({ content: "a" }));
  expect(namedEventsOf(writer.fail(failure))).toEqual([error]);
});

test("a keep-alive is a ping", () => {
  expect(namedEventsOf(openWriter().keepAlive())).toEqual([{ type: "ping" }]);
});

test("a hundred thousand fragments take time in proportion to their number", () => {
  const writer = openWriter();
  writer.write(begin("t", "Bash", '{"a":"'));
  for (let count = 0; count < 100_000; count++) {
    writer.write(rest("x".repeat(10)));
    writer.write(calling({ index: 1, id: "u", function: { name: "Read", arguments: " " } }));
  }
  writer.write(rest('"}'));
  expect(namedEventsOf(writer.end(sampleUsage)).at(-1)).toEqual({ type: "message_stop" });
});
