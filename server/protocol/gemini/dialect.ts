import { type ClientCall, type ToUpstream, toPivot } from "../pivot/dialect";
import { upstreamSoleName } from "../tools/tool-names";
import { readGeminiAnswer } from "./answer";
import { readAnswer } from "./answer-in";
import { writeResponse } from "./answer-out";
import { geminiPath } from "./path";
import { GeminiReader } from "./reader";
import type { GeminiRequest } from "./request";
import { readConversation, showsThoughts } from "./request-in";
import { writeGeminiRequest } from "./request-out";
import { GeminiEvents } from "./stream-in";
import { asArray, asEvents, GeminiOut } from "./stream-out";

/** The delivery of an answer: whole, in events, or in pieces of an array. */
export type DeliveryMode = "whole" | "events" | "array";

/** A Gemini call for upstreams of other dialects. */
export const geminiClient = (request: GeminiRequest, delivery: DeliveryMode): ClientCall => ({
  ...{ dialect: "gemini", fields: { ...request.camelFields, generationConfig: request.config } },
  conversation: () => readConversation(request, delivery !== "whole"),
  writeAnswer: (answer, counted, context) =>
    writeResponse(answer, counted, { context, showsThoughts: showsThoughts(request) }),
  openWriter: (context) =>
    new GeminiOut(
      { context, showsThoughts: showsThoughts(request) },
      delivery === "array" ? asArray() : asEvents,
    ),
});

/** An upstream of this dialect for clients of other dialects. */
export const toGemini: ToUpstream = function* (conversation, upstream, terms) {
  const { body, names } = yield* writeGeminiRequest(conversation, upstream, terms);
  const soleName = upstreamSoleName(names);
  return {
    operation: "gemini",
    path: geminiPath(upstream.name, conversation.isStream),
    body,
    headers: {},
    readAnswer: (response, context) =>
      toPivot(readGeminiAnswer(response, context, soleName), (answer) => readAnswer(answer, names)),
    openReader: (context) => ({
      reader: new GeminiReader(context, soleName),
      events: new GeminiEvents(names),
    }),
  };
};
