import { expect, test } from "vitest";
import {
  asks,
  assistant,
  bodyOf,
  call,
  calling,
  expectRefusal,
  messagesOf,
  type PartialCapabilities,
  result,
  says,
  signed,
  stub,
  text,
  tool,
  unspeakable,
  use,
  user,
} from "@/tests/support/chat-history";
import { cpuTimeMs } from "@/tests/support/cpu-time";
import type { JsonObject } from "../../fields";
import { SYNTHETIC_SIGNATURE } from "../../signed-thinking";

const mark = { cache_control: { type: "ephemeral" } };
const image = (url: unknown) => ({ type: "image_url", image_url: { url, detail: "high" } });
const imageOf = (source: JsonObject) => ({ type: "image", source });
const base64 = (media_type: string, data = "AAAA") => imageOf({ type: "base64", media_type, data });

test.each<[string, JsonObject[], JsonObject[]]>([
  [
    "text and calls of one turn stay together, and results come first and together",
    [
      { ...calling(call("a", "f", '{"x":1}'), call("b", "g", "")), content: "on it" },
      ...[user("hurry"), tool("b", "two"), tool("a", "one")],
    ],
    [
      says(text("on it"), use("a", "f", { x: 1 }), use("b", "g")),
      asks(result("b", "two"), result("a", "one"), text("hurry")),
    ],
  ],
  [
    "a call's arguments are kept, even if they are no object",
    [calling(call("a", "f", { a: 1 }), call("b", "f", '{"a":'), call("c", "f", "[1]")), tool("a")],
    [
      says(use("a", "f", { a: 1 }), use("b", "f", { _raw: '{"a":' }), use("c", "f", { _raw: "[1]" })),
      asks(result("a"), stub("b"), stub("c")),
    ],
  ],
  [
    "a call without a result gets one, also at the end of the conversation",
    [calling(call("a"), call("b")), tool("a"), calling(call("c"))],
    [says(use("a"), use("b")), asks(result("a"), stub("b")), says(use("c")), asks(stub("c"))],
  ],
  [
    "a late result finds its call",
    [calling(call("a")), user("?"), assistant("-"), tool("a")],
    [says(use("a")), asks(result("a"), text("?")), says(text("-")), asks(text("..."))],
  ],
  [
    "litellm#23510: a repeated identifier is made unique, and each result finds its call",
    [
      ...[calling(call("call_0", "f"), call("call_0", "g")), tool("call_0", "1"), tool("call_0", "2")],
      ...[calling(call("call_0", "h")), tool("call_0", "3")],
    ],
    [
      says(use("call_0", "f"), use("call_0_2", "g")),
      asks(result("call_0", "1"), result("call_0_2", "2")),
      says(use("call_0_3", "h")),
      asks(result("call_0_3", "3")),
    ],
  ],
  [
    "missing identifiers are made from the position, and are the same in the next request",
    [calling(call(undefined, "f"), call("", "g")), tool(undefined, "1"), tool("", "2"), user("next")],
    [
      says(use("call_1", "f"), use("call_2", "g")),
      asks(result("call_1", "1"), result("call_2", "2"), text("next")),
    ],
  ],
  [
    "a result without an identifier belongs to the only open call",
    [calling(call("a"), call("b")), tool("a", "1"), tool(undefined, "2")],
    [says(use("a"), use("b")), asks(result("a", "1"), result("b", "2"))],
  ],
  [
    "a result that fits no call or several becomes the user's text",
    [tool("x", "lost"), calling(call("a"), call("b")), tool(undefined, "2")],
    [says(use("a"), use("b")), asks(stub("a"), stub("b"), text("[tool_result ]"), text("2"))],
  ],
  [
    "legacy function messages become a call and its result",
    [
      assistant(null, { function_call: { name: "f", arguments: '{"a":1}' } }),
      { role: "function", name: "f", content: "ok" },
    ],
    [says(use("call_1", "f", { a: 1 })), asks(result("call_1"))],
  ],
  [
    "consecutive messages of one side become one, and empty and blank ones are left out",
    [user(""), user([text(" \n"), text("b")]), assistant(""), user([text("c")]), assistant("yo"), user("d")],
    [says(text("yo")), asks(text("d"))],
  ],
  ["a prefill loses the white space at its end and stays last", [assistant("{ \n")], [says(text("{"))]],
  [
    "an assistant's message before a system message is no prefill",
    [assistant("yo"), { role: "system", content: "be brief" }],
    [says(text("yo")), asks(text("..."))],
  ],
  [
    "a result may hold images, and one without content is still a result",
    [
      calling(call("a"), call("b")),
      tool("a", [text("see"), image("data:image/png;base64,AA")]),
      tool("b", ""),
    ],
    [
      says(use("a"), use("b")),
      asks(result("a", [text("see"), base64("image/png", "AA")]), { type: "tool_result", tool_use_id: "b" }),
    ],
  ],
  [
    "an assistant's refusal is text",
    [assistant(null, { refusal: "no" }), user("why")],
    [says(text("no")), asks(text("why"))],
  ],
  [
    "blocks in the messages dialect's form are read in any message, and a call in both forms once",
    [
      assistant([text("on it"), use("a", "f", { x: 1 }), { type: "server_tool_use", id: "s", name: "x" }], {
        tool_calls: [call("a")],
      }),
      user([text("so"), { ...result("a", [text("no")]), is_error: true }]),
    ],
    [
      says(text("on it"), use("a", "f", { x: 1 })),
      asks({ ...result("a", "no"), is_error: true }, text("so")),
    ],
  ],
  [
    "CLIProxyAPI#1584: signed thinking comes back unchanged, in order, before the turn, and unsigned thinking does not",
    [
      assistant("on it", {
        tool_calls: [call("a")],
        reasoning_content: "unsigned",
        thinking_blocks: [
          { index: 0, ...signed(" 1 ") },
          { type: "redacted_thinking", data: "xx" },
          ...[
            signed("2"),
            signed("3", ""),
            signed("4", SYNTHETIC_SIGNATURE),
            { type: "thinking", thinking: "5" },
          ],
        ],
      }),
      tool("a"),
    ],
    [
      says(signed(" 1 "), { type: "redacted_thinking", data: "xx" }, signed("2"), text("on it"), use("a")),
      asks(result("a")),
    ],
  ],
])("%s", (_name, turns, expected) => {
  expect(messagesOf(user(), ...turns).slice(1)).toEqual(expected);
});

