import type { ClientCall } from "../pivot/dialect";
import { writeResponse } from "./answer-out";
import type { GeminiRequest } from "./request";
import { readConversation, showsThoughts } from "./request-in";
import { asArray, asEvents, GeminiOut } from "./stream-out";

/** How an answer is wanted: whole, in events, or in pieces of an array. */
export type Delivery = "whole" | "events" | "array";

/** A Gemini call for upstreams of other dialects. */
export const geminiClient = (request: GeminiRequest, delivery: Delivery): ClientCall => ({
  conversation: () => readConversation(request, delivery !== "whole"),
  writeAnswer: (answer, counted, context) =>
    writeResponse(answer, counted, { context, showsThoughts: showsThoughts(request) }),
  openWriter: (context) =>
    new GeminiOut(
      { context, showsThoughts: showsThoughts(request) },
      delivery === "array" ? asArray() : asEvents,
    ),
});
