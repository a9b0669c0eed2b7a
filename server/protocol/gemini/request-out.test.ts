import { describe, expect, test } from "vitest";
import { atOnce } from "@/server/base/turns";
import { callOf, planFor, upstreamRequestOf } from "@/tests/support/upstream-request";
import type { Capabilities } from "../capabilities";
import { isJsonObject, type JsonObject, objects } from "../fields";
import type { AnswerContext, ConversationRequest } from "../upstream-plan";

const context: AnswerContext = { model: "public", inputTokens: 9, fallbackId: "gen_1", now: new Date(5_000) };
const requestOf = (call: ConversationRequest, more: Partial<Capabilities> = {}) =>
  upstreamRequestOf(call, "gemini", more);

/** The body that a client gets for an answer of Google's. */
function wholeOf(call: ConversationRequest, upstreamAnswer: JsonObject): JsonObject {
  const read = atOnce(planFor(call, "gemini").readAnswer(structuredClone(upstreamAnswer), context));
  expect(typeof read).toBe("object");
  return typeof read === "string" ? {} : (read.body as JsonObject);
}

/** The text that it gets for a stream of these pieces. */
function streamOf(call: ConversationRequest, ...pieces: JsonObject[]): string {
  const opened = planFor(call, "gemini").openStream(context);
  const steps = pieces.map((piece) => opened.push(JSON.stringify(piece)));
  return steps.map((step) => (step.kind === "frames" ? step.text : "")).join("") + opened.ending();
}

const hi = { role: "user", content: "hi" };
const functions = ["f", "g"].map((name) => ({
  type: "function",
  function: { name, parameters: { $schema: "x", type: "object", properties: { a: { const: 1 } } } },
}));
const toolCall = (id: string, name: string) => ({
  ...{ id, type: "function", function: { name, arguments: '{"n":1}' } },
});
const history = [
  { role: "system", content: "Be brief" },
  hi,
  { role: "assistant", content: null, tool_calls: [toolCall("a", "f"), toolCall("b", "g")] },
  { role: "tool", tool_call_id: "b", content: "two" },
];
const functionCall = (name: string, args: object = {}) => ({ functionCall: { name, args } });
const turnOf = (call: ConversationRequest, more: Partial<Capabilities> = { signsToolCalls: true }) =>
  objects(objects(requestOf(call, more).contents)[1]?.parts);

describe("a chat call for a Gemini upstream", () => {
  const call = callOf.chat({ messages: history, tools: functions });

  test("has one result for every call, in the order of the calls, in one user turn (vscode#299295)", () => {
    const { contents, systemInstruction } = requestOf(call);
    const answered = (name: string, response: object) => ({ functionResponse: { name, response } });
    expect(systemInstruction).toEqual({ parts: [{ text: "Be brief" }] });
    expect(contents).toEqual([
      { role: "user", parts: [{ text: "hi" }] },
      { role: "model", parts: [functionCall("f", { n: 1 }), functionCall("g", { n: 1 })] },
      { role: "user", parts: [answered("f", { error: "(no result)" }), answered("g", { output: "two" })] },
    ]);
  });

  test("has the client's system messages before all turns as instruction, and those between turns as a reminder", () => {
    const requestWith = (...messages: object[]) => requestOf(callOf.chat({ messages }));
    const [brief, kind] = [
      { role: "system", content: "Be brief" },
      { role: "developer", content: "Be kind" },
    ];
    const both = { parts: [{ text: "Be brief" }, { text: "Be kind" }] };
    expect(requestWith(brief, kind, hi)).toMatchObject({
      systemInstruction: both,
      contents: [{ role: "user", parts: [{ text: "hi" }] }],
    });
    const [turn] = objects(requestWith(hi, kind).contents);
    expect(turn?.parts).toEqual([{ text: "hi" }, { text: "<system-reminder>\nBe kind\n</system-reminder>" }]);
    // Google gives no answer to a call without contents.
    expect(requestWith(brief)).toMatchObject({ contents: [{ role: "user", parts: [{ text: "Be brief" }] }] });
    const messages = [{ role: "system", content: "Be kind" }, hi];
    expect(
      requestOf(callOf.messages({ max_tokens: 9, system: "Be brief", messages })).systemInstruction,
    ).toEqual(both);
  });

  test("says that a signature is missing on the first call of a step only", () => {
    const signatures = turnOf(call).map((part) => part.thoughtSignature);
    expect(signatures).toEqual(["skip_thought_signature_validator", undefined]);
  });

  test("has its schemas without the name of their dialect, otherwise unchanged (OmniRoute#1421)", () => {
    const parametersJsonSchema = { type: "object", properties: { a: { const: 1 } } };
    const [tool] = objects(requestOf(call).tools);
    expect(objects(tool?.functionDeclarations)[0]).toEqual({ name: "f", parametersJsonSchema });
  });

  test.each([
    ["none", { mode: "NONE" }],
    ["required", { mode: "ANY" }],
    [functions[0], { mode: "ANY", allowedFunctionNames: ["f"] }],
  ])("writes the choice %j as %j", (tool_choice, functionCallingConfig) => {
    const { toolConfig } = requestOf(callOf.chat({ messages: history, tools: functions, tool_choice }));
    expect(toolConfig).toEqual({ functionCallingConfig });
  });

  test("goes to the address of the model, with thinking as the client asks for it", () => {
    const thoughtful = callOf.chat({ messages: [hi], reasoning_effort: "high", stream: true });
    const plan = planFor(thoughtful, "gemini", { thinking: "effort", effortLevels: ["low", "high"] });
    expect(plan.path).toBe("/models/up:streamGenerateContent?alt=sse");
    const thinkingConfig = { includeThoughts: true, thinkingLevel: "HIGH" };
    expect(JSON.parse(String(plan.body))).toMatchObject({
      generationConfig: { maxOutputTokens: 100, thinkingConfig },
    });
  });
});