test("one-api#1135: system and developer messages from any place become the system text, in order", () => {
  const developer = { role: "developer", content: [text("b"), text("c")] };
  const body = bodyOf({
    messages: [{ role: "system", content: "a" }, user(), assistant("yo"), developer, user()],
  });
  expect(body.system).toEqual([text("a"), text("b"), text("c")]);
  expect(body.messages).toEqual([asks(text("hi")), says(text("yo")), asks(text("hi"))]);
});

test('one-api#1135: a conversation that does not begin with the user gets a first turn with the text "..."', () => {
  expect(messagesOf(assistant("yo"), user())).toEqual([
    asks(text("...")),
    says(text("yo")),
    asks(text("hi")),
  ]);
  expect(messagesOf({ role: "system", content: "a" })).toEqual([asks(text("..."))]);
});

test("qwen-code#8160, vllm#34745, llmgateway#3389: identifiers stay distinct, legal and paired", () => {
  const ids = ["functions.Bash:0", "functions_Bash_0", "functions.Bash_0"];
  const [, assistant, back] = messagesOf(
    user(),
    calling(...ids.map((id) => call(id))),
    ...ids.map((id) => tool(id, id)),
  );
  const toolIds = assistant?.content.map((block) => String(block.id)) ?? [];
  expect(new Set(toolIds).size).toBe(3);
  expect(toolIds.every((id) => /^[a-zA-Z0-9_-]+$/.test(id))).toBe(true);
  expect(back?.content.map((block) => block.tool_use_id)).toEqual(toolIds);
  expect(back?.content.map((block) => block.content)).toEqual(ids);
});

test("200,000 calls without identifiers find their results in less than 5 s, and 200,000 system blocks are kept", () => {
  const many = Array.from({ length: 200_000 });
  const content = many.map(() => text("a"));
  const calls = assistant(null, { tool_calls: many.map(() => call(undefined)) });
  const results = many.map(() => tool(undefined));
  const began = cpuTimeMs();
  const body = bodyOf({ messages: [{ role: "system", content }, user(), calls, ...results] });
  expect(body.system).toHaveLength(200_000);
  expect((body.messages as { content: JsonObject[] }[])[2]?.content.at(-1)).toEqual(result("call_200000"));
  expect(cpuTimeMs() - began).toBeLessThan(5_000);
});

test("cache marks are copied from parts, messages, calls and tools, and the latest stay if there are too many", () => {
  const hour = { cache_control: { type: "ephemeral", ttl: "1h" } };
  const few = bodyOf({
    messages: [
      { role: "system", content: [{ ...text("a"), ...hour }] },
      { ...user("b"), ...mark },
      calling({ ...call("a"), ...mark }),
      { ...tool("a"), ...mark },
    ],
  });
  expect(few.system).toEqual([{ ...text("a"), ...hour }]);
  expect(few.messages).toEqual([
    asks({ ...text("b"), ...mark }),
    says({ ...use("a"), ...mark }),
    asks({ ...result("a"), ...mark }),
  ]);
  const parts = ["1", "2", "3", "4"].map((words) => ({ ...text(words), ...mark }));
  const many = bodyOf({ messages: [{ role: "system", content: parts.slice(0, 1) }, user(parts)] });
  expect([many.system, many.messages]).toEqual([[text("1")], [asks(...parts)]]);
});

