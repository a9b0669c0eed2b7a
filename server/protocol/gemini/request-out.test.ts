import { describe, expect, test } from "vitest";
import { type Capabilities, usualCapabilities } from "../capabilities";
import { parseChatConversation, parseGeminiConversation, parseMessagesConversation } from "../conversations";
import { type JsonObject, objects } from "../fields";
import type { AnswerContext, ConversationRequest } from "../upstream-plan";
import { writeSignature } from "./signatures";

const context: AnswerContext = { model: "public", inputTokens: 9, fallbackId: "gen_1", now: new Date(5_000) };
const terms = { maxOutputTokens: 100, isCapped: false };

const planOf = (call: ConversationRequest, more: Partial<Capabilities> = {}) =>
  call.planFor(
    { dialect: "gemini", name: "gemini-3-pro", capabilities: { ...usualCapabilities.gemini, ...more } },
    terms,
  );

const chat = (body: JsonObject) => parseChatConversation(JSON.stringify({ model: "public", ...body }));
const messages = (body: JsonObject) =>
  parseMessagesConversation(JSON.stringify({ model: "public", max_tokens: 100, ...body }), { headers: {} });
const gemini = (body: JsonObject) =>
  parseGeminiConversation(JSON.stringify(body), { model: "public", delivery: "whole" });

const asked = (call: ConversationRequest, more: Partial<Capabilities> = {}) =>
  JSON.parse(planOf(call, more).body) as JsonObject;

const functions = ["f", "g"].map((name) => ({
  type: "function",
  function: { name, parameters: { $schema: "x", type: "object", properties: { a: { const: 1 } } } },
}));
const toolCall = (id: string, name: string) => ({
  id,
  type: "function",
  function: { name, arguments: '{"n":1}' },
});
const history = [
  { role: "system", content: "Be brief" },
  { role: "user", content: "hi" },
  { role: "assistant", content: null, tool_calls: [toolCall("a", "f"), toolCall("b", "g")] },
  { role: "tool", tool_call_id: "b", content: "two" },
];

describe("a chat call for a Gemini upstream", () => {
  test("has one result for every call, in their order, in one user turn (vscode#299295)", () => {
    const { contents, systemInstruction } = asked(chat({ messages: history, tools: functions }));
    expect(systemInstruction).toBeUndefined();
    expect(contents).toEqual([
      { role: "user", parts: [{ text: "<system-reminder>\nBe brief\n</system-reminder>" }, { text: "hi" }] },
      {
        role: "model",
        parts: [
          { functionCall: { name: "f", args: { n: 1 } } },
          { functionCall: { name: "g", args: { n: 1 } } },
        ],
      },
      {
        role: "user",
        parts: [
          { functionResponse: { name: "f", response: { error: "(no result)" } } },
          { functionResponse: { name: "g", response: { output: "two" } } },
        ],
      },
    ]);
  });

  test("says which signature is missing, on the first call of a step only", () => {
    const call = chat({ messages: history, tools: functions });
    const [, turn] = objects(asked(call, { signsToolCalls: true }).contents);
    expect(objects(turn?.parts).map((part) => part.thoughtSignature)).toEqual([
      "skip_thought_signature_validator",
      undefined,
    ]);
  });

  test("has its schemas as they are, without what names their dialect (OmniRoute#1421)", () => {
    const [tool] = objects(asked(chat({ messages: history, tools: functions })).tools);
    expect(objects(tool?.functionDeclarations)[0]).toEqual({
      name: "f",
      parametersJsonSchema: { type: "object", properties: { a: { const: 1 } } },
    });
  });

  test.each([
    ["none", { mode: "NONE" }],
    ["required", { mode: "ANY" }],
    [
      { type: "function", function: { name: "f" } },
      { mode: "ANY", allowedFunctionNames: ["f"] },
    ],
  ])("chooses %j as %j", (tool_choice, functionCallingConfig) => {
    expect(asked(chat({ messages: history, tools: functions, tool_choice })).toolConfig).toEqual({
      functionCallingConfig,
    });
  });

  test("is sent to the model's own address, and thinks as it is told", () => {
    const call = chat({ messages: [{ role: "user", content: "a" }], reasoning_effort: "high", stream: true });
    const plan = planOf(call, { thinking: "effort", effortLevels: ["low", "high"] });
    expect(plan.path).toBe("/models/gemini-3-pro:streamGenerateContent?alt=sse");
    expect(JSON.parse(plan.body)).toMatchObject({
      generationConfig: {
        maxOutputTokens: 100,
        thinkingConfig: { includeThoughts: true, thinkingLevel: "HIGH" },
      },
    });
  });
});

const answer = {
  candidates: [
    {
      content: {
        role: "model",
        parts: [
          { text: "hm", thought: true },
          { functionCall: { name: "f", args: { n: 1 } }, thoughtSignature: "c2ln" },
          { functionCall: { name: "g", args: {} } },
        ],
      },
      finishReason: "STOP",
    },
  ],
  usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 3, thoughtsTokenCount: 4, totalTokenCount: 12 },
  responseId: "r1",
};

