import { describe, expect, test } from "vitest";
import { cpuTimeMs } from "@/tests/support/cpu-time";
import { refusalOf } from "@/tests/support/refusal";
import { callOf, upstreamRequestOf } from "@/tests/support/upstream-request";
import type { JsonObject } from "../fields";
import { toEnvelope } from "../pivot/sealed";
import { estimateInput } from "../usage/estimate";
import { estimateInSteps, estimateItems } from "./estimate";
import { parseResponsesRequest, withReferred } from "./request";

const requestFor = (dialect: "chat" | "messages", body: JsonObject, more: object = {}) =>
  upstreamRequestOf(callOf.responses(body), dialect, more);

const user = (content: unknown) => ({ type: "message", role: "user", content });
const call = { type: "function_call", id: "fc_1", call_id: "call_1", name: "f", arguments: '{"n":1}' };
const result = { type: "function_call_output", call_id: "call_1", output: "42" };
const thought = {
  type: "reasoning",
  summary: [{ type: "summary_text", text: "hm" }],
  encrypted_content: toEnvelope({ type: "thinking", text: "hm", seal: { origin: "anthropic", data: "sig" } }),
};
const answer = (text: string) => ({ role: "assistant", content: [{ type: "output_text", text }] });
const history = [user("hi"), thought, answer("so"), call, result];
const tools = [{ type: "function", name: "f", parameters: { type: "object", properties: {} }, strict: null }];

describe("a tool loop", () => {
  test("becomes a tool loop for a messages upstream, with its thinking signed as before", () => {
    const loop = { input: history, tools };
    const { system } = requestFor("messages", { instructions: "Be brief", ...loop }, { thinking: "budget" });
    expect(system).toEqual([{ type: "text", text: "Be brief" }]);
    const body = requestFor("messages", { ...loop, reasoning: { effort: "low" } }, { thinking: "adaptive" });
    expect(body.messages).toEqual([
      { role: "user", content: [{ type: "text", text: "hi" }] },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "hm", signature: "sig" },
          { type: "text", text: "so" },
          { type: "tool_use", id: "call_1", name: "f", input: { n: 1 } },
        ],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "call_1", content: "42" }] },
    ]);
  });

  test("becomes an assistant message and a tool message for a chat upstream", () => {
    expect(requestFor("chat", { input: history, tools }, { echoesThinking: true }).messages).toEqual([
      { role: "user", content: "hi" },
      {
        role: "assistant",
        content: "so",
        reasoning_content: "hm",
        tool_calls: [{ id: "call_1", type: "function", function: { name: "f", arguments: '{"n":1}' } }],
      },
      { role: "tool", tool_call_id: "call_1", content: "42" },
    ]);
  });
});

test("Codex' tools: namespaces are flattened, custom tools are wrapped, and hosted tools are dropped", () => {
  const format = { type: "grammar", syntax: "lark", definition: "start: x" };
  const body = requestFor("chat", {
    input: "go",
    tools: [
      ...tools,
      { type: "custom", name: "patch", description: "d", format },
      { type: "namespace", name: "ns", tools: [{ type: "function", name: "g", parameters: {} }] },
      { type: "web_search", external_web_access: true },
      { type: "image_generation" },
    ],
  });
  const functions = (body.tools as { function: JsonObject }[]).map((tool) => tool.function);
  expect(functions.map(({ name }) => name)).toEqual(["f", "patch", "ns__g"]);
  expect(functions[1]).toMatchObject({
    description: expect.stringContaining("start: x"),
    parameters: { required: ["input"] },
  });
  expect(functions.every((tool) => tool.strict === undefined)).toBe(true);
});

test("a custom call and its output go back as a call of the function that replaced the tool", () => {
  const items = [
    user("x"),
    { type: "custom_tool_call", call_id: "c", name: "patch", input: "*** Begin" },
    { type: "custom_tool_call_output", call_id: "c", output: "done" },
  ];
  const { messages } = requestFor("chat", { input: items, tools: [{ type: "custom", name: "patch" }] });
  expect((messages as JsonObject[])[1]).toMatchObject({
    tool_calls: [{ function: { name: "patch", arguments: '{"input":"*** Begin"}' } }],
  });
});

const namespaced = { type: "namespace", name: " ".repeat(10_000), tools: [{ type: "function", name: "a" }] };
const forced = { tools: [{ type: "file_search" }], tool_choice: { type: "file_search" } };
const sound = { type: "input_audio", input_audio: { data: "AA", format: "wav" } };
const compaction = { type: "compaction", encrypted_content: "z" };
const include = ["reasoning.encrypted_content", "message.mood"];

