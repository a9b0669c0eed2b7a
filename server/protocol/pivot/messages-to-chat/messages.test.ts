import { expect, test } from "vitest";
import {
  assistant,
  expectRefusal,
  messagesOf,
  type PartialCapabilities,
  result,
  text,
  unspeakable,
  use,
  user,
} from "@/tests/support/messages-history";
import type { JsonObject } from "../../fields";

const toolCall = (id: string, args = "{}") => ({
  ...{ id, type: "function", function: { name: "Bash", arguments: args } },
});
const assistantMessage = (content: string | null, ...calls: JsonObject[]) => ({
  ...assistant(content),
  tool_calls: calls,
});
const tool = (id: string, content: string) => ({ role: "tool", tool_call_id: id, content });
const system = (content: unknown) => ({ role: "system", content });
const image = (source: JsonObject) => ({ type: "image", source });
const png = image({ type: "base64", media_type: "image/png", data: "AAA=" });
const pngPart = { type: "image_url", image_url: { url: "data:image/png;base64,AAA=" } };
const document = (source: JsonObject, more: object = {}) => ({ type: "document", source, ...more });
const pdf = { type: "base64", media_type: "application/pdf", data: "JVBE" };
const thinking = (value: unknown, signature = "") => ({ type: "thinking", thinking: value, signature });
const link = "https://example.org/a.png";
const nameless = { type: "tool_result", content: "2" };
const wrapped = `tgid_${Buffer.from("functions.Bash:0").toString("base64url")}`;
const search = [
  { type: "server_tool_use", id: "s", name: "web_search", input: {} },
  { type: "web_search_tool_result", tool_use_id: "s", content: [] },
];

test.each<[string, JsonObject[], JsonObject[]]>([
  [
    "new-api#2499: a turn keeps its text with its calls",
    [user("q"), assistant([text("on it"), use("t", { a: 1 })]), user([result("t", "ok")])],
    [user("q"), assistantMessage("on it", toolCall("t", '{"a":1}')), tool("t", "ok")],
  ],
  [
    "ogx#6367, sglang#29083: results come before the user's text, in the order of the calls",
    [
      ...[assistant([use("a"), use("b")]), system("reminder")],
      ...[user([text("first"), result("b", "B"), text("last")]), user([result("a", "A")])],
    ],
    [
      ...[assistantMessage(null, toolCall("a"), toolCall("b")), tool("a", "A"), tool("b", "B")],
      ...[system("reminder"), user("first\n\nlast")],
    ],
  ],
  [
    "litellm#23712: a result of blocks is their text",
    [assistant([use("a")]), user([result("a", [text("x"), text("y")])])],
    [assistantMessage(null, toolCall("a")), tool("a", "x\ny")],
  ],
  [
    "litellm#20403: an image in a result follows after all results",
    [
      assistant([use("a"), use("b")]),
      user([result("a", [text("shot"), png]), result("b", "B"), text("see?")]),
    ],
    [
      ...[assistantMessage(null, toolCall("a"), toolCall("b")), tool("a", "shot\n[image]"), tool("b", "B")],
      user([text("[tool_result a]"), pngPart, text("see?")]),
    ],
  ],
  [
    "the result of a failed call says so, and an empty result stays empty",
    [assistant([use("a"), use("b")]), user([result("a", "no", { is_error: true }), result("b")])],
    [assistantMessage(null, toolCall("a"), toolCall("b")), tool("a", "[tool_error] no"), tool("b", "")],
  ],
  [
    "a result without its call becomes the user's text, and a call without its result gets one",
    [assistant([use("a")]), user([result("zzz", "lost")])],
    [assistantMessage(null, toolCall("a")), tool("a", "[no result]"), user("[tool_result] lost")],
  ],
  [
    "a second result for the same call becomes the user's text",
    [assistant([use("a")]), user([result("a", "1"), result("a", "2")])],
    [assistantMessage(null, toolCall("a")), tool("a", "1"), user("[tool_result] 2")],
  ],
  [
    "results of calls with the same id go to the calls in order",
    [assistant([use("a"), use("a"), use("a")]), user([result("a", "1")]), user([result("a", "2")])],
    [
      assistantMessage(null, toolCall("a"), toolCall("a"), toolCall("a")),
      ...[tool("a", "1"), tool("a", "2"), tool("a", "[no result]")],
    ],
  ],
  [
    "consecutive turns of the assistant become one",
    [assistant("a"), assistant([use("t")]), user([result("t", "ok")])],
    [assistantMessage("a", toolCall("t")), tool("t", "ok")],
  ],
  [
    "vllm#34745, qwen-code#8160: call and result have the identifier that the upstream gave",
    [assistant([use(wrapped)]), user([result(wrapped, "ok")])],
    [assistantMessage(null, toolCall("functions.Bash:0")), tool("functions.Bash:0", "ok")],
  ],
  [
    "a result without an identifier belongs to the only open call",
    [assistant([use("a"), use("b")]), user([nameless, result("a", "1")])],
    [assistantMessage(null, toolCall("a"), toolCall("b")), tool("a", "1"), tool("b", "2")],
  ],
  [
    "a result without an identifier becomes the user's text if two calls are open",
    [assistant([use("a"), use("b")]), user([nameless])],
    [
      ...[
        assistantMessage(null, toolCall("a"), toolCall("b")),
        tool("a", "[no result]"),
        tool("b", "[no result]"),
      ],
      user("[tool_result] 2"),
    ],
  ],
  [
    "calls of the vendor's own tools are left out, and the text around them stays whole",
    [assistant([text("It is "), ...search, text("42.")]), user("thanks")],
    [assistant("It is 42."), user("thanks")],
  ],
  [
    "nyro#217, copilot-api#273: a system message between the turns, or at the end, stays in its place",
    [user("a"), system("reminder"), user("b"), system([text("bye")])],
    [user("a"), system("reminder"), user("b"), system("bye")],
  ],
  [
    "claude-code-router#4: empty messages and blocks do not reach the upstream",
    [user(""), assistant(""), assistant([text("")]), user([text(""), text("hi")]), user([])],
    [user("hi")],
  ],
  [
    "a turn with nothing but thinking is left out",
    [user("a"), assistant([thinking("hm")]), user("b")],
    [user("a"), user("b")],
  ],
  [
    "earlier thinking does not reach an upstream that does not want it",
    [assistant([thinking("one"), use("a")]), user([result("a", "ok")])],
    [assistantMessage(null, toolCall("a")), tool("a", "ok")],
  ],
])("%s", (_name, messages, expected) => {
  expect(messagesOf({ messages })).toEqual(expected);
});

