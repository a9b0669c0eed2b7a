import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { atOnce } from "@/server/base/turns";
import { planFor } from "@/tests/support/upstream-request";
import type { Dialect } from "../capabilities";
import { parseChatConversation } from "../chat/conversation";
import { parseGeminiConversation } from "../gemini/conversation";
import { parseMessagesConversation } from "../messages/conversation";
import { responsesConversation } from "../responses/conversation";
import { mintResponseId } from "../responses/ids";
import { parseResponsesRequest } from "../responses/request";
import { parseWithoutPrice } from "../usage/vendor-price";
import { mayLoseDigits, parseCarrying, parseExact } from "./exact-numbers";

const dialects = ["chat", "messages", "responses", "gemini"] as const satisfies Dialect[];
const numbers = ["2512292042121000001", "1.0", "-0", "1e400", "0.10", "123456789.123456789"];
const argsJson = `{"n":[${numbers.join(",")}],"o":{"id":${numbers[0]}}}`;
const inText = JSON.stringify(argsJson);
const schema = `{"type":"object","properties":{"n":{"type":"integer","enum":[${numbers.join(",")}]}}}`;

/** A question after a call with these arguments, and the tool, as clients write them. */
const requests: Record<Dialect, (isStream: boolean) => string> = {
  chat: (stream) => `{"model":"m","stream":${stream},"messages":[{"role":"user","content":"a"},
    {"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":${inText}}}]},
    {"role":"tool","tool_call_id":"c","content":"b"}],
    "tools":[{"type":"function","function":{"name":"f","parameters":${schema}}}]}`,
  messages: (
    stream,
  ) => `{"model":"m","stream":${stream},"max_tokens":99,"messages":[{"role":"user","content":"a"},
    {"role":"assistant","content":[{"type":"tool_use","id":"c","name":"f","input":${argsJson}}]},
    {"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":"b"}]}],
    "tools":[{"name":"f","input_schema":${schema}}]}`,
  responses: (stream) => `{"model":"m","stream":${stream},"input":[{"role":"user","content":"a"},
    {"type":"function_call","call_id":"c","name":"f","arguments":${inText}},
    {"type":"function_call_output","call_id":"c","output":"b"}],
    "tools":[{"type":"function","name":"f","parameters":${schema}}]}`,
  gemini: () => `{"contents":[{"role":"user","parts":[{"text":"a"}]},
    {"role":"model","parts":[{"functionCall":{"name":"f","args":${argsJson}}}]},
    {"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":"b"}}}]}],
    "tools":[{"functionDeclarations":[{"name":"f","parametersJsonSchema":${schema}}]}]}`,
};
const callOf = (client: Dialect, isStream: boolean) => {
  const text = requests[client](isStream);
  switch (client) {
    case "chat":
      return parseChatConversation(text);
    case "messages":
      return parseMessagesConversation(text, { headers: {} });
    case "responses": {
      const request = parseResponsesRequest(text);
      return responsesConversation(
        { id: mintResponseId(), request, items: request.input, keep: () => {} },
        1,
      );
    }
    default:
      return parseGeminiConversation(text, { model: "m", delivery: isStream ? "events" : "whole" });
  }
};

/** An answer that calls the tool with these arguments, whole and as events, as upstreams write them. */
const item = `{"type":"function_call","id":"fc","call_id":"c","name":"f","arguments":${inText},"status":"completed"}`;
const response = `{"id":"r","object":"response","status":"completed","model":"u","output":[${item}],"usage":{"input_tokens":3,"output_tokens":4}}`;
const candidate = `{"candidates":[{"index":0,"finishReason":"STOP","content":{"role":"model","parts":[{"functionCall":{"name":"f","args":${argsJson}}}]}}],"usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":4,"totalTokenCount":7}}`;
const call = `{"index":0,"id":"c","type":"function","function":{"name":"f","arguments":${inText}}}`;
const answers: Record<Dialect, { whole: string; events: string[] }> = {
  chat: {
    whole: `{"id":"c","model":"u","choices":[{"index":0,"finish_reason":"tool_calls","message":{"role":"assistant","content":null,"tool_calls":[${call}]}}]}`,
    events: [
      `{"id":"c","model":"u","choices":[{"index":0,"finish_reason":null,"delta":{"tool_calls":[${call}]}}]}`,
      '{"id":"c","choices":[{"index":0,"finish_reason":"tool_calls","delta":{}}]}',
    ],
  },
  messages: {
    whole: `{"id":"m","type":"message","role":"assistant","model":"u","stop_reason":"tool_use","content":[{"type":"tool_use","id":"c","name":"f","input":${argsJson}}],"usage":{"input_tokens":3,"output_tokens":4}}`,
    events: [
      '{"type":"message_start","message":{"id":"m","content":[],"usage":{"input_tokens":3,"output_tokens":1}}}',
      `{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"c","name":"f","input":${argsJson}}}`,
      '{"type":"content_block_stop","index":0}',
      '{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":4}}',
    ],
  },
  responses: {
    whole: response,
    events: [
      `{"type":"response.output_item.added","output_index":0,"item":${item.replace(inText, '""')}}`,
      `{"type":"response.function_call_arguments.delta","output_index":0,"item_id":"fc","delta":${inText}}`,
      `{"type":"response.output_item.done","output_index":0,"item":${item}}`,
      `{"type":"response.completed","response":${response}}`,
    ],
  },
  gemini: { whole: candidate, events: [candidate] },
};
const context = { model: "m", inputTokens: 3, fallbackId: "gen_1", now: new Date(0) };