const answerOf = (parts: object[], candidate: object = { finishReason: "STOP" }) => ({
  candidates: [{ content: { role: "model", parts }, ...candidate }],
  usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 3, totalTokenCount: 8 },
  responseId: "r1",
});
const signedCall = (name: string, args: object = {}) => ({
  ...functionCall(name, args),
  thoughtSignature: "c2ln",
});
const answer = answerOf([{ text: "hm", thought: true }, signedCall("f", { n: 1 }), functionCall("g")]);

describe("a signature of Google's", () => {
  const tools = ["f", "g"].map((name) => ({ name, input_schema: { type: "object" } }));
  const first = callOf.messages({ messages: [hi], tools });

  test("survives a client that does not know signatures, whole and streamed (Portkey#1442, litellm#18570)", () => {
    const { content } = wholeOf(first, answer);
    const results = objects(content).flatMap(({ type, id }) =>
      type === "tool_use" ? [{ type: "tool_result", tool_use_id: id, content: "ok" }] : [],
    );
    const turns = [hi, { role: "assistant", content }, { role: "user", content: results }];
    const next = callOf.messages({ messages: turns, tools });
    expect(turnOf(next)).toEqual([signedCall("f", { n: 1 }), functionCall("g")]);
    const stream = streamOf(callOf.messages({ messages: [hi], tools, stream: true }), answer);
    expect(stream).toContain(objects(content)[0]?.signature);
  });

  test.each([
    [[{ text: " words", thoughtSignature: "c2ln" }]],
    [[{ text: " words" }, { text: "", thoughtSignature: "c2ln" }]],
  ])(
    "on an answer's last words neither cuts them nor follows them, because Claude Code shows the last block",
    (last) => {
      const words = [{ text: "Last" }, ...last];
      const { content } = wholeOf(callOf.messages({ messages: [hi] }), answerOf(words));
      expect(content).toEqual([{ type: "text", text: "Last words" }]);
      const pieces = [...words.map((part) => answerOf([part], {})), answerOf([])];
      const text = streamOf(callOf.messages({ messages: [hi], stream: true }), ...pieces);
      expect(text.match(/"content_block":\{[^}]*\}/g)).toEqual(['"content_block":{"type":"text","text":""}']);
      expect(text).toContain(" words");
    },
  );

  test("on words before a call comes back before the call", () => {
    const upstreamAnswer = answerOf([
      { text: "So" },
      { text: " I call", thoughtSignature: "dGV4dA==" },
      signedCall("f"),
    ]);
    const types = ["text", "thinking", "thinking", "tool_use"];
    expect(objects(wholeOf(first, upstreamAnswer).content).map(({ type }) => type)).toEqual(types);
    const text = streamOf(callOf.messages({ messages: [hi], tools, stream: true }), upstreamAnswer);
    const matchesOf = (pattern: RegExp) => [...text.matchAll(pattern)].map(([, word]) => word);
    expect(matchesOf(/"content_block":\{"type":"(\w+)"/g)).toEqual(types);
    expect(matchesOf(/content_block_stop","index":(\d)/g)).toEqual([..."0123"]);
  });

  test("survives a chat client that sends back nothing but identifiers, whole and streamed", () => {
    const completion = wholeOf(callOf.chat({ messages: [hi], tools: functions }), answer);
    const [{ message } = {}] = objects(completion.choices);
    const calls = isJsonObject(message) ? objects(message.tool_calls) : [];
    const results = calls.map(({ id }) => ({ role: "tool", tool_call_id: id, content: "ok" }));
    const turns = [hi, { role: "assistant", content: null, tool_calls: calls }, ...results];
    const next = callOf.chat({ messages: turns, tools: functions });
    expect(turnOf(next)).toEqual([signedCall("f", { n: 1 }), functionCall("g")]);
    const stream = streamOf(callOf.chat({ messages: [hi], tools: functions, stream: true }), answer);
    expect(stream).toContain(String(calls[0]?.id));
    // To a vendor of the chat dialect it is an ordinary identifier.
    expect(planFor(next, "chat").body).not.toContain("__tgs_");
  });
});

test("counts of a stream are cumulative: the last count of each kind holds, and a missing one takes nothing back (hydra#858)", () => {
  const stream = planFor(callOf.chat({ messages: [hi], stream: true }), "gemini").openStream(context);
  const piece = (text: string, usageMetadata: JsonObject, more: JsonObject = {}) =>
    stream.push(JSON.stringify({ candidates: [{ content: { parts: [{ text }] }, ...more }], usageMetadata }));
  piece("a", { promptTokenCount: 5, candidatesTokenCount: 9, totalTokenCount: 30 });
  piece("b", { promptTokenCount: 5, totalTokenCount: 14 }, { finishReason: 1 });
  expect(stream.isFinished).toBe(true);
  const usage = { inputTokens: 5, outputTokens: 9 };
  expect(stream.settled(true)).toMatchObject({ usage, source: "upstream" });
});

describe("a picture or file that a client names by its address", () => {
  const callWithImage = (url: string) =>
    callOf.chat({ messages: [{ role: "user", content: [imageAt(url)] }] });
  const imageAt = (url: string) => ({ type: "image_url", image_url: { url } });

  test.each([
    ["https://a.example/cat.png", "image/png"],
    ["https://a.example/CAT.WEBP?size=9.gif", "image/webp"],
    ["https://a.example/cat", "image/jpeg"],
    ["https://a.example/constructor.constructor", "image/jpeg"],
  ])("%s is fetched by Google, as %s", (fileUri, mimeType) => {
    expect(requestOf(callWithImage(fileUri)).contents).toEqual([
      { role: "user", parts: [{ fileData: { fileUri, mimeType } }] },
    ]);
  });

  test.each<[string, Partial<Capabilities>]>([
    ["http://a.example/cat.png", {}],
    ["https://", {}],
    ["https://a.example/cat.png", { images: "data" }],
  ])("%s is refused if the upstream takes %j", (url, takes) => {
    expect(() => requestOf(callWithImage(url), takes)).toThrow(
      expect.objectContaining({ kind: "cannotConvert" }),
    );
  });

  test("is sent as a PDF if it is one", () => {
    const file = { type: "input_file", file_url: "https://a.example/book" };
    const call = callOf.responses({ input: [{ role: "user", content: [file] }] });
    const fileData = { fileUri: "https://a.example/book", mimeType: "application/pdf" };
    expect(requestOf(call).contents).toEqual([{ role: "user", parts: [{ fileData }] }]);
    expect(() => requestOf(call, { documents: false })).toThrow();
  });
});
