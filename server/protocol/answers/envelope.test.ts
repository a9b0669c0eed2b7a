import { describe, expect, test } from "vitest";
import { openEnvelope } from "./envelope";

const choice = { index: 0, message: { content: "a" } };
const usage = { prompt_tokens: 1 };

describe("an answer or an event comes out of the envelope around it", () => {
  const contents: [what: string, content: object][] = [
    ["a chat answer", { choices: [choice], usage }],
    ["a piece of a chat stream", { id: "c", choices: [{ delta: {} }] }],
    ["a message", { type: "message", content: [{ type: "text", text: "a" }] }],
    ["an event without content", { type: "message_stop" }],
    ["an event of the Responses dialect", { type: "response.created", response: {} }],
    ["a Responses answer", { object: "response", output: [] }],
    ["a Gemini answer", { candidates: [] }],
    ["embeddings", { object: "list", data: [{ embedding: [1] }] }],
    ["the counts at a stream's end", { id: "c", usage }],
    ["an error", { error: { message: "no", code: 400 } }],
  ];
  describe.each(contents)("%s", (_what, content) => {
    test.each<[string, (content: object) => object]>([
      ["Cline's", (data) => ({ data, success: true })],
      ["a code and words", (data) => ({ code: 0, message: "success", data, request_id: "r" })],
      ["a code of HTTP", (data) => ({ code: 200, msg: "操作成功", data })],
      ["Cloudflare's", (result) => ({ result, success: true, errors: [], messages: [] })],
      ["Google Code Assist's", (response) => ({ response, traceId: "t" })],
      ["DashScope's", (output) => ({ output, request_id: "r" })],
      ["an empty error", (data) => ({ error: null, status: "success", data })],
      ["an envelope in another", (data) => ({ code: 0, data: { result: data } })],
    ])("in the form of %s", (_form, wrap) => {
      expect(openEnvelope(wrap(structuredClone(content)))).toEqual(content);
    });
  });
});

test("an envelope may have the type of the event in it, by the event's name, and no other", () => {
  const event = { type: "message_start", message: { id: "m" } };
  expect(openEnvelope({ type: "message_start", code: 0, data: event })).toEqual(event);
  const other = { type: "response.created", response: { error: null, output: [] } };
  expect(openEnvelope(structuredClone(other))).toEqual(other);
});

test("counts and the model beside the content go with it, unless it has its own", () => {
  const output = { choices: [choice] };
  expect(openEnvelope({ output, usage, model: "m", request_id: "r" })).toEqual({
    ...output,
    usage,
    model: "m",
  });
  const own = { ...output, usage: { prompt_tokens: 2 } };
  expect(openEnvelope({ data: own, usage })).toEqual(own);
});

test.each([null, {}, 1, { prompt_tokens: 0, completion_tokens: 0 }, { prompt_tokens_details: {} }])(
  "usage of %j inside hides no counts, and neither does an empty list of choices",
  (empty) => {
    const counted = { choices: [choice], usage };
    const inner = { choices: [choice], usage: empty };
    expect(openEnvelope({ data: inner, usage })).toEqual(counted);
    expect(openEnvelope({ data: { result: inner, usage: empty }, usage })).toEqual(counted);
    expect(openEnvelope({ data: { choices: [], usage: empty }, ...counted })).toMatchObject(counted);
    expect(openEnvelope({ choices: [], usage: empty, data: counted })).toEqual(counted);
    expect(openEnvelope({ ...inner, data: { choices: [], usage } })).toMatchObject(counted);
    expect(openEnvelope({ result: { choices: [] }, data: inner, usage })).toEqual(counted);
  },
);

test("Gemini's counts and model go with the answer beside them", () => {
  const response = { candidates: [{ content: {} }], usageMetadata: {} };
  const beside = { usageMetadata: { promptTokenCount: 1 }, modelVersion: "m" };
  expect(openEnvelope({ response, ...beside })).toEqual({ ...response, ...beside });
});