test.each<[string, JsonObject, string?]>([
  ["a hosted tool that is forced", { input: "x", ...forced }],
  ["a file by identifier", { input: [user([{ type: "input_file", file_id: "file_1" }])] }],
  ["an item of an unknown type", { input: [user("x"), compaction] }],
  ["sound", { input: [user([sound])] }],
  ["a namespace with a huge name", { input: "x", tools: [namespaced] }],
  ["an unknown value of include", { input: "hi", include }, "message.mood"],
])("%s is refused", (_name, body, words = "") => {
  expect(() => requestFor("chat", body)).toThrow(
    expect.objectContaining({ kind: "cannotConvert", message: expect.stringContaining(words) }),
  );
});

test.each([
  ["no input", {}, "input"],
  ["an empty input", { input: [] }, "input"],
  ["an item that is named twice", { input: [{ type: "item_reference", id: "a" }, { id: "a" }] }, ""],
  ["metadata without bounds", { input: "x", metadata: { a: "b".repeat(1_000) } }, "metadata"],
  ["two histories", { input: "x", conversation: "conv_1", previous_response_id: "resp_1" }, "conversation"],
  ["a stored prompt", { input: "x", prompt: { id: "p" } }, "prompt"],
  ["the background without a store", { input: "x", background: true, store: false }, "background"],
  ["the background as a stream", { input: "x", background: true, stream: true }, "background"],
])("%s is answered with 400 before anything is bought", (_name, body, field) => {
  expect(() => parseResponsesRequest(JSON.stringify({ model: "m", ...body }))).toThrow(
    expect.objectContaining({ kind: "invalidParameters", message: expect.stringContaining(field) }),
  );
});

test("references are replaced by their items, and an unknown reference gives no conversation", () => {
  const raw = JSON.stringify({ model: "m", input: [{ type: "item_reference", id: "msg_1" }, user("go on")] });
  const request = parseResponsesRequest(raw);
  expect(request.referred).toEqual({ previousId: null, conversationId: null, itemIds: ["msg_1"] });
  const message = { type: "message", role: "assistant", content: [] };
  expect(withReferred(request, { history: [user("a")], items: new Map([["msg_1", message]]) })).toEqual([
    user("a"),
    message,
    user("go on"),
  ]);
  expect(withReferred(request, { history: [], items: new Map() })).toBeNull();
});

test("text, schema, effort and limits reach an upstream under its names", () => {
  const schema = { type: "object", properties: {}, additionalProperties: false };
  const body = requestFor(
    "chat",
    {
      input: "x",
      text: { format: { type: "json_schema", name: "n", schema } },
      reasoning: { effort: "high", summary: "auto" },
      parallel_tool_calls: false,
      tools,
      tool_choice: { type: "function", name: "f" },
      stream: true,
    },
    { thinking: "effort", effortLevels: ["low", "high"] },
  );
  expect(body).toMatchObject({
    max_tokens: 100,
    reasoning_effort: "high",
    response_format: { type: "json_schema", json_schema: { schema } },
    parallel_tool_calls: false,
    tool_choice: { type: "function", function: { name: "f" } },
    stream: true,
  });
});

test("many tools of one name, and many items in a row, are converted in less than 2 s", () => {
  const costMs = (body: JsonObject): number => {
    const before = cpuTimeMs();
    requestFor("chat", body);
    return cpuTimeMs() - before;
  };
  const same = Array.from({ length: 20_000 }, () => ({ type: "custom", name: "a" }));
  expect(costMs({ input: "x", tools: same })).toBeLessThan(2_000);
  const input = Array.from({ length: 40_000 }, () => ({ role: "user", content: "a" }));
  expect(costMs({ input })).toBeLessThan(2_000);
});

