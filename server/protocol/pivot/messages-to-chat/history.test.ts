import { describe, expect, test } from "vitest";
import {
  assistant,
  called,
  convert,
  pdf,
  png,
  pngPart,
  result,
  text,
  use,
  user,
} from "@/tests/support/messages-history";

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
