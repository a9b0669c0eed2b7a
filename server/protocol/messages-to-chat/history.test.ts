import { describe, expect, test } from "vitest";
import { type Capabilities, usualCapabilities } from "../capabilities";
import { mapToolNames } from "../tool-names";
import { toChatMessages } from "./history";

const convert = (fields: object, capabilities: Partial<Capabilities> = {}) =>
  toChatMessages(
    { ...fields },
    { names: mapToolNames([], 64), capabilities: { ...usualCapabilities.chat, ...capabilities } },
  );

const user = (content: unknown) => ({ role: "user", content });
const assistant = (content: unknown) => ({ role: "assistant", content });
const text = (value: string) => ({ type: "text", text: value });
const use = (id: string, input: object = {}) => ({ type: "tool_use", id, name: "Bash", input });
const result = (id: string, content?: unknown, more: object = {}) => ({
  type: "tool_result",
  tool_use_id: id,
  content,
  ...more,
});
const called = (id: string, args = "{}") => ({
  id,
  type: "function",
  function: { name: "Bash", arguments: args },
});
const png = { type: "image", source: { type: "base64", media_type: "image/png", data: "AAA=" } };
const pngPart = { type: "image_url", image_url: { url: "data:image/png;base64,AAA=" } };
const pdf = { type: "document", source: { type: "base64", media_type: "application/pdf", data: "JVBE" } };

describe("system text", () => {
  test("blocks are one message, their cache marks left out", () => {
    const system = [{ ...text("a"), cache_control: { type: "ephemeral" } }, text(""), text("b")];
    expect(convert({ system, messages: [user("hi")] })[0]).toEqual({ role: "system", content: "a\n\nb" });
  });

  test("claude-code-router#1372: the billing header goes, so that two turns share a prefix", () => {
    const asked = (hash: string) =>
      convert({
        system: [text(`x-anthropic-billing-header: cc_version=2; cch=${hash};`), text("You are")],
        messages: [user("hi")],
      });
    expect(asked("aaa")).toEqual(asked("bbb"));
    expect(asked("aaa")[0]).toEqual({ role: "system", content: "You are" });
    const inLine = convert({ system: "x-anthropic-billing-header: cch=1\nYou are", messages: [user("hi")] });
    expect(inLine[0]).toEqual({ role: "system", content: "You are" });
  });

  test("nyro#217: a system message between the turns stays where it is", () => {
    const messages = [user("a"), { role: "system", content: "reminder" }, user("b")];
    expect(convert({ messages })).toEqual([user("a"), { role: "system", content: "reminder" }, user("b")]);
  });

  test("a system message between the turns is a user's reminder for an upstream that takes one at the start only", () => {
    const messages = [user("a"), { role: "system", content: "reminder" }, user("b")];
    expect(convert({ system: "s", messages }, { laterSystem: false })).toEqual([
      { role: "system", content: "s" },
      user("a\n\n<system-reminder>\nreminder\n</system-reminder>\n\nb"),
    ]);
  });

  test("copilot-api#273: a system message at the end does not become the assistant's", () => {
    const messages = [user("a"), { role: "system", content: [text("reminder")] }];
    expect(convert({ messages }).at(-1)).toEqual({ role: "system", content: "reminder" });
  });
});

test("an upstream that signs its tool calls is told that these are not its own", () => {
  const messages = [user("a"), assistant([use("t1")]), user([result("t1", "ok")])];
  const [, turn] = convert({ messages }, { signsToolCalls: true });
  expect(turn?.tool_calls).toEqual([
    {
      ...called("t1"),
      extra_content: { google: { thought_signature: "skip_thought_signature_validator" } },
    },
  ]);
});

