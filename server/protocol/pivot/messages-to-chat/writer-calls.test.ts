import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  call,
  calling,
  chunk,
  collect,
  counted,
  eventsOf,
  finish,
  openWriter,
  run,
  text,
  thinking,
  tool,
} from "@/tests/support/chat-as-messages";
import { type JsonObject, objects } from "../../fields";
import { mapToolNames } from "../../tool-names";

describe("tool calls", () => {
  test("litellm#25321, OmniRoute#686: one call in many fragments is one block with its input", () => {
    const args = JSON.stringify({ path: "/a", text: 'x"}{' });
    const chunks = [
      calling(call(0, { id: "t", name: "Bash", args: "" })),
      ...[...args].map((letter) => calling(call(0, { id: "", name: "", args: letter }))),
    ];
    expect(run(chunks).blocks).toEqual([tool("Bash", JSON.parse(args), "t")]);
  });

  test("new-api#5482, ollama#14816: thinking, text and tools are numbered without a gap", () => {
    const chunks = [
      chunk({ reasoning_content: "hm" }),
      chunk({ content: "a" }),
      calling(call(0, { id: "t", name: "Bash", args: "{}" })),
      calling(call(1, { id: "u", name: "Read", args: "{}" })),
    ];
    const starts = run(chunks).events.filter((event) => event.type === "content_block_start");
    expect(starts.map((event) => event.index)).toEqual([0, 1, 2, 3]);
  });

  test("fragments of a call go out as they come", () => {
    const writer = openWriter();
    writer.write(calling(call(0, { id: "t", name: "Bash", args: "" })));
    expect(eventsOf(writer.write(calling(call(0, { args: '{"a":' }))))).toEqual([
      { type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: '{"a":' } },
    ]);
  });

  test("claude-code-router#1725: thinking after a tool closes it and opens a block of its own", () => {
    const chunks = [
      chunk({ reasoning_content: "1" }),
      calling(call(0, { id: "t", name: "Bash", args: "{}" })),
      chunk({ reasoning_content: "2" }),
    ];
    expect(run(chunks).blocks).toEqual([thinking("1"), tool("Bash", {}, "t"), thinking("2")]);
  });

  test("CLIProxyAPI#5581: text between the fragments of a call waits for its end", () => {
    const writer = openWriter();
    const frames = [
      calling(call(0, { id: "t", name: "Bash", args: '{"a":' })),
      chunk({ content: "meanwhile" }),
      calling(call(0, { args: "1}" })),
    ].map((each) => writer.write(each));
    expect(frames[1]).toBe("");
    expect(frames[2]).toContain("meanwhile");
    expect(collect(eventsOf(frames.join("") + writer.end(counted)))).toEqual([
      tool("Bash", { a: 1 }, "t"),
      text("meanwhile"),
    ]);
  });

  test("CLIProxyAPI#3748: a name that comes late still gives a block", () => {
    const chunks = [
      calling(call(0, { id: "t", name: "", args: '{"a"' })),
      calling(call(0, { name: "Bash", args: ":1}" })),
    ];
    expect(run(chunks).blocks).toEqual([tool("Bash", { a: 1 }, "t")]);
  });

  test("a name that never comes is the only tool's", () => {
    expect(run([calling(call(0, { id: "t", args: '{"a":1}' }))], ["Bash"]).blocks).toEqual([
      tool("Bash", { a: 1 }, "t"),
    ]);
  });

  test("a call that says nothing is none, one without a name among several tools breaks the stream", () => {
    expect(run([chunk({ content: "a" }), calling(call(0, { id: "t" }))]).blocks).toEqual([text("a")]);
    const writer = openWriter();
    writer.write(calling(call(0, { id: "t", args: '{"a":1}' })));
    expect(eventsOf(writer.end(counted)).at(-1)).toMatchObject({ type: "error", code: 502 });
  });

  test("a call of a custom tool is one if its input is arguments, else it breaks the stream", () => {
    const custom = (input: string) => ({
      index: 0,
      id: "c",
      type: "custom",
      custom: { name: "Bash", input },
    });
    const rest = { index: 0, custom: { input: ":1}" } };
    expect(run([calling(custom('{"a"')), calling(rest)]).blocks).toEqual([tool("Bash", { a: 1 }, "c")]);
    const writer = openWriter();
    writer.write(calling(custom("ls")));
    expect(eventsOf(writer.end(counted)).at(-1)).toMatchObject({ type: "error", code: 502 });
  });

  test("the older form of a call is one", () => {
    const chunks = [
      chunk({ function_call: { name: "Bash", arguments: "" } }),
      chunk({ function_call: { arguments: "{}" } }),
      finish("function_call"),
    ];
    expect(run(chunks)).toMatchObject({ blocks: [tool("Bash", {})], delta: { stop_reason: "tool_use" } });
  });

  test("qwen-code#8160: an id is made legal, one that is missing is minted, each its own", () => {
    const { blocks } = run([
      calling(call(0, { id: "functions.Bash:0", name: "Bash", args: "{}" })),
      calling(call(1, { name: "Bash", args: "{}" }), call(2, { name: "Bash", args: "{}" })),
    ]);
    const ids = blocks.map((block) => String(block.id));
    expect(ids.every((id) => /^[a-zA-Z0-9_-]+$/.test(id))).toBe(true);
    expect(new Set(ids).size).toBe(3);
  });

  test("a shortened name comes back whole", () => {
    const name = `mcp__${"x".repeat(90)}`;
    const sent = mapToolNames([name], 64).toUpstream(name);
    expect(run([calling(call(0, { name: sent, args: "{}" }))], [name]).blocks).toEqual([tool(name, {})]);
  });

  test("a call without arguments, or with a vendor's null, has an empty input", () => {
    const chunks = [
      calling(call(0, { id: "t", name: "Bash" })),
      calling(call(1, { id: "u", name: "Read", args: "nu" })),
      calling(call(1, { args: "ll" })),
    ];
    expect(run(chunks).blocks).toEqual([tool("Bash", {}, "t"), tool("Read", {}, "u")]);
  });

  test("several calls without arguments are a block each", () => {
    const { blocks } = run([
      calling(call(0, { name: "Bash" }), call(1, { name: "Read" }), call(2, { name: "Bash" })),
    ]);
    expect(blocks).toEqual([tool("Bash", {}), tool("Read", {}), tool("Bash", {})]);
  });

  test.each(['{"a":', "[1]", "{}{}"])(
    "arguments that end as %s break a stream that was not cut short",
    (args) => {
      const writer = openWriter();
      const begun = writer.write(calling(call(0, { id: "t", name: "Bash", args })));
      const events = eventsOf(begun + writer.write(finish("tool_calls")) + writer.end(counted));
      expect(events.at(-1)).toMatchObject({ type: "error", code: 502 });
      expect(events.map((event) => event.type)).not.toContain("content_block_stop");
    },
  );

  test("a call that the limit cut ends with max_tokens", () => {
    const writer = openWriter();
    const begun = writer.write(calling(call(0, { id: "t", name: "Bash", args: '{"a":' })));
    const events = eventsOf(begun + writer.write(finish("length")) + writer.end(counted));
    expect(events.slice(-3)).toMatchObject([
      { type: "content_block_stop", index: 0 },
      { delta: { stop_reason: "max_tokens" } },
      { type: "message_stop" },
    ]);
  });
});