test.each<[unknown, unknown]>([
  [[text("a"), text("b")], "a\n\nb"],
  [
    [text("a"), png],
    [text("a"), pngPart],
  ],
  [[image({ type: "url", url: link })], [{ type: "image_url", image_url: { url: link } }]],
  [
    [
      document({ type: "text", data: "body" }, { title: "T" }),
      { type: "search_result", source: "https://s", title: "S", content: [text("r")] },
    ],
    "T\nbody\n\nS\nhttps://s\nr",
  ],
  [
    [document({ type: "content", content: [text("x"), png] }, { context: "C" })],
    [text("C"), text("x"), pngPart],
  ],
  [
    [document(pdf, { title: "a.pdf" })],
    [{ type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,JVBE" } }],
  ],
])("the user's content %j becomes %j", (content, expected) => {
  expect(messagesOf({ messages: [user(content)] })).toEqual([user(expected)]);
});

const billing = "x-anthropic-billing-header: cc_version=2; cch=";

test.each<[unknown, string]>([
  [[{ ...text("a"), cache_control: { type: "ephemeral" } }, text(""), text("b")], "a\n\nb"],
  // claude-code-router#1372: the billing header is removed, so that two turns share a prefix.
  [[text(`${billing}aaa;`), text("You are")], "You are"],
  [[text(`${billing}bbb;`), text("You are")], "You are"],
  [`${billing}1\nYou are`, "You are"],
])("the system text %j becomes %j", (prompt, expected) => {
  expect(messagesOf({ system: prompt })).toEqual([system(expected), user("hi")]);
});

test("a system message between the turns becomes a user's reminder if the upstream takes system messages at the start only", () => {
  const messages = [user("a"), system("reminder"), user("b")];
  expect(messagesOf({ system: "s", messages }, { laterSystem: false })).toEqual([
    system("s"),
    user("a\n\n<system-reminder>\nreminder\n</system-reminder>\n\nb"),
  ]);
});

test("an upstream that signs its tool calls gets a placeholder for the signature of calls that are not its own", () => {
  const messages = [user("a"), assistant([use("t1")]), user([result("t1", "ok")])];
  const signature = { google: { thought_signature: "skip_thought_signature_validator" } };
  expect(messagesOf({ messages }, { signsToolCalls: true })[1]).toEqual(
    assistantMessage(null, { ...toolCall("t1"), extra_content: signature }),
  );
});

test.each<[JsonObject[], unknown]>([
  [
    [thinking("one", "foreign"), { type: "redacted_thinking", data: "x" }, thinking("two"), use("a")],
    "one\ntwo",
  ],
  [[use("a")], " "],
  [[text("hi")], undefined],
])("new-api#4408: an upstream that wants thinking back gets from %j the thinking %j", (content, thought) => {
  const messages = [assistant(content), user([result("a", "ok")])];
  expect(messagesOf({ messages }, { echoesThinking: true })[0]?.reasoning_content).toBe(thought);
});

test("200,000 blocks of a turn, of an answer and of a result do not overflow the stack", () => {
  const many = Array.from({ length: 200_000 }, () => text("a"));
  const messages = messagesOf({
    messages: [assistant([...many, use("t")]), user([result("t", many), ...many])],
  });
  expect(messages.map((message) => String(message.content).length)).toEqual([200_000, 399_999, 599_998]);
  const media = Array.from({ length: 200_000 }, () => png);
  const [, , shown] = messagesOf({ messages: [assistant([use("t")]), user([result("t", media)])] });
  expect(shown?.content).toHaveLength(200_001);
});

const requestWith = (...blocks: unknown[]) => ({ messages: [user("hi"), user(blocks)] });
const answered = (...blocks: unknown[]) => ({ messages: [user("hi"), assistant(blocks)] });

test.each<[JsonObject, string, PartialCapabilities?]>([
  [{ messages: [user("")] }, "messages"],
  [requestWith(png), "image", { images: "none" }],
  [requestWith(image({ type: "url", url: link })), "image.source.type", { images: "data" }],
  [requestWith(image({ type: "file", file_id: "f" })), "image.source.type 为 file"],
  [requestWith(image({ type: unspeakable })), "image.source.type"],
  [requestWith(document(pdf)), "document", { documents: false }],
  [requestWith(document({ type: "file", file_id: "f" })), "document.source.type"],
  [requestWith(document({ type: unspeakable })), "document.source.type"],
  [requestWith(document({ type: "text", data: 5 })), "document.source.data"],
  [requestWith(document({ type: "content", content: 5 })), "document.source.content"],
  [requestWith(document({ type: "text", data: "" }, { title: 5 })), "document.title"],
  [requestWith({ type: "container_upload", file_id: "f" }), "container_upload"],
  [requestWith({ type: "hologram" }), "hologram"],
  [requestWith({ type: unspeakable }), "messages"],
  [requestWith({ type: "text", text: 42 }), "text.text"],
  [requestWith({ type: "search_result", content: "x" }), "search_result.content"],
  [requestWith({ type: "search_result", content: [{ type: "text" }] }), "text.text"],
  [requestWith({ type: "tool_reference", tool_name: unspeakable }), "tool_reference.tool_name"],
  [requestWith(result("a", { a: 1 })), "tool_result.content"],
  [requestWith(result("a", ["x"])), "tool_result.content"],
  [requestWith(result("a", [{ type: unspeakable }])), "messages"],
  [requestWith({ type: "tool_result", tool_use_id: 5 }), "tool_result.tool_use_id"],
  [answered(use("")), "tool_use.id"],
  [answered({ ...use("a"), name: unspeakable }), "tool_use.name"],
  [answered({ ...use("a"), input: "str" }), "tool_use.input"],
  [answered(thinking(5), use("a")), "thinking.thinking"],
  [answered({ type: unspeakable }), "messages"],
  [{ messages: [user("hi"), system([{ type: "text", text: 5 }])] }, "text.text"],
])("%j is refused, naming %s, so that no content is lost (%j)", (fields, field, takes) => {
  expectRefusal(field, fields, takes);
});
