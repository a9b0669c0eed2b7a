import { expect, test } from "vitest";
import { assistant, call, convert, result, text, tool, use, user } from "@/tests/support/chat-history";
import type { JsonObject } from "../../fields";
import { SYNTHETIC_SIGNATURE } from "../../signed-thinking";

test("one-api#1135: system and developer messages from anywhere stand in front, in order", () => {
  const body = convert([
    { role: "system", content: "a" },
    user(),
    { role: "assistant", content: "yo" },
    { role: "developer", content: [text("b"), text("c")] },
    user("more"),
  ]);
  expect(body.system).toEqual([text("a"), text("b"), text("c")]);
  expect(body.messages).toEqual([
    { role: "user", content: [text("hi")] },
    { role: "assistant", content: [text("yo")] },
    { role: "user", content: [text("more")] },
  ]);
});

test("one-api#1135: a conversation that does not begin with the user is given a silent beginning", () => {
  expect(convert([{ role: "assistant", content: "yo" }, user()]).messages).toEqual([
    { role: "user", content: [text("...")] },
    { role: "assistant", content: [text("yo")] },
    { role: "user", content: [text("hi")] },
  ]);
  expect(convert([{ role: "system", content: "a" }]).messages).toEqual([
    { role: "user", content: [text("...")] },
  ]);
});

test("consecutive messages of one side become one, and empty ones none", () => {
  expect(
    convert([user("a"), user(""), user("b"), { role: "assistant", content: "" }, user([text("c")])]).messages,
  ).toEqual([{ role: "user", content: [text("a"), text("b"), text("c")] }]);
});

test("a prefill loses the white space at its end and stays the last message", () => {
  expect(convert([user(), { role: "assistant", content: "{ \n" }]).messages).toEqual([
    { role: "user", content: [text("hi")] },
    { role: "assistant", content: [text("{")] },
  ]);
});

test("an assistant's message that the client did not send last is no prefill", () => {
  const messages = [user(), { role: "assistant", content: "yo" }, { role: "system", content: "be brief" }];
  expect((convert(messages).messages as JsonObject[]).at(-1)).toEqual({
    role: "user",
    content: [text("...")],
  });
});

test("a result may hold images, and one without content is still a result", () => {
  const parts = [text("see"), { type: "image_url", image_url: { url: "data:image/png;base64,AA" } }];
  const { messages } = convert([user(), assistant(call("a"), call("b")), tool("a", parts), tool("b", "")]);
  expect((messages as JsonObject[])[2]?.content).toEqual([
    {
      type: "tool_result",
      tool_use_id: "a",
      content: [
        text("see"),
        { type: "image", source: { type: "base64", media_type: "image/png", data: "AA" } },
      ],
    },
    { type: "tool_result", tool_use_id: "b" },
  ]);
});

test("an assistant's refusal is text, an earlier spoken answer is refused", () => {
  const { messages } = convert([user(), { role: "assistant", content: null, refusal: "no" }, user("why")]);
  expect((messages as JsonObject[])[1]?.content).toEqual([text("no")]);
  expect(() => convert([user(), { role: "assistant", audio: { id: "a" } }])).toThrow(/messages\[1\]\.audio/);
});

test("blocks in the messages dialect's form are taken in any message, a call in both forms once", () => {
  const { messages } = convert([
    user(),
    {
      role: "assistant",
      content: [
        text("on it"),
        use("a", "f", { x: 1 }),
        { type: "server_tool_use", id: "s", name: "web_search" },
      ],
      tool_calls: [call("a")],
    },
    user([text("so"), { type: "tool_result", tool_use_id: "a", content: [text("no")], is_error: true }]),
  ]);
  expect((messages as JsonObject[]).slice(1)).toEqual([
    { role: "assistant", content: [text("on it"), use("a", "f", { x: 1 })] },
    {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "a", content: "no", is_error: true }, text("so")],
    },
  ]);
});

test("CLIProxyAPI#1584: thinking comes back only as its vendor signed it", () => {
  const signed = { type: "thinking", thinking: " hm ", signature: "sig" };
  const redacted = { type: "redacted_thinking", data: "xx" };
  const { messages } = convert([
    user(),
    {
      ...assistant(call("a")),
      reasoning_content: "unsigned",
      thinking_blocks: [
        { index: 0, ...signed },
        redacted,
        { ...signed, signature: "" },
        { ...signed, signature: SYNTHETIC_SIGNATURE },
        { type: "thinking", thinking: "hm" },
      ],
    },
    tool("a"),
  ]);
  expect((messages as JsonObject[])[1]?.content).toEqual([signed, redacted, use("a")]);
});

