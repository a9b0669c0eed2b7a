import { z } from "zod";
import { errorMessages } from "@/server/base/error-messages";
import { GatewayError } from "@/server/base/errors";
import type { Texts } from "@/server/base/language";
import { asksForCost, isJsonObject, type JsonObject, numberOf } from "../fields";
import { isListOf, memberReader, requireModel } from "../json/object";
import { type JsonSource, type JsonText, readJsonText } from "../json/text";
import { scalarGuards } from "../scalars";

/** A chat request (spec 4.2), parsed only as far as the gateway uses it; its text is forwarded. */
export type ChatRequest = JsonText & {
  model: string;
  isStream: boolean;
  /** The client wants the usage chunk at the end of its stream. */
  wantsUsage: boolean;
  wantsCost: boolean;
  /** The largest output limit that the client named, reasoning included. null: none. */
  maxOutputTokens: number | null;
  choices: number;
};

const isMessage = (value: unknown): value is JsonObject =>
  isJsonObject(value) && typeof value.role === "string";

const scalars = scalarGuards("chat");

/** The reference shows this schema. `meta` describes a custom check, which JSON Schema cannot print. */
export const chatSchema = z.looseObject({
  model: z.string().min(1).max(256),
  messages: z.custom<JsonObject[]>(isListOf(isMessage)).meta({
    type: "array",
    minItems: 1,
    items: { type: "object", properties: { role: { type: "string" } }, required: ["role"] },
  }),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  ...scalars.shape,
});

const explanations: Record<string, Texts> = {
  model: errorMessages.mustBeText("model"),
  messages: errorMessages.chatMessages(),
  stream: errorMessages.mustBeBoolean("stream"),
  stream_options: errorMessages.streamOptions(),
  ...scalars.explanations,
};

const readMembers = memberReader(chatSchema, explanations);

/** Throws the 400s of spec section 7, the first that applies. */
export function parseChatRequest(source: JsonSource): ChatRequest {
  const text = readJsonText(source);
  const { fields } = text;
  requireModel(fields);
  if (!Array.isArray(fields.messages) || fields.messages.length === 0) {
    throw new GatewayError("invalidMessages");
  }
  const request = readMembers(fields);
  const wantsCost = asksForCost(fields);
  // Both limits are forwarded, and the upstream chooses one: the larger one bounds the cost.
  const named = [fields.max_completion_tokens, fields.max_tokens].filter(
    (limit) => typeof limit === "number",
  );
  return {
    ...text,
    model: request.model,
    isStream: request.stream === true,
    wantsUsage: wantsCost || request.stream_options?.include_usage === true,
    wantsCost,
    maxOutputTokens: named.length > 0 ? Math.max(...named) : null,
    choices: numberOf(fields.n) ?? 1,
  };
}