describe("the estimate counts all content that an upstream gets", () => {
  const long = "word ".repeat(10_000);
  const sealed = toEnvelope({ type: "thinking", text: long, seal: null });

  test.each([
    ["an output in an item with an empty content", { ...result, content: "", output: long }],
    ["the text that thinking carries", { type: "reasoning", summary: [], encrypted_content: sealed }],
    ["arguments that are no text", { type: "tool_search_call", arguments: { type: long } }],
    ["a document by its address", user([{ type: "input_file", file_url: "https://example.com/a.pdf" }])],
  ])("%s", (_name, item) => {
    expect(estimateItems([item])).toBeGreaterThan(9_000);
  });

  test("encrypted thinking of the open turn, and of no earlier turn", () => {
    const seal = { origin: "openai" as const, data: "z".repeat(60_000) };
    const encrypted_content = toEnvelope({ type: "thinking", text: "", seal });
    const thinking = { type: "reasoning", summary: [], encrypted_content };
    expect(estimateItems([user("a"), thinking, result])).toBeGreaterThan(9_000);
    expect(estimateItems([user("a"), thinking, result, user("b")])).toBeLessThan(100);
  });

  test("a picture as a picture and not as its base64", () => {
    const image = { type: "input_image", image_url: `data:image/png;base64,${"A".repeat(400_000)}` };
    expect(estimateItems([user([image])])).toBeLessThan(5_000);
  });

  test("a long history, with a pause after each item", () => {
    expect([...estimateInSteps(Array(100).fill(user("a")))]).toHaveLength(100);
  });

  test("a long text of an item, in slices if samples cannot tell what it is", () => {
    const words = (" ".repeat(9_000) + "中".repeat(1_000)).repeat(50);
    for (const item of [user([{ type: "input_text", text: words }]), user(words)]) {
      const steps = [...estimateInSteps([item])].length;
      expect(steps).toBeGreaterThan(7);
      expect(Math.abs(estimateItems([item]) - estimateInput({ messages: [item] }))).toBeLessThan(20);
    }
  });

  test("encrypted thinking of another vendor is neither sent nor counted", () => {
    const foreign = { type: "reasoning", summary: [], encrypted_content: "z".repeat(100_000) };
    expect(estimateItems([foreign])).toBeLessThan(30);
    expect(JSON.stringify(requestFor("chat", { input: [user("a"), foreign] }))).not.toContain("zzz");
  });
});

test("the first system items become the system message, also if an upstream takes no later ones", () => {
  const input = [{ role: "developer", content: "You are an agent" }, user("hi")];
  expect(requestFor("chat", { input, instructions: "Be brief" }, { laterSystem: false }).messages).toEqual([
    { role: "system", content: "Be brief\n\nYou are an agent" },
    { role: "user", content: "hi" },
  ]);
});

test("a tool that is declared twice is one tool", () => {
  const redeclaration = { type: "additional_tools", tools: [{ ...tools[0], description: "newer" }] };
  const body = requestFor("chat", { input: [user("x"), redeclaration, call, result], tools });
  expect(body.tools).toMatchObject([{ function: { name: "f", description: "newer" } }]);
  expect((body.messages as JsonObject[])[1]).toMatchObject({ tool_calls: [{ function: { name: "f" } }] });
});

test("a call that was cut off goes back as an object, and two messages in a row as two texts", () => {
  const cut = { ...call, arguments: '{"a":"b' };
  const { messages } = requestFor("chat", {
    input: [user("x"), answer("One."), answer("Two."), cut, result],
    tools,
  });
  expect((messages as JsonObject[])[1]).toMatchObject({
    content: "One.\n\nTwo.",
    tool_calls: [{ function: { arguments: JSON.stringify({ _raw: '{"a":"b' }) } }],
  });
});

test("a call's arguments may have no more values than the body", () => {
  const large = { ...call, arguments: `[${"1,".repeat(300_000)}1]` };
  expect(refusalOf(() => requestFor("chat", { input: [user("x"), large, result], tools })).kind).toBe(
    "invalidParameters",
  );
});

test("thinking without its call ends no turn for a messages upstream, and an answer at the end is no prefill", () => {
  const assistantMessage = { role: "assistant", content: "so" };
  const input = [user("x"), assistantMessage, thought, user("y"), assistantMessage];
  const body = requestFor("messages", { input }, { thinking: "adaptive" });
  const roles = (body.messages as { role: string; content: JsonObject[] }[]).map(({ role, content }) => [
    role,
    content.map(({ type }) => type),
  ]);
  expect(roles).toEqual(["user", "assistant", "user", "assistant", "user"].map((role) => [role, ["text"]]));
});

test.each(["reasoning.encrypted_content", "web_search_call.action.sources", "message.output_text.logprobs"])(
  "a client may ask for a value of include that no answer can have: %s",
  (name) => {
    expect(requestFor("messages", { input: "hi", include: [name] })).not.toHaveProperty("include");
  },
);
