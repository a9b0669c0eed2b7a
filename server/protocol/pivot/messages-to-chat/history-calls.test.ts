import { describe, expect, test } from "vitest";
import {
  assistant,
  called,
  convert,
  png,
  pngPart,
  result,
  text,
  use,
  user,
} from "@/tests/support/messages-history";

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