describe("user content", () => {
  test("claude-code-router#4: nothing empty reaches the upstream", () => {
    const messages = [user(""), assistant(""), assistant([text("")]), user([text(""), text("hi")]), user([])];
    expect(convert({ messages })).toEqual([user("hi")]);
    expect(() => convert({ messages: [user("")] })).toThrow("messages");
  });

  test("text is one string, with an image parts", () => {
    expect(convert({ messages: [user([text("a"), text("b")])] })).toEqual([user("a\n\nb")]);
    expect(convert({ messages: [user([text("a"), png])] })).toEqual([user([text("a"), pngPart])]);
  });

  test("an image by address stays one where the upstream fetches", () => {
    const image = { type: "image", source: { type: "url", url: "https://example.org/a.png" } };
    const part = { type: "image_url", image_url: { url: "https://example.org/a.png" } };
    expect(convert({ messages: [user([image])] })).toEqual([user([part])]);
    expect(() => convert({ messages: [user([image])] }, { images: "data" })).toThrow("image.source.type");
  });

  test("documents and search results become text with their heading, a PDF a file", () => {
    const plain = { type: "document", title: "T", source: { type: "text", data: "body" } };
    const nested = { type: "document", context: "C", source: { type: "content", content: [text("x"), png] } };
    const found = { type: "search_result", source: "https://s", title: "S", content: [text("r")] };
    expect(convert({ messages: [user([plain, found])] })).toEqual([user("T\nbody\n\nS\nhttps://s\nr")]);
    expect(convert({ messages: [user([nested])] })).toEqual([user([text("C"), text("x"), pngPart])]);
    expect(convert({ messages: [user([{ ...pdf, title: "a.pdf" }])] })).toEqual([
      user([{ type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,JVBE" } }]),
    ]);
  });

  test.each([
    [png, { images: "none" }, "image"],
    [pdf, { documents: false }, "document"],
    [{ type: "image", source: { type: "file", file_id: "f" } }, {}, "image.source.type 为 file"],
    [{ type: "document", source: { type: "file", file_id: "f" } }, {}, "document.source.type"],
    [{ type: "container_upload", file_id: "f" }, {}, "container_upload"],
    [{ type: "hologram" }, {}, "hologram"],
  ] as const)("%j is refused with %j by name", (block, capabilities, words) => {
    expect(() => convert({ messages: [user([block])] }, capabilities)).toThrow(words);
  });
});

describe("tool calls and their results", () => {
  test("new-api#2499: a turn keeps its text beside its calls", () => {
    expect(
      convert({
        messages: [user("q"), assistant([text("on it"), use("t", { a: 1 })]), user([result("t", "ok")])],
      }),
    ).toEqual([
      user("q"),
      { role: "assistant", content: "on it", tool_calls: [called("t", '{"a":1}')] },
      { role: "tool", tool_call_id: "t", content: "ok" },
    ]);
  });

  test("ogx#6367, sglang#29083: results come before whatever else the user says, in the order of the calls", () => {
    const messages = [
      assistant([use("a"), use("b")]),
      { role: "system", content: "reminder" },
      user([text("first"), result("b", "B"), text("last")]),
      user([result("a", "A")]),
    ];
    expect(convert({ messages })).toEqual([
      { role: "assistant", content: null, tool_calls: [called("a"), called("b")] },
      { role: "tool", tool_call_id: "a", content: "A" },
      { role: "tool", tool_call_id: "b", content: "B" },
      { role: "system", content: "reminder" },
      user("first\n\nlast"),
    ]);
  });

  test("litellm#23712: a result of blocks is their text", () => {
    const messages = [assistant([use("a")]), user([result("a", [text("x"), text("y")])])];
    expect(convert({ messages })[1]).toEqual({ role: "tool", tool_call_id: "a", content: "x\ny" });
  });

  test("litellm#20403: an image in a result follows after all results", () => {
    const messages = [
      assistant([use("a"), use("b")]),
      user([result("a", [text("shot"), png]), result("b", "B"), text("see?")]),
    ];
    expect(convert({ messages }).slice(1)).toEqual([
      { role: "tool", tool_call_id: "a", content: "shot\n[image]" },
      { role: "tool", tool_call_id: "b", content: "B" },
      user([text("[tool_result a]"), pngPart, text("see?")]),
    ]);
  });

  test("a failed call says so, an empty result is empty", () => {
    const messages = [
      assistant([use("a"), use("b")]),
      user([result("a", "no", { is_error: true }), result("b")]),
    ];
    expect(
      convert({ messages })
        .slice(1)
        .map((message) => message.content),
    ).toEqual(["[tool_error] no", ""]);
  });

  test("a result without its call is the user's text, a call without its result gets one", () => {
    const messages = [assistant([use("a")]), user([result("zzz", "lost")])];
    expect(convert({ messages }).slice(1)).toEqual([
      { role: "tool", tool_call_id: "a", content: "[no result]" },
      user("[tool_result] lost"),
    ]);
  });

  test("a second result for the same call is the user's text", () => {
    const messages = [assistant([use("a")]), user([result("a", "1"), result("a", "2")])];
    expect(convert({ messages }).slice(1)).toEqual([
      { role: "tool", tool_call_id: "a", content: "1" },
      user("[tool_result] 2"),
    ]);
  });

  test("of calls with the same id, each result finds its own", () => {
    const messages = [
      assistant([use("a"), use("a"), use("a")]),
      user([result("a", "1")]),
      user([result("a", "2")]),
    ];
    expect(
      convert({ messages })
        .slice(1)
        .map((message) => message.content),
    ).toEqual(["1", "2", "[no result]"]);
  });

  test("200,000 blocks of a turn, of an answer and of a result are no stack overflow", () => {
    const many = Array.from({ length: 200_000 }, () => text("a"));
    const said = convert({ messages: [assistant([...many, use("t")]), user([result("t", many), ...many])] });
    expect(said.map((message) => String(message.content).length)).toEqual([200_000, 399_999, 599_998]);
    const media = Array.from({ length: 200_000 }, () => png);
    const [, , shown] = convert({ messages: [assistant([use("t")]), user([result("t", media)])] });
    expect(shown?.content).toHaveLength(200_001);
  });

  test("turns of the assistant that follow each other are one", () => {
    const messages = [assistant("a"), assistant([use("t")]), user([result("t", "ok")])];
    expect(convert({ messages })[0]).toEqual({ role: "assistant", content: "a", tool_calls: [called("t")] });
  });

  test("vllm#34745, qwen-code#8160: call and result go by the id that the upstream gave", () => {
    const id = `tgid_${Buffer.from("functions.Bash:0").toString("base64url")}`;
    const [turn, answer] = convert({ messages: [assistant([use(id)]), user([result(id, "ok")])] });
    expect(turn?.tool_calls).toEqual([called("functions.Bash:0")]);
    expect(answer?.tool_call_id).toBe("functions.Bash:0");
  });

  test("a result without an identifier is that of the only call that waits", () => {
    const nameless = { type: "tool_result", content: "2" };
    const messages = [assistant([use("a"), use("b")]), user([nameless, result("a", "1")])];
    expect(convert({ messages }).slice(1)).toEqual([
      { role: "tool", tool_call_id: "a", content: "1" },
      { role: "tool", tool_call_id: "b", content: "2" },
    ]);
    const unclear = convert({ messages: [assistant([use("a"), use("b")]), user([nameless])] });
    expect(unclear.at(-1)).toEqual(user("[tool_result] 2"));
  });

  test("a call without an id is refused", () => {
    expect(() => convert({ messages: [assistant([use("")])] })).toThrow("tool_use.id");
  });

  test("what the vendor's own tools did goes, the text around it stays whole", () => {
    const search = { type: "server_tool_use", id: "s", name: "web_search", input: {} };
    const found = { type: "web_search_tool_result", tool_use_id: "s", content: [] };
    const messages = [assistant([text("It is "), search, found, text("42.")]), user("thanks")];
    expect(convert({ messages })[0]).toEqual(assistant("It is 42."));
  });
});

/** Neither `String` nor a template can say what this is. */
const unspeakable = { toString: 1, valueOf: 1 };

test.each([
  [user([{ type: "text", text: 42 }]), "text.text"],
  [user([{ type: unspeakable }]), "messages"],
  [user([{ type: "image", source: { type: unspeakable } }]), "image.source.type"],
  [user([{ type: "document", source: { type: unspeakable } }]), "document.source.type"],
  [user([{ type: "document", source: { type: "text", data: 5 } }]), "document.source.data"],
  [user([{ type: "document", source: { type: "content", content: 5 } }]), "document.source.content"],
  [user([{ type: "document", title: 5, source: { type: "text", data: "" } }]), "document.title"],
  [user([{ type: "search_result", content: "x" }]), "search_result.content"],
  [user([{ type: "search_result", content: [{ type: "text" }] }]), "text.text"],
  [user([{ type: "tool_reference", tool_name: unspeakable }]), "tool_reference.tool_name"],
  [user([result("a", { a: 1 })]), "tool_result.content"],
  [user([result("a", ["x"])]), "tool_result.content"],
  [user([result("a", [{ type: unspeakable }])]), "messages"],
  [user([{ type: "tool_result", tool_use_id: 5 }]), "tool_result.tool_use_id"],
  [assistant([{ ...use("a"), name: unspeakable }]), "tool_use.name"],
  [assistant([{ ...use("a"), input: "str" }]), "tool_use.input"],
  [assistant([{ type: "thinking", thinking: 5 }, use("a")]), "thinking.thinking"],
  [assistant([{ type: unspeakable }]), "messages"],
  [{ role: "system", content: [{ type: "text", text: 5 }] }, "text.text"],
])("%j is refused by name: nothing that was said is lost", (message, field) => {
  expect(() => convert({ messages: [user("hi"), message] })).toThrow(
    expect.objectContaining({ kind: "cannotConvert", message: expect.stringContaining(field) }),
  );
});

describe("earlier thinking", () => {
  const thinking = (value: string, signature = "") => ({ type: "thinking", thinking: value, signature });
  const loop = (blocks: object[]) => ({
    messages: [assistant([...blocks, use("a")]), user([result("a", "ok")])],
  });

  test("new-api#4408: an upstream that wants it gets it back, whoever signed it", () => {
    const blocks = [thinking("one", "foreign"), { type: "redacted_thinking", data: "x" }, thinking("two")];
    expect(convert(loop(blocks), { echoesThinking: true })[0]?.reasoning_content).toBe("one\ntwo");
  });

  test("a turn with calls that has none gets a placeholder, one without calls does not", () => {
    expect(convert(loop([]), { echoesThinking: true })[0]?.reasoning_content).toBe(" ");
    const plain = convert({ messages: [assistant("hi"), user("q")] }, { echoesThinking: true });
    expect(plain[0]).not.toHaveProperty("reasoning_content");
  });

  test("other upstreams never see it", () => {
    expect(convert(loop([thinking("one")]))[0]).not.toHaveProperty("reasoning_content");
  });

  test("a turn of nothing but thinking goes", () => {
    expect(convert({ messages: [user("a"), assistant([thinking("hm")]), user("b")] })).toEqual([
      user("a"),
      user("b"),
    ]);
  });
});
