/** Clients of every dialect: their calls, and their readings of an answer, whole or streamed. */
import type { Dialect } from "@/server/protocol/capabilities";
import { isJsonObject, type JsonObject, objects, textOf } from "@/server/protocol/fields";
import { parseGeminiConversation } from "@/server/protocol/gemini/conversation";
import type { ConversationRequest } from "@/server/protocol/upstream-plan";
import { callOf } from "../upstream-request";
import { argumentsOf, blank, type ClientReading, dataOf } from "./model-answer";

type DialectClient = {
  /** `more`: members in addition to those of every call. */
  ask: (isStream: boolean, more?: JsonObject) => ConversationRequest;
  whole: (body: string) => ClientReading;
  stream: (text: string) => ClientReading;
};

const schema = { type: "object", properties: { a: { type: "string" } } };
const names = ["f", "g"];
const member = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});
const count = (value: unknown): number => (typeof value === "number" ? value : 0);

const tokensOf = (list: unknown): ClientReading["logprobs"] =>
  objects(list).map(({ token, logprob, top_logprobs: top }) => ({
    ...{ token, logprob, top: objects(top).map((each) => [each.token, each.logprob]) },
  }));

/** Incomplete calls, by their place. */
type Growing = Map<unknown, { name: string; text: string }>;
const callsOf = (growing: Growing): ClientReading["calls"] =>
  [...growing.values()].map(({ name, text }) => ({ name, input: argumentsOf(text) }));

const chatEnds: Record<string, string> = { stop: "end", tool_calls: "calls", length: "length" };
const chatUsage = (usage: unknown) => ({
  input: count(member(usage).prompt_tokens),
  output: count(member(usage).completion_tokens),
});

const chat: DialectClient = {
  ask: (isStream, more = {}) =>
    callOf.chat({
      ...{ messages: [{ role: "user", content: "hi" }], stream: isStream },
      tools: names.map((name) => ({ type: "function", function: { name, parameters: schema } })),
      ...(isStream && { stream_options: { include_usage: true } }),
      ...more,
    }),
  whole: (body) => {
    const answer = JSON.parse(body) as JsonObject;
    const [choice = {}] = objects(answer.choices);
    const message = member(choice.message);
    return {
      thinking: textOf(message.reasoning_content),
      text: textOf(message.content),
      calls: objects(message.tool_calls).map((call) => ({
        name: textOf(member(call.function).name),
        input: argumentsOf(textOf(member(call.function).arguments)),
      })),
      finish: chatEnds[textOf(choice.finish_reason)] ?? "",
      usage: chatUsage(answer.usage),
      logprobs: tokensOf(member(choice.logprobs).content),
    };
  },
  stream: (text) => {
    const heard = blank();
    const growing: Growing = new Map();
    for (const chunk of dataOf(text)) {
      const [choice = {}] = objects(chunk.choices);
      const delta = member(choice.delta);
      heard.thinking += textOf(delta.reasoning_content);
      heard.text += textOf(delta.content);
      heard.logprobs.push(...tokensOf(member(choice.logprobs).content));
      for (const { index, function: target } of objects(delta.tool_calls)) {
        const call = growing.get(index) ?? { name: "", text: "" };
        growing.set(index, call);
        call.name += textOf(member(target).name);
        call.text += textOf(member(target).arguments);
      }
      heard.finish = chatEnds[textOf(choice.finish_reason)] ?? heard.finish;
      heard.usage = isJsonObject(chunk.usage) ? chatUsage(chunk.usage) : heard.usage;
    }
    return { ...heard, calls: callsOf(growing) };
  },
};

const messagesEnds: Record<string, string> = {
  ...{ end_turn: "end", stop_sequence: "end", tool_use: "calls", max_tokens: "length" },
};
const messagesUsage = (usage: unknown) => ({
  input: count(member(usage).input_tokens) + count(member(usage).cache_read_input_tokens),
  output: count(member(usage).output_tokens),
});

const messages: DialectClient = {
  ask: (isStream, more = {}) =>
    callOf.messages({
      ...{ max_tokens: 9_000, messages: [{ role: "user", content: "hi" }], stream: isStream },
      tools: names.map((name) => ({ name, input_schema: schema })),
      ...more,
    }),
  whole: (body) => {
    const answer = JSON.parse(body) as JsonObject;
    const blocks = objects(answer.content);
    const joined = (type: string, name: string) =>
      blocks.map((block) => (block.type === type ? textOf(block[name]) : "")).join("");
    return {
      ...{ thinking: joined("thinking", "thinking"), text: joined("text", "text"), logprobs: [] },
      calls: blocks.flatMap(({ type, name, input }) =>
        type === "tool_use" ? [{ name: textOf(name), input: input }] : [],
      ),
      finish: messagesEnds[textOf(answer.stop_reason)] ?? "",
      usage: messagesUsage(answer.usage),
    };
  },
  stream: (text) => {
    const heard = blank();
    const growing: Growing = new Map();
    for (const event of dataOf(text)) {
      const delta = member(event.delta);
      const block = member(event.content_block);
      heard.thinking += textOf(delta.thinking);
      heard.text += textOf(delta.text);
      if (block.type === "tool_use") {
        growing.set(event.index, { name: textOf(block.name), text: "" });
      }
      const call = growing.get(event.index);
      if (call) {
        call.text += textOf(delta.partial_json);
      }
      if (event.type === "message_delta") {
        heard.finish = messagesEnds[textOf(delta.stop_reason)] ?? "";
        heard.usage = messagesUsage(event.usage);
      }
    }
    return { ...heard, calls: callsOf(growing) };
  },
};