describe("any order of what arrives", () => {
  const input = fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 });
  /** Each step: whose next fragment comes (the last stands for text), and how long it is. */
  const steps = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 1, max: 9 })), { maxLength: 60 });

  /** Deals out the calls' arguments in fragments, and text in between, until all is said. */
  function deal(inputs: object[], order: [number, number][]) {
    const rest = inputs.map((each) => JSON.stringify(each));
    const chunks: JsonObject[] = [];
    const begun = new Set<number>();
    let said = "";
    const add = (index: number, length: number) => {
      const args = rest[index]?.slice(0, length);
      rest[index] = String(rest[index]).slice(length);
      // One call's name comes only with its last fragment.
      const isNamed = index === 1 ? rest[index] === "" : !begun.has(index);
      const head = {
        ...(!begun.has(index) && { id: `t${index}` }),
        ...(isNamed && { name: `tool${index}` }),
      };
      begun.add(index);
      chunks.push(calling(call(index, { ...head, args })));
    };
    for (const [who, length] of order) {
      const index = who % (inputs.length + 1);
      if (index === inputs.length) {
        said += length;
        chunks.push(chunk({ content: String(length) }));
      } else {
        add(index, length);
      }
    }
    for (const index of inputs.keys()) {
      add(index, Number.POSITIVE_INFINITY);
    }
    return { chunks, said };
  }

  test("of interleaved calls and text gives whole blocks, one after the other, none twice, none lost", () => {
    fc.assert(
      fc.property(fc.array(input, { minLength: 1, maxLength: 4 }), steps, (inputs, order) => {
        const { chunks, said } = deal(inputs, order);
        const { blocks, delta } = run([...chunks, finish("tool_calls")]);
        const uses = objects(blocks).filter((block) => block.type === "tool_use");
        const byId = new Map(uses.map((block) => [block.id, block]));
        expect(uses).toHaveLength(inputs.length);
        for (const [index, each] of inputs.entries()) {
          const sent = JSON.parse(JSON.stringify(each));
          expect(byId.get(`t${index}`)).toEqual(tool(`tool${index}`, sent, `t${index}`));
        }
        expect(blocks.map((block) => block.text ?? "").join("")).toBe(said);
        expect(delta.stop_reason).toBe("tool_use");
      }),
      { numRuns: 300 },
    );
  });
});

test("a hundred thousand fragments take time in proportion", () => {
  const writer = openWriter();
  writer.write(calling(call(0, { id: "t", name: "Bash", args: '{"a":"' })));
  for (let count = 0; count < 100_000; count++) {
    writer.write(calling(call(0, { args: "x".repeat(10) })));
    writer.write(calling(call(1, { id: "u", name: "Read", args: " " })));
  }
  writer.write(calling(call(0, { args: '"}' })));
  expect(eventsOf(writer.end(counted)).at(-1)).toEqual({ type: "message_stop" });
});
