/** Chat answers for clients of the messages dialect: the whole answer by examples, the stream by the whole answer. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { calling, chunk, finish, longName, message, read, sentName } from "@/tests/support/chat-as-messages";
import { type JsonObject, objects } from "../../fields";
import { SYNTHETIC_SIGNATURE } from "../../signed-thinking";

const call = (name: string, args: string, id = "t") => ({
  ...{ id, type: "function", function: { name, arguments: args } },
});
const custom = (input: string) => ({ id: "t", type: "custom", custom: { name: "Bash", input } });
const text = (value: string) => ({ type: "text", text: value });
const thinking = (value: string) => ({ type: "thinking", thinking: value, signature: SYNTHETIC_SIGNATURE });
const use = (name: string, input: object = {}, id: unknown = "t") => ({ type: "tool_use", id, name, input });
const completion = (fields: object, choice: object = {}) => ({
  ...{ id: "chatcmpl-x", choices: [{ index: 0, message: fields, finish_reason: "stop", ...choice }] },
});
const minted = expect.stringMatching(/^call_[0-9a-f]{24}$/);

test("an answer is a message under the public name, with the upstream's id and all four counts", () => {
  const usage = {
    ...{ input_tokens: 5, cache_creation_input_tokens: 7, cache_read_input_tokens: 2, output_tokens: 6 },
    output_tokens_details: { thinking_tokens: 1 },
  };
  expect(message(completion({ content: "hi" }))).toEqual({
    ...{ id: "msg_x", type: "message", role: "assistant", model: "public", content: [text("hi")] },
    ...{ stop_reason: "end_turn", stop_sequence: null, usage },
  });
  expect(read([chunk({ content: "hi" }), { id: "c", choices: [], usage: {} }])?.usage).toEqual(usage);
});

test.each<[JsonObject, JsonObject[], string[]?]>([
  [
    { content: "on it", reasoning_content: "hm", tool_calls: [call("Bash", '{"a":1}')] },
    [thinking("hm"), text("on it"), use("Bash", { a: 1 })],
  ],
  [{ content: null }, [text("")]],
  [{ content: null, refusal: "no" }, [text("no")]],
  // A shortened name comes back whole, an illegal id becomes legal, a missing one is minted.
  [
    { tool_calls: [call(sentName, "{}", "functions.Bash:0"), ...Array(2).fill(call("Bash", "{}", ""))] },
    [use(longName, {}, expect.stringMatching(/^tgid_[\w-]+$/)), ...Array(2).fill(use("Bash", {}, minted))],
  ],
  [{ tool_calls: ["", " ", "null", "{}"].map((args) => call("Bash", args)) }, Array(4).fill(use("Bash"))],
  // CLIProxyAPI#3748: a call without a name belongs to the only tool; a blank one is dropped.
  [{ tool_calls: [call("", '{"a":1}')] }, [use("Bash", { a: 1 })], ["Bash"]],
  [{ content: "x", tool_calls: [call("", "")] }, [text("x")]],
  [{ tool_calls: [custom('{"command":"ls"}')] }, [use("Bash", { command: "ls" })]],
  // The older form of a call; Snowflake's empty one is dropped.
  [{ function_call: { name: "Bash", arguments: "{}" } }, [use("Bash", {}, minted)]],
  [{ content: "x", function_call: {} }, [text("x")], ["Bash"]],
])("%j becomes the content %j", (fields, content, tools) => {
  const read = message(completion(fields), tools);
  expect(read?.content).toEqual(content);
  const ids = objects(read?.content).flatMap(({ id }) => (id && id !== "t" ? [id] : []));
  expect(new Set(ids).size).toBe(ids.length);
});

test("only the first choice counts, whole or streamed, with all its fragments", () => {
  const [first, second] = [completion({ content: "a" }), completion({ content: "b" }, { index: 1 })];
  const choices = [...second.choices, ...first.choices];
  expect(message({ choices })).toMatchObject({ id: "msg_1", content: [{ text: "a" }] });
  const pieces = [chunk({ content: "b" }, { index: 1 }), chunk({ content: "a" }), chunk({ content: "b" })];
  expect(read([{ id: "c", choices: pieces.flatMap((each) => each.choices) }])?.content).toEqual([text("ab")]);
});

test.each(['{"a":', "[]", '"x"', "{a}"])(
  "an answer with the arguments %j is malformed, unless the answer was cut off",
  (args) => {
    const fields = { tool_calls: [call("Bash", args)] };
    expect(message(completion(fields))).toBeNull();
    const cut = { content: [use("Bash")], stop_reason: "max_tokens" };
    expect(message(completion(fields, { finish_reason: "length" }))).toMatchObject(cut);
  },
);

test.each([custom("ls"), call("", '{"a":1}')])("an answer with the call %j is malformed", (each) => {
  expect(message(completion({ tool_calls: [each] }))).toBeNull();
});

test.each<[object, object, string, string?]>([
  [{ content: "x" }, { finish_reason: "stop" }, "end_turn"],
  [{ content: "x" }, { finish_reason: "length" }, "max_tokens"],
  [{ content: "x" }, { finish_reason: "content_filter" }, "refusal"],
  [{ content: null, refusal: "no" }, { finish_reason: "stop" }, "refusal"],
  [{ content: "x" }, { finish_reason: "tool_calls" }, "end_turn"],
  [{ tool_calls: [call("Bash", "{}")] }, { finish_reason: "stop" }, "tool_use"],
  [{ function_call: { name: "Bash" } }, { finish_reason: "function_call" }, "tool_use"],
  [{ content: "x" }, { finish_reason: "stop", stop_reason: "END" }, "stop_sequence", "END"],
  [{ content: "x" }, { finish_reason: "stop", stop_reason: 128_009 }, "end_turn"],
])("%j with %j ends as %s", (fields, choice, ...[stop_reason, stop_sequence = null]) => {
  expect(message(completion(fields, choice))).toMatchObject({ stop_reason, stop_sequence });
});

const input = fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 });
const args = fc.oneof(
  input.map((object) => JSON.stringify(object)),
  fc.constantFrom("", " ", "null", "{}", '{"a":', "[1]", "{}{}", '"x"'),
);
type CallSample = { name: string; args: string; id: string; form: string };
const called: fc.Arbitrary<CallSample> = fc.record({
  name: fc.constantFrom("Bash", "Read", sentName, ""),
  args,
  id: fc.constantFrom("t", "u", "functions.Bash:0", ""),
  form: fc.constantFrom("function", "function", "custom", "legacy"),
});
const named = (each: CallSample): CallSample => ({ ...each, name: each.name || "Bash" });
const anyAnswer = fc.record({
  thoughts: fc.array(fc.string(), { maxLength: 3 }),
  words: fc.array(fc.string(), { maxLength: 3 }),
  refusals: fc.array(fc.string(), { maxLength: 2 }),
  // Later calls would overtake a call without a name, so only the last call may lack one.
  calls: fc
    .array(called, { maxLength: 3 })
    .map((calls) => calls.map((each, index) => (index + 1 < calls.length ? named(each) : each))),
  choice: fc.record({
    finish_reason: fc.constantFrom(null, "stop", "length", "content_filter", "tool_calls"),
    stop_reason: fc.constantFrom(undefined, "", "END", 2),
  }),
  tools: fc.constantFrom<string[]>(["Bash"], ["Bash", "Read", longName]),
  cut: fc.nat(6),
});

/** The older form has no identifier, and only one call. */
const fieldsOf = (calls: CallSample[], isPiece: boolean) => {
  const [legacy] = calls.filter(({ form }) => form === "legacy");
  const calling = (each: CallSample) =>
    each.form === "custom" ? { custom: { name: each.name, input: each.args } } : call(each.name, each.args);
  const listed = calls.map((each, index) => ({ ...calling(each), id: each.id, ...(isPiece && { index }) }));
  return legacy ? { function_call: call(legacy.name, legacy.args).function } : { tool_calls: listed };
};