function readResponse(response: JsonObject): ClientReading {
  const items = objects(response.output);
  const parts = items.flatMap(({ content }) => objects(content));
  const calls = items.flatMap(({ type, name, arguments: text }) =>
    type === "function_call" ? [{ name: textOf(name), input: argumentsOf(textOf(text)) }] : [],
  );
  const whole = calls.length > 0 ? "calls" : "end";
  return {
    thinking: items.flatMap(({ summary }) => objects(summary).map((part) => textOf(part.text))).join(""),
    text: parts.map((part) => textOf(part.text)).join(""),
    calls,
    finish: response.status === "completed" ? whole : textOf(member(response.incomplete_details).reason),
    usage: {
      input: count(member(response.usage).input_tokens),
      output: count(member(response.usage).output_tokens),
    },
    logprobs: parts.flatMap((part) => tokensOf(part.logprobs)),
  };
}

const responses: DialectClient = {
  ask: (isStream, more = {}) =>
    callOf.responses({
      ...{ input: "hi", stream: isStream },
      tools: names.map((name) => ({ type: "function", name, parameters: schema, strict: false })),
      ...more,
    }),
  whole: (body) => readResponse(JSON.parse(body) as JsonObject),
  /** Reads the pieces; the final state is `readResponse` of the last event. */
  stream: (text) => {
    const events = dataOf(text);
    const heard = blank();
    const growing: Growing = new Map();
    for (const event of events) {
      const delta = textOf(event.delta);
      const item = member(event.item);
      if (event.type === "response.output_item.added" && item.type === "function_call") {
        growing.set(event.output_index, { name: textOf(item.name), text: "" });
      }
      const call = growing.get(event.output_index);
      if (event.type === "response.reasoning_summary_text.delta") {
        heard.thinking += delta;
      } else if (event.type === "response.output_text.delta") {
        heard.text += delta;
        heard.logprobs.push(...tokensOf(event.logprobs));
      } else if (event.type === "response.function_call_arguments.delta" && call) {
        call.text += delta;
      }
    }
    const { finish, usage } = readResponse(member(events.at(-1)?.response));
    return { ...heard, calls: callsOf(growing), finish, usage };
  },
};

const geminiEnds: Record<string, string> = { STOP: "end", MAX_TOKENS: "length" };

function readFrames(frames: JsonObject[]): ClientReading {
  const heard = blank();
  for (const frame of frames) {
    const [candidate = {}] = objects(frame.candidates);
    for (const part of objects(member(candidate.content).parts)) {
      heard[part.thought === true ? "thinking" : "text"] += textOf(part.text);
      const call = member(part.functionCall);
      if (typeof call.name === "string") {
        heard.calls.push({ name: call.name, input: call.args });
      }
    }
    const { chosenCandidates: chosen, topCandidates: top } = member(candidate.logprobsResult);
    heard.logprobs.push(
      ...objects(chosen).map(({ token, logProbability: logprob }, index) => ({
        ...{ token, logprob },
        top: objects(objects(top)[index]?.candidates).map((each) => [each.token, each.logProbability]),
      })),
    );
    heard.finish = geminiEnds[textOf(candidate.finishReason)] ?? heard.finish;
    const usage = member(frame.usageMetadata);
    if (usage.totalTokenCount !== undefined) {
      const input = count(usage.promptTokenCount);
      heard.usage = { input, output: count(usage.totalTokenCount) - input };
    }
  }
  const isCalls = heard.finish === "end" && heard.calls.length > 0;
  return { ...heard, finish: isCalls ? "calls" : heard.finish };
}

const gemini: DialectClient = {
  ask: (isStream, more = {}) =>
    parseGeminiConversation(
      JSON.stringify({
        contents: [{ role: "user", parts: [{ text: "hi" }] }],
        tools: [{ functionDeclarations: names.map((name) => ({ name, parametersJsonSchema: schema })) }],
        generationConfig: { thinkingConfig: { includeThoughts: true }, ...more },
      }),
      { model: "m", delivery: isStream ? "events" : "whole" },
    ),
  whole: (body) => readFrames([JSON.parse(body) as JsonObject]),
  stream: (text) => readFrames(dataOf(text)),
};

export const clients: Record<Dialect, DialectClient> = { chat, messages, responses, gemini };
