/** Calls of clients of every dialect, and the upstream requests that they become. */

import { atOnce } from "@/server/base/turns";
import { type Capabilities, type Dialect, usualCapabilities } from "@/server/protocol/capabilities";
import { parseChatConversation } from "@/server/protocol/chat/conversation";
import type { JsonObject } from "@/server/protocol/fields";
import { parseGeminiConversation } from "@/server/protocol/gemini/conversation";
import { parseMessagesConversation } from "@/server/protocol/messages/conversation";
import { responsesConversation } from "@/server/protocol/responses/conversation";
import { mintResponseId } from "@/server/protocol/responses/ids";
import { parseResponsesRequest } from "@/server/protocol/responses/request";
import type { ConversationRequest } from "@/server/protocol/upstream-plan";
import { terms } from "./terms";

/** A minimal call of each dialect, plus `fields`. */
export const callOf: Record<Dialect, (fields: JsonObject) => ConversationRequest> = {
  chat: (fields) => parseChatConversation(JSON.stringify({ model: "public", ...fields })),
  messages: (fields) =>
    parseMessagesConversation(JSON.stringify({ model: "public", max_tokens: 100, ...fields }), {
      headers: {},
    }),
  responses: (fields) => {
    const request = parseResponsesRequest(JSON.stringify({ model: "public", ...fields }));
    return responsesConversation({ id: mintResponseId(), request, items: request.input, keep: () => {} }, 1);
  },
  gemini: (fields) => parseGeminiConversation(JSON.stringify(fields), { model: "public", delivery: "whole" }),
};

export const planFor = (call: ConversationRequest, dialect: Dialect, more: Partial<Capabilities> = {}) =>
  atOnce(
    call.planFor(
      { dialect, name: "up", capabilities: { ...usualCapabilities[dialect], ...more } },
      terms(100),
    ),
  );

export const upstreamRequestOf = (...args: Parameters<typeof planFor>) =>
  JSON.parse(String(planFor(...args).body)) as JsonObject;