/** First the head of each call with the start of its arguments, then the rest. */
function piecesOf(calls: CallSample[], cut: number): JsonObject[] {
  const isLegacy = calls.some(({ form }) => form === "legacy");
  const few = isLegacy ? calls.filter(({ form }) => form === "legacy").slice(0, 1) : calls;
  return few.flatMap((each, index) =>
    [
      { ...each, args: each.args.slice(0, cut) },
      { ...each, ...{ id: "", name: "" }, args: each.args.slice(cut) },
    ].map((piece) => {
      const fields = fieldsOf([piece], true);
      return fields.function_call ? chunk(fields) : calling({ ...fields.tool_calls?.[0], index });
    }),
  );
}

test("litellm#33224, litellm#13373, new-api#5482, ollama#14816: a stream has the content of the whole answer, and fails if the whole answer is malformed", () => {
  fc.assert(
    fc.property(anyAnswer, ({ thoughts, words, refusals, calls, choice, tools, cut }) => {
      // A stream counts a repeated text once, if its fragments show the repetition.
      fc.pre(!calls.some(({ args }) => args !== "" && args === args.slice(0, args.length / 2).repeat(2)));
      const [reasoning_content, content, refusal] = [thoughts, words, refusals].map((all) => all.join(""));
      const fields = { reasoning_content, content, refusal, ...fieldsOf(calls, false) };
      const whole = message(completion(fields, choice), tools);
      const streamed = read(
        [
          ...thoughts.map((each) => chunk({ reasoning_content: each })),
          ...words.map((each) => chunk({ content: each, tool_calls: [] })),
          ...refusals.map((each) => chunk({ refusal: each })),
          ...piecesOf(calls, cut),
          chunk({}, choice),
        ],
        tools,
      );
      const { id: _id, type: _type, role: _role, model: _model, ...rest } = whole ?? {};
      expect(streamed).toEqual(whole && rest);
    }),
    { numRuns: 500 },
  );
});

