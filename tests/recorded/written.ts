/** Returns the gateway's answer to a client of any dialect for a recorded answer, without a network. */

import { atOnce } from "@/server/base/turns";
import { type Dialect, usualCapabilities } from "@/server/protocol/capabilities";
import { parseCompletion } from "@/server/protocol/completions/conversation";
import { parseGeminiConversation } from "@/server/protocol/gemini/conversation";
import type { AnswerContext, ConversationRequest } from "@/server/protocol/upstream-plan";
import { parseWithoutPrice } from "@/server/protocol/usage/vendor-price";
import { terms } from "@/tests/support/terms";
import { callOf } from "@/tests/support/upstream-request";
import type { JsonObject, Recording } from "./corpus";
import { asChatRequest, asMessagesRequest, asResponsesRequest, toolsOf } from "./crossed-request";
import { framesOf } from "./sse";

export const clients = ["chat", "messages", "responses", "gemini", "completions"] as const;
export type ClientDialect = (typeof clients)[number];

/** The upstream's dialect, by the endpoint of the recording. */
export const dialects: Record<string, Dialect> = {
  "openai.chat": "chat",
  "anthropic.messages": "messages",
  "vertex.anthropic": "messages",
  "openai.responses": "responses",
  "gemini.generateContent": "gemini",
  "gemini.streamGenerateContent": "gemini",
};

const MODEL = "public";

function geminiRequestOf(recording: Recording): JsonObject {
  const functionDeclarations = toolsOf(recording).map(({ name, schema }) => ({
    name,
    parametersJsonSchema: schema ?? { type: "object", properties: {} },
  }));
  return {
    contents: [{ role: "user", parts: [{ text: "Say something." }] }],
    generationConfig: { maxOutputTokens: 1_000, thinkingConfig: { includeThoughts: true } },
    ...(functionDeclarations.length > 0 && { tools: [{ functionDeclarations }] }),
  };
}

/** A client's call with the tools of a recording. */
function askOf(client: ClientDialect, recording: Recording, isStream: boolean): ConversationRequest {
  switch (client) {
    case "chat": {
      const options = isStream ? { stream_options: { include_usage: true } } : {};
      return callOf.chat({ ...asChatRequest(recording, MODEL, isStream), ...options });
    }
    case "messages":
      return callOf.messages(asMessagesRequest(recording, MODEL, isStream));
    case "responses":
      return callOf.responses(asResponsesRequest(recording, MODEL, isStream));
    case "gemini":
      return parseGeminiConversation(JSON.stringify(geminiRequestOf(recording)), {
        model: MODEL,
        delivery: isStream ? "events" : "whole",
      });
    case "completions":
      return parseCompletion(JSON.stringify({ model: MODEL, prompt: "Go on.", stream: isStream }));
  }
}

/** A whole answer, the data of a stream's events, or only an error. */
export type WrittenAnswer =
  | { kind: "whole"; body: unknown }
  | { kind: "events"; datas: string[] }
  | { kind: "refused" };

const context: AnswerContext = {
  ...{ model: MODEL, inputTokens: 9, fallbackId: "chatcmpl-1", now: new Date(1_700_000_000_000) },
};

/** `answer`: the body of a recording's answer, or the data of its events. */
export function writtenOf(
  { recording, client, dialect }: { recording: Recording; client: ClientDialect; dialect: Dialect },
  answer: unknown,
): WrittenAnswer {
  const isStream = Array.isArray(answer);
  const call = askOf(client, recording, isStream);
  const plan = atOnce(
    call.planFor({ dialect, name: "upstream", capabilities: usualCapabilities[dialect] }, terms(1_000)),
  );
  if (!isStream) {
    const read = atOnce(plan.readAnswer(answer, context));
    return typeof read === "string" ? { kind: "refused" } : { kind: "whole", body: read.body };
  }
  const stream = plan.openStream(context);
  let text = "";
  const failed = { code: 502, message: "broken", data: null };
  const finish = (words: string): WrittenAnswer => ({
    kind: "events",
    datas: framesOf(text + words)
      .map(({ data }) => data)
      .filter((data) => data !== "[DONE]"),
  });
  for (const data of answer as string[]) {
    const step = stream.push(data);
    if (step.kind === "done") {
      break;
    }
    if (step.kind !== "frames") {
      return stream.isStarted ? finish(stream.failing(failed)) : { kind: "refused" };
    }
    text += step.text + stream.keepAlive();
  }
  if (!stream.isStarted) {
    return { kind: "refused" };
  }
  return finish(stream.isFinished ? stream.ending() : stream.failing(failed));
}

/** The answer of a recording in the form of `writtenOf`. null: there is none. */
export function sentOf(recording: Recording): unknown {
  const text = recording.body.toString("utf8");
  if (recording.status >= 400) {
    return null;
  }
  if (/^\s*(?:event|data|:)/.test(text)) {
    return framesOf(text).map(({ data }) => data);
  }
  try {
    const parsed = parseWithoutPrice(text);
    return Array.isArray(parsed) ? parsed.map((each) => JSON.stringify(each)) : parsed;
  } catch {
    return null;
  }
}