test("every block of restored thinking stands in front of the turn, in order", () => {
  const signed = (words: string) => ({ type: "thinking", thinking: words, signature: words });
  const turn = { ...assistant(call("a")), content: "on it", thinking_blocks: [signed("1"), signed("2")] };
  const { messages } = convert([user(), turn, tool("a")]);
  expect((messages as JsonObject[])[1]?.content).toEqual([signed("1"), signed("2"), text("on it"), use("a")]);
});

/** Neither `String` nor a template can say what this is. */
const unspeakable = { toString: 1, valueOf: 1 };

test.each([
  [[user(42)], "messages[0].content"],
  [[{ role: "user" }], "messages[0].content"],
  [[user({ type: "text", text: "hi" })], "messages[0].content"],
  [[user([42])], "messages[0].content[0]"],
  [[user([{ type: "text", text: 42 }])], "messages[0].content[0].text"],
  [[user([{ type: unspeakable }])], "messages[0].content[0]"],
  [[user([{ type: "image_url", image_url: { url: unspeakable } }])], "messages[0].content[0]"],
  [[user([{ type: "document", source: { type: "text" } }])], "messages[0].content[0].source.data"],
  [[user([{ type: "image", source: { type: "url", url: unspeakable } }])], "messages[0].content[0]"],
  [
    [user([{ type: "image", source: { type: "base64", media_type: unspeakable, data: "AA" } }])],
    "messages[0].content[0].source.media_type",
  ],
  [[user([{ type: "tool_result", tool_use_id: 1, content: "" }])], "messages[0].content[0].tool_use_id"],
  [[{ role: "system", content: 42 }], "messages[0].content"],
  [[{ role: "assistant", content: 42 }], "messages[0].content"],
  [[{ role: "assistant", tool_calls: "f" }], "messages[0].tool_calls"],
  [[{ role: "assistant", function_call: "f" }], "messages[0].function_call"],
  [[{ role: "assistant", refusal: 42 }], "messages[0].refusal"],
  [[assistant(call("a", "f", 42))], "messages[0].tool_calls[0]"],
  [[assistant({ id: "a", function: { name: unspeakable } })], "messages[0].tool_calls[0]"],
  [[assistant(call("a")), tool("a", 42)], "messages[1].content"],
])("%j is refused, naming %s: nothing that was said is lost", (messages, field) => {
  expect(() => convert(messages as JsonObject[])).toThrow(
    expect.objectContaining({ kind: "cannotConvert", message: expect.stringContaining(field) }),
  );
});

test("a part with text beside its media is its media", () => {
  const part = { type: "image_url", text: "x", image_url: { url: "https://example.com/a.png" } };
  expect((convert([user([part])]).messages as JsonObject[])[0]?.content).toMatchObject([{ type: "image" }]);
});

test("a role of no known meaning is refused", () => {
  expect(() => convert([{ role: "narrator", content: "once" }])).toThrow(/messages\[0\]\.role/);
});

test("cache marks are copied from parts, messages, calls and tools; of too many, the latest stay", () => {
  const mark = { cache_control: { type: "ephemeral" } };
  const hour = { cache_control: { type: "ephemeral", ttl: "1h" } };
  const few = convert([
    { role: "system", content: [{ ...text("a"), ...hour }] },
    { ...user("b"), ...mark },
    { ...assistant({ ...call("a"), ...mark }) },
    { ...tool("a"), ...mark },
  ]);
  expect(few.system).toEqual([{ ...text("a"), ...hour }]);
  expect(few.messages).toEqual([
    { role: "user", content: [{ ...text("b"), ...mark }] },
    { role: "assistant", content: [{ ...use("a"), ...mark }] },
    { role: "user", content: [{ ...result("a"), ...mark }] },
  ]);
  const parts = ["1", "2", "3", "4"].map((words) => ({ ...text(words), ...mark }));
  const many = convert([{ role: "system", content: parts.slice(0, 1) }, user(parts)]);
  expect(many.system).toEqual([text("1")]);
  expect(many.messages).toEqual([{ role: "user", content: parts }]);
});