/** The numbers missing from a text; also finds numbers in a text within a text. */
const missingNumbers = (text: string) =>
  numbers.filter((number) => !new RegExp(`[:,[\\s]${number.replaceAll(".", "\\.")}[,\\]}]`).test(text));

describe.each(dialects)("the digits of a %s client's numbers", (client) => {
  test.each(dialects)("reach an upstream of %s and come back unchanged, whole and streamed", (dialect) => {
    const whole = planFor(callOf(client, false), dialect);
    expect(missingNumbers(String(whole.body))).toEqual([]);
    const read = atOnce(whole.readAnswer(parseWithoutPrice(answers[dialect].whole), context));
    expect(typeof read === "string" ? read : missingNumbers(JSON.stringify(read.body))).toEqual([]);
    const stream = planFor(callOf(client, true), dialect).openStream(context);
    const steps = answers[dialect].events.map((event) => stream.push(event));
    const text =
      steps.map((step) => (step.kind === "frames" ? step.text : step.kind)).join("") + stream.ending();
    expect(missingNumbers(text)).toEqual([]);
  });
});

test("numbers that the gateway uses are numbers, and numbers that it passes on stay as they are written", () => {
  const text =
    '{"usage":{"input_tokens":10.0},"created":1764000000000000000,"input":[1.0],"content":[{"input":{"a":1.0}}]}';
  const read = parseCarrying(text) as { usage: { input_tokens: unknown } };
  expect(read.usage.input_tokens).toBe(10);
  expect(JSON.stringify(read)).toBe(
    '{"usage":{"input_tokens":10},"created":1764000000000000000,"input":[1],"content":[{"input":{"a":1.0}}]}',
  );
});

test("any JSON is read as it is written, and equals what JSON.parse reads except for its numbers", () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 4 }), (text) => {
      expect(JSON.stringify(parseExact(text))).toBe(JSON.stringify(JSON.parse(text)).replaceAll("-0", "-0"));
    }),
  );
  expect(JSON.stringify(parseExact(argsJson))).toBe(argsJson);
  expect(() => parseExact('{"a":1.0,}')).toThrow(SyntaxError);
});

test.each([
  ['{"index":0,"n":[0, 0.5]}', false],
  ['{"n":-0}', true],
  ["[0.0]", true],
])("whether numbers of %s may lose digits: %s", (text, mayLose) => {
  expect(mayLoseDigits(text)).toBe(mayLose);
});

test("messages that lose the thinking of another vendor keep the digits of all that stays", () => {
  const digits = `"n":[${numbers.join(",")}]`;
  const thinking = '{"type":"thinking","thinking":"hm","signature":"tollgate.unsigned.1"}';
  const text = `{"type":"text","text":"a",${digits}}`;
  const raw = `{"model":"m","max_tokens":99,"messages":[{"role":"user","content":[${text}]},
    {"role":"assistant","content":[${thinking},${text}]},{"role":"user","content":"b"}]}`;
  const body = String(planFor(parseMessagesConversation(raw, { headers: {} }), "messages").body);
  expect([body.split(digits).length, body.includes("thinking")]).toEqual([3, false]);
});

test("arguments whose names have escapes reach Gemini as they are", () => {
  const args = '{"\\\\u0061b":1,"ab2":2.50}';
  const call = `{"id":"c","type":"function","function":{"name":"f","arguments":"${args.replaceAll('"', '\\"')}"}}`;
  const raw = `{"model":"m","messages":[{"role":"user","content":"a"},{"role":"assistant","content":null,"tool_calls":[${call}]},
    {"role":"tool","tool_call_id":"c","content":"b"}]}`;
  expect(planFor(parseChatConversation(raw), "gemini").body).toContain('"args":{"ab":1,"ab2":2.50}');
});