describe("a signature of Google's", () => {
  const tools = [
    { name: "f", input_schema: { type: "object" } },
    { name: "g", input_schema: { type: "object" } },
  ];

  test("survives a client that does not know it, whole and streamed (Portkey#1442, litellm#18570)", () => {
    const first = messages({ messages: [{ role: "user", content: "hi" }], tools });
    const read = planOf(first).readAnswer(structuredClone(answer), context);
    expect(typeof read).toBe("object");
    const said = typeof read === "string" ? {} : (JSON.parse(read.body) as JsonObject);
    const results = objects(said.content)
      .filter(({ type }) => type === "tool_use")
      .map(({ id }) => ({ type: "tool_result", tool_use_id: id, content: "ok" }));
    const next = messages({
      messages: [
        { role: "user", content: "hi" },
        { role: "assistant", content: said.content },
        { role: "user", content: results },
      ],
      tools,
    });
    const turn = objects(asked(next, { signsToolCalls: true }).contents)[1];
    expect(turn?.parts).toEqual([
      { functionCall: { name: "f", args: { n: 1 } }, thoughtSignature: "c2ln" },
      { functionCall: { name: "g", args: {} } },
    ]);
    const stream = planOf(messages({ messages: [{ role: "user", content: "hi" }], tools, stream: true }));
    const opened = stream.openStream(context);
    const step = opened.push(JSON.stringify(answer));
    const text = `${step.kind === "frames" ? step.text : ""}${opened.ending()}`;
    expect(text).toContain(objects(said.content)[0]?.signature);
  });

  test("on an answer's last words neither cuts them nor follows them: Claude Code shows what comes last", () => {
    const part = (parts: JsonObject[], more: JsonObject = {}) => ({
      candidates: [{ content: { role: "model", parts }, ...more }],
      usageMetadata: answer.usageMetadata,
      responseId: "r1",
    });
    const signed = { text: " words", thoughtSignature: "c2ln" };
    const first = { messages: [{ role: "user", content: "hi" }] };
    for (const last of [[signed], [{ text: " words" }, { text: "", thoughtSignature: "c2ln" }]]) {
      const end = { finishReason: "STOP" };
      const read = planOf(messages(first)).readAnswer(part([{ text: "Last" }, ...last], end), context);
      const said = typeof read === "string" ? {} : (JSON.parse(read.body) as JsonObject);
      expect(said.content).toEqual([{ type: "text", text: "Last words" }]);
      const opened = planOf(messages({ ...first, stream: true })).openStream(context);
      const steps = [part([{ text: "Last" }]), ...last.map((each) => part([each])), part([], end)];
      const frames = steps.map((step) => opened.push(JSON.stringify(step)));
      const text = frames.map((step) => (step.kind === "frames" ? step.text : "")).join("") + opened.ending();
      expect(text.match(/"content_block":\{[^}]*\}/g)).toEqual(['"content_block":{"type":"text","text":""}']);
      expect(text).toContain(" words");
    }
  });

  test("on words before a call comes back before the call", () => {
    const sent = {
      candidates: [
        {
          content: {
            role: "model",
            parts: [
              { text: "So" },
              { text: " I call", thoughtSignature: "dGV4dA==" },
              { functionCall: { name: "f", args: {} }, thoughtSignature: "c2ln" },
            ],
          },
          finishReason: "STOP",
        },
      ],
      usageMetadata: answer.usageMetadata,
    };
    const first = { messages: [{ role: "user", content: "hi" }], tools };
    const read = planOf(messages(first)).readAnswer(structuredClone(sent), context);
    const said = typeof read === "string" ? {} : (JSON.parse(read.body) as JsonObject);
    const types = ["text", "thinking", "thinking", "tool_use"];
    expect(objects(said.content).map(({ type }) => type)).toEqual(types);
    const opened = planOf(messages({ ...first, stream: true })).openStream(context);
    const step = opened.push(JSON.stringify(sent));
    const text = `${step.kind === "frames" ? step.text : ""}${opened.ending()}`;
    expect([...text.matchAll(/"content_block":\{"type":"(\w+)"/g)].map(([, type]) => type)).toEqual(types);
    expect([...text.matchAll(/content_block_stop","index":(\d)/g)].map(([, index]) => index)).toEqual([
      ..."0123",
    ]);
  });

  test("survives a chat client that hands back nothing but identifiers, whole and streamed", () => {
    const user = { role: "user", content: "hi" };
    const read = planOf(chat({ messages: [user], tools: functions })).readAnswer(
      structuredClone(answer),
      context,
    );
    const said = typeof read === "string" ? {} : (JSON.parse(read.body) as JsonObject);
    const message = objects(said.choices)[0]?.message as JsonObject;
    const calls = objects(message.tool_calls);
    const results = calls.map(({ id }) => ({ role: "tool", tool_call_id: id, content: "ok" }));
    const assistant = { role: "assistant", content: null, tool_calls: calls };
    const next = chat({ messages: [user, assistant, ...results], tools: functions });
    const turn = objects(asked(next, { signsToolCalls: true }).contents)[1];
    expect(turn?.parts).toEqual([
      { functionCall: { name: "f", args: { n: 1 } }, thoughtSignature: "c2ln" },
      { functionCall: { name: "g", args: {} } },
    ]);
    const opened = planOf(chat({ messages: [user], tools: functions, stream: true })).openStream(context);
    const step = opened.push(JSON.stringify(answer));
    expect(step.kind === "frames" && step.text.includes(String(calls[0]?.id))).toBe(true);
    // To a vendor of the chat dialect it is an identifier like any other.
    const elsewhere = next.planFor(
      { dialect: "chat", name: "up", capabilities: usualCapabilities.chat },
      terms,
    ).body;
    expect(elsewhere).not.toContain("__tgs_");
  });

  test("of another vendor's thinking does not reach Google, where the client is Google's own", () => {
    const thoughtSignature = writeSignature([
      { type: "thinking", text: "hm", seal: { origin: "anthropic", data: "sig" } },
    ]);
    const call = { functionCall: { name: "f", args: {} }, thoughtSignature };
    const contents = [
      { role: "user", parts: [{ text: "hi" }] },
      { role: "model", parts: [{ text: "so", thoughtSignature }, call] },
    ];
    expect(objects(asked(gemini({ contents })).contents)[1]?.parts).toEqual([
      { text: "so" },
      { functionCall: { name: "f", args: {} }, thoughtSignature: "skip_thought_signature_validator" },
    ]);
  });
});

describe("a Gemini call that stays in its dialect", () => {
  const contents = [{ role: "user", parts: [{ text: "hi" }] }];

  test("goes out character by character, but for what is ours", () => {
    const raw =
      '{"contents": [{"parts":[{"text":"hi"}]}], "safety_settings":[],"generationConfig":{"seed":12345678901234567890}}';
    const call = parseGeminiConversation(raw, { model: "public", delivery: "whole" });
    expect(planOf(call).body).toBe(raw);
  });

  test("is held to the limit that was paid for, in whichever spelling", () => {
    const call = gemini({ contents, generation_config: { max_output_tokens: 900, top_p: 0.5 } });
    const upstream = { dialect: "gemini" as const, name: "up", capabilities: usualCapabilities.gemini };
    const plan = call.planFor(upstream, { maxOutputTokens: 50, isCapped: true });
    expect(JSON.parse(plan.body)).toEqual({
      contents,
      generationConfig: { maxOutputTokens: 50, topP: 0.5 },
    });
  });

  test("is served nothing dearer than its price, nor what another account has stored", () => {
    expect(asked(gemini({ contents, service_tier: "PRIORITY", model: "dearer" }))).toEqual({ contents });
    const tools = [{ google_search: {} }, { functionDeclarations: [{ name: "f" }] }];
    expect(asked(gemini({ contents, tools })).tools).toEqual([{ functionDeclarations: [{ name: "f" }] }]);
    expect(asked(gemini({ contents, tools }), { webSearch: true }).tools).toEqual(tools);
    expect(() => asked(gemini({ contents, tools: [{ googleMaps: {} }] }))).toThrow("googleMaps");
    expect(() => asked(gemini({ contents, cachedContent: "cachedContents/1" }))).toThrow("cachedContent");
  });
});

test.each([
  ["beside what was said", { candidatesTokenCount: 3, thoughtsTokenCount: 4, totalTokenCount: 12 }, 7],
  [
    "inside of it (801 + 1519 = 2320)",
    { candidatesTokenCount: 7, thoughtsTokenCount: 4, totalTokenCount: 12 },
    7,
  ],
  ["in the total alone", { totalTokenCount: 12 }, 7],
  ["without a total", { candidatesTokenCount: 3, thoughtsTokenCount: 4 }, 7],
])(
  "thoughts that are counted %s are paid for once (new-api#1014, CLIProxyAPI#5744)",
  (_where, counts, output) => {
    const sent = { ...answer, usageMetadata: { promptTokenCount: 5, ...counts } };
    const read = planOf(chat({ messages: [{ role: "user", content: "a" }] })).readAnswer(sent, context);
    expect(read).toMatchObject({ usage: { inputTokens: 5, outputTokens: output }, source: "upstream" });
  },
);

test("counts of a stream are of all so far: the last counts, and what it leaves out is not taken back (hydra#858)", () => {
  const plan = planOf(chat({ messages: [{ role: "user", content: "a" }], stream: true }));
  const stream = plan.openStream(context);
  const piece = (text: string, usageMetadata: JsonObject, more: JsonObject = {}) =>
    stream.push(JSON.stringify({ candidates: [{ content: { parts: [{ text }] }, ...more }], usageMetadata }));
  piece("a", { promptTokenCount: 5, candidatesTokenCount: 9, totalTokenCount: 30 });
  piece("b", { promptTokenCount: 5, totalTokenCount: 14 }, { finishReason: 1 });
  expect(stream.isFinished).toBe(true);
  expect(stream.settled(true)).toMatchObject({
    usage: { inputTokens: 5, outputTokens: 9 },
    source: "upstream",
  });
});
