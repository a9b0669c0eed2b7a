import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  call,
  calling,
  chunk,
  eventsOf,
  finish,
  openWriter,
  run,
  text,
  thinking,
  tool,
} from "@/tests/support/chat-as-messages";

describe("the frame of a stream", () => {
  test("litellm#24176, CLIProxyAPI#1700: the start has all four counts, the estimate among them", () => {
    const [start] = eventsOf(openWriter().write(chunk({ role: "assistant" })));
    expect(start).toEqual({
      type: "message_start",
      message: {
        id: "msg_x",
        type: "message",
        role: "assistant",
        model: "public",
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: {
          input_tokens: 9,
          cache_creation_input_tokens: 0,
          cache_read_input_tokens: 0,
          output_tokens: 0,
        },
      },
    });
  });

  test("CLIProxyAPI#5617: the end has the cached counts as well", () => {
    expect(run([chunk({ content: "a" }), { id: "c", choices: [], usage: {} }]).usage).toEqual({
      input_tokens: 3,
      cache_creation_input_tokens: 4,
      cache_read_input_tokens: 2,
      output_tokens: 5,
      output_tokens_details: { thinking_tokens: 1 },
    });
  });

  test("nothing ends before the end: usage may come after the finish reason", () => {
    const writer = openWriter();
    writer.write(chunk({ content: "a" }));
    expect(writer.write(finish("stop"))).toBe("");
    expect(writer.write({ id: "c", choices: [], usage: {} })).toBe("");
  });

  test("an upstream that says nothing gives one empty text", () => {
    expect(run([]).blocks).toEqual([text("")]);
    expect(run([finish("stop")]).blocks).toEqual([text("")]);
  });

  test("a choice other than the first is not part of the answer", () => {
    expect(run([chunk({ content: "b" }, { index: 1 }), chunk({ content: "a" })]).blocks).toEqual([text("a")]);
  });

  test("a chunk with several fragments of the first choice gives all of them", () => {
    const [first] = chunk({ content: "a" }).choices;
    const [second] = chunk({ content: "b" }).choices;
    expect(run([{ id: "c", choices: [first, second] }]).blocks).toEqual([text("ab")]);
  });

  test("a failure is one error event; the block that is open stays so", () => {
    const failure = { code: 502, message: "broken", data: null } as const;
    const error = { type: "error", error: { type: "api_error", message: "broken" }, ...failure };
    expect(eventsOf(openWriter().fail(failure))).toEqual([error]);
    const writer = openWriter();
    writer.write(chunk({ content: "a" }));
    expect(eventsOf(writer.fail(failure))).toEqual([error]);
  });

  test("a sign of life is a ping", () => {
    expect(eventsOf(openWriter().keepAlive())).toEqual([{ type: "ping" }]);
  });
});

describe("text and thinking", () => {
  test("litellm#32357, litellm#33224: thinking and text have blocks of their own, thinking signed", () => {
    const chunks = [
      chunk({ reasoning_content: "h" }),
      chunk({ reasoning_content: "m" }),
      chunk({ content: "a" }),
    ];
    expect(run(chunks).blocks).toEqual([thinking("hm"), text("a")]);
  });

  test("litellm#30014: the first text is not lost, also beside a role, a finish reason or everything at once", () => {
    expect(run([chunk({ role: "assistant", content: "a" }, { finish_reason: "stop" })]).blocks).toEqual([
      text("a"),
    ]);
    const all = {
      reasoning_content: "hm",
      content: "a",
      tool_calls: [call(0, { name: "Bash", args: "{}" })],
    };
    expect(run([chunk(all)]).blocks).toEqual([thinking("hm"), text("a"), tool("Bash", {})]);
  });

  test("litellm#13373: empty fragments open nothing", () => {
    const nothing = chunk({ content: "", reasoning_content: "", refusal: null, tool_calls: [] });
    expect(run([nothing, chunk({ content: "a" }), nothing]).blocks).toEqual([text("a")]);
  });

  test("claude-code-router#1397: text after thinking and a tool never lands in the thinking", () => {
    const chunks = [
      chunk({ reasoning_content: "hm" }),
      calling(call(0, { id: "t", name: "Bash", args: "{}" })),
      chunk({ content: "a" }),
    ];
    expect(run(chunks).blocks).toEqual([thinking("hm"), tool("Bash", {}, "t"), text("a")]);
  });

  test("any split of the text comes to the same", () => {
    fc.assert(
      fc.property(fc.array(fc.string()), fc.array(fc.string()), (thoughts, words) => {
        const chunks = [
          ...thoughts.map((reasoning_content) => chunk({ reasoning_content })),
          ...words.map((content) => chunk({ content })),
        ];
        const thought = thoughts.join("");
        const said = words.join("");
        const whole = [...(thought ? [thinking(thought)] : []), ...(said || !thought ? [text(said)] : [])];
        expect(run(chunks).blocks).toEqual(whole);
      }),
    );
  });
});

test.each([
  [finish("stop"), { stop_reason: "end_turn", stop_sequence: null }],
  [finish("length"), { stop_reason: "max_tokens", stop_sequence: null }],
  [finish("content_filter"), { stop_reason: "refusal", stop_sequence: null }],
  [finish("stop", { stop_reason: "END" }), { stop_reason: "stop_sequence", stop_sequence: "END" }],
  [finish("stop", { stop_reason: 2 }), { stop_reason: "end_turn", stop_sequence: null }],
  [chunk({ refusal: "no" }), { stop_reason: "refusal", stop_sequence: null }],
])("%j ends as %j", (last, ending) => {
  expect(run([chunk({ content: "a" }), last]).delta).toEqual(ending);
});