const file = (more: object) => ({ type: "file", file: more });
const pdf = { type: "base64", media_type: "application/pdf", data: "JVBERi0x" };
const plain = { type: "text", media_type: "text/plain", data: "甲,乙" };
const csv = file({
  file_data: `data:text/csv;charset=utf-8;base64,${Buffer.from("甲,乙").toString("base64")}`,
  filename: "a.csv",
});

test.each<[unknown, JsonObject, PartialCapabilities?]>([
  [image("data:image/png;base64,AAAA"), base64("image/png")],
  [image("data:image/jpg;base64,AAAA"), base64("image/jpeg")],
  [image("data:IMAGE/JPEG;charset=utf-8;base64,AA\nAA"), base64("image/jpeg")],
  [image("data:image/webp;name=a.webp;base64,AAAA"), base64("image/webp")],
  // litellm#16760: an address is passed on, not fetched.
  [{ ...image("https://a/b.png"), text: "x" }, imageOf({ type: "url", url: "https://a/b.png" })],
  [base64("image/png"), base64("image/png")],
  [imageOf({ type: "url", url: "http://a/b" }), imageOf({ type: "url", url: "http://a/b" })],
  ["plain", text("plain")],
  [
    file({ file_data: "data:application/pdf;base64,JVBERi0x", filename: "a.pdf" }),
    { type: "document", source: pdf, title: "a.pdf" },
  ],
  [file({ file_data: "JVBERi0x", filename: "a.pdf" }), { type: "document", source: pdf, title: "a.pdf" }],
  [csv, { type: "document", source: plain, title: "a.csv" }],
  [csv, text("a.csv\n\n甲,乙"), { documents: false }],
])("the part %j becomes %j with the capabilities %j", (part, block, takes) => {
  expect(bodyOf({ messages: [user([part])] }, takes).messages).toEqual([asks(block)]);
});

const requestWith = (...messages: unknown[]) => ({ messages });
const part = (...parts: unknown[]) => requestWith(user([text("see"), ...parts]));

test.each<[JsonObject, string, PartialCapabilities?]>([
  [part({ type: "input_audio", input_audio: { data: "AA", format: "wav" } }), "messages[0].content[1]"],
  [part({ type: "video_url", video_url: { url: "https://example.com" } }), "messages[0].content[1]"],
  [part(file({ file_id: "file_1" })), "messages[0].content[1]"],
  [part(file({ file_data: "data:application/zip;base64,AA" })), "messages[0].content[1]"],
  [
    part(file({ file_data: "data:application/pdf;base64,AA" })),
    "messages[0].content[1]",
    { documents: false },
  ],
  [part(image("data:image/svg+xml;base64,AAAA")), "messages[0].content[1]"],
  [part(image("data:image/png,AAAA")), "messages[0].content[1]"],
  [part(image("ftp://example.com/a.png")), "messages[0].content[1]"],
  [part(image("data:image/png;base64,AAAA")), "messages[0].content[1]", { images: "none" }],
  [part(image("https://example.com/a.png")), "messages[0].content[1]", { images: "data" }],
  [part(image(unspeakable)), "messages[0].content[1]"],
  [part(imageOf({ type: "file", file_id: "f" })), "source"],
  [part(imageOf({ type: "url", url: unspeakable })), "messages[0].content[1]"],
  [
    part(imageOf({ type: "base64", media_type: unspeakable, data: "AA" })),
    "messages[0].content[1].source.media_type",
  ],
  [part({ type: "document", source: { type: "text" } }), "messages[0].content[1].source.data"],
  [part({ type: "tool_result", tool_use_id: 1, content: "" }), "messages[0].content[1].tool_use_id"],
  [part({ type: "text", text: 42 }), "messages[0].content[1].text"],
  [part({ type: unspeakable }), "messages[0].content[1]"],
  [part(42), "messages[0].content[1]"],
  [requestWith(user(42)), "messages[0].content"],
  [requestWith({ role: "user" }), "messages[0].content"],
  [requestWith(user(text("hi"))), "messages[0].content"],
  [requestWith({ role: "narrator", content: "once" }), "messages[0].role"],
  [requestWith({ role: "system", content: 42 }), "messages[0].content"],
  [requestWith(assistant(42)), "messages[0].content"],
  [requestWith({ role: "assistant", audio: { id: "a" } }), "messages[0].audio"],
  [requestWith({ role: "assistant", tool_calls: "f" }), "messages[0].tool_calls"],
  [requestWith({ role: "assistant", function_call: "f" }), "messages[0].function_call"],
  [requestWith({ role: "assistant", refusal: 42 }), "messages[0].refusal"],
  [requestWith(calling(call("a", "f", 42))), "messages[0].tool_calls[0]"],
  [requestWith(calling({ id: "a", function: { name: unspeakable } })), "messages[0].tool_calls[0]"],
  [requestWith(calling(call("a")), tool("a", 42)), "messages[1].content"],
])("%j is refused, naming %s, so that no content is lost (%j)", (fields, field, takes) => {
  expectRefusal(field, fields, takes);
});