describe("an answer as JSON text", () => {
  const answer = { choices: [choice], usage };
  const text = JSON.stringify(answer);
  test.each<[string, unknown]>([
    ["as a whole", text],
    ["in a body", { statusCode: 200, headers: {}, body: text }],
    ["in data", { code: 0, data: text }],
    ["in a result", { success: true, result: text }],
  ])("is read %s", (_where, sent) => {
    expect(openEnvelope(sent)).toEqual(answer);
  });

  test("is not read where vendors put the model's own text: its counts would be the model's", () => {
    const sent = { result: { response: text, usage: { prompt_tokens: 5 } }, success: true };
    expect(openEnvelope(sent)).toEqual(sent.result);
    expect(openEnvelope({ response: text })).toEqual({ response: text });
    const made = { response: answer, usage: { prompt_tokens: 5 } };
    expect(openEnvelope({ result: made, success: true })).toEqual(made);
  });

  test("a status beside it is the one of its error", () => {
    const body = JSON.stringify({ error: { message: "no" } });
    expect(openEnvelope({ statusCode: 429, body })).toMatchObject({ error: { status: 429, message: "no" } });
    const bare = { statusCode: 400, body: '{"message":"no"}' };
    expect(openEnvelope(bare)).toMatchObject({ status: 400, message: "no" });
  });
});

describe("Tencent's names begin with a capital", () => {
  test("in an answer, whose arguments stay", () => {
    const call = { Id: "a", Type: "function", Function: { Name: "f", Arguments: { CamelCase: 1 } } };
    const Response = {
      Choices: [{ Message: { Content: "", ToolCalls: [call] }, FinishReason: "tool_calls" }],
      Usage: { PromptTokens: 1 },
    };
    const target = { name: "f", arguments: { CamelCase: 1 } };
    expect(openEnvelope({ Response })).toEqual({
      choices: [
        {
          message: { content: "", tool_calls: [{ id: "a", type: "function", function: target }] },
          finish_reason: "tool_calls",
        },
      ],
      usage: { prompt_tokens: 1 },
    });
  });

  test("in an error", () => {
    const error = { code: "LimitExceeded", message: "no" };
    const Response = { Error: { Code: "LimitExceeded", Message: "no" }, RequestId: "r" };
    expect(openEnvelope({ Response })).toMatchObject({ error });
    expect(openEnvelope({ ErrorMsg: { Msg: "no", Code: 4001 } })).toEqual({
      error: { msg: "no", code: 4001 },
    });
  });
});

test.each<[string, unknown]>([
  ["a failure with a status", { code: 500, message: "no", data: { choices: [choice] } }],
  ["a failure that says so", { success: false, result: { choices: [choice] } }],
  ["a failure with an error", { error: { message: "no" }, data: { choices: [choice] } }],
  ["a failure with the vendor's code", { code: 1001, message: "no", data: { reason: "x" } }],
  ["an answer with such a member", { choices: [choice], data: { choices: [] } }],
  ["an event with a response", { type: "response.completed", response: { output: [] } }],
  ["embeddings", { object: "list", data: [{ embedding: [1] }] }],
  ["one item of a Responses answer", { status: "completed", output: { type: "function_call", name: "f" } }],
  ["more envelopes than any gateway adds", { data: { data: { data: { data: { choices: [] } } } } }],
  ["no object", [1]],
])("%s is no envelope", (_what, value) => {
  expect(openEnvelope(structuredClone(value))).toEqual(value);
});

test("an empty error does not reach the client, and an error event stays one", () => {
  expect(openEnvelope({ choices: [], error: { code: 0, message: "" } })).toEqual({ choices: [] });
  expect(openEnvelope({ data: { choices: [], error: {} } })).toEqual({ choices: [] });
  expect(openEnvelope({ type: "error", error: {} })).toEqual({ type: "error", error: {} });
});