describe("a stream of calls and text in any order", () => {
  /** Each step: the index of the call for the next fragment (the last index means text), and its length. */
  const steps = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 1, max: 9 })), { maxLength: 60 });

  /** Splits the calls' arguments into fragments, with text in between, until all is sent. */
  function deal(inputs: object[], order: [number, number][]) {
    const rest = inputs.map((each) => JSON.stringify(each));
    const chunks: JsonObject[] = [];
    const begun = new Set<number>();
    let words = "";
    const add = (index: number, length: number) => {
      const fragment = rest[index]?.slice(0, length);
      rest[index] = String(rest[index]).slice(length);
      // One call's name comes only with its last fragment.
      const isNamed = index === 1 ? rest[index] === "" : !begun.has(index);
      const target = { ...(isNamed && { name: `tool${index}` }), arguments: fragment };
      chunks.push(calling({ index, ...(!begun.has(index) && { id: `t${index}` }), function: target }));
      begun.add(index);
    };
    for (const [slot, length] of order) {
      const index = slot % (inputs.length + 1);
      if (index === inputs.length) {
        words += length;
        chunks.push(chunk({ content: String(length) }));
      } else {
        add(index, length);
      }
    }
    for (const index of inputs.keys()) {
      add(index, Number.POSITIVE_INFINITY);
    }
    return { chunks, words };
  }

  test("litellm#25321, OmniRoute#686: becomes whole blocks, one after the other, with nothing twice and nothing lost", () => {
    fc.assert(
      fc.property(fc.array(input, { minLength: 1, maxLength: 4 }), steps, (inputs, order) => {
        const { chunks, words } = deal(inputs, order);
        const answer = read([...chunks, finish("tool_calls")]);
        const blocks = objects(answer?.content);
        const uses = blocks.filter((block) => block.type === "tool_use");
        expect(uses.sort((a, b) => String(a.id).localeCompare(String(b.id)))).toEqual(
          inputs.map((each, index) => use(`tool${index}`, JSON.parse(JSON.stringify(each)), `t${index}`)),
        );
        expect(blocks.map((block) => block.text ?? "").join("")).toBe(words);
        expect(answer).toMatchObject({ stop_reason: "tool_use" });
      }),
      { numRuns: 300 },
    );
  });
});
