import { z } from "zod";
import { errorMessages } from "@/server/base/error-messages";
import { GatewayError } from "@/server/base/errors";
import type { Texts } from "@/server/base/language";
import { isJsonObject, type JsonObject, numberOf } from "../fields";
import { isListOf, memberReader, requireModel } from "../json/object";
import { type JsonSource, type JsonText, readJsonText } from "../json/text";
import { scalarGuards } from "../scalars";

/** A messages request (spec 4.3), parsed only as far as the gateway uses it; its text is forwarded. */
export type MessagesRequest = JsonText & {
  model: string;
  isStream: boolean;
  maxOutputTokens: number | null;
};

const isString = (value: unknown): value is string => typeof value === "string";

const isBlock = (value: unknown): value is JsonObject => isJsonObject(value) && isString(value.type);
const areBlocks = isListOf(isBlock);

type MessageContent = string | JsonObject[];
const isContent = (value: unknown): value is MessageContent => isString(value) || areBlocks(value);

/** Current Claude Code puts system reminders between the turns. */
const roles: readonly unknown[] = ["user", "assistant", "system"];

const isMessage = (value: unknown): value is JsonObject =>
  isJsonObject(value) && roles.includes(value.role) && isContent(value.content);

const contentSchema = {
  anyOf: [
    { type: "string" },
    {
      type: "array",
      items: { type: "object", properties: { type: { type: "string" } }, required: ["type"] },
    },
  ],
};

const scalars = scalarGuards("messages");

/** The reference shows this schema. `meta` describes a custom check, which JSON Schema cannot print. */
export const messagesSchema = z.looseObject({
  model: z.string().min(1).max(256),
  messages: z.custom<JsonObject[]>(isListOf(isMessage)).meta({
    type: "array",
    minItems: 1,
    items: {
      type: "object",
      properties: { role: { enum: [...roles] }, content: contentSchema },
      required: ["role", "content"],
    },
  }),
  system: z.custom<MessageContent>(isContent).meta(contentSchema).nullish(),
  stream: z.boolean().nullish(),
  ...scalars.shape,
  tools: z
    .custom<JsonObject[]>(isListOf(isJsonObject))
    .meta({ type: "array", items: { type: "object" } })
    .nullish(),
});

const explanations: Record<string, Texts> = {
  model: errorMessages.mustBeText("model"),
  messages: errorMessages.turns(),
  system: errorMessages.mustBeTextBlocks("system"),
  stream: errorMessages.mustBeBoolean("stream"),
  ...scalars.explanations,
  tools: errorMessages.mustBeObjects("tools"),
};

const readMembers = memberReader(messagesSchema, explanations);

/** Throws the 400s of spec section 7, the first that applies, and threadUnsupported. */
export function parseMessagesRequest(source: JsonSource): MessagesRequest {
  const text = readJsonText(source);
  const { fields } = text;
  requireModel(fields);
  if (!Array.isArray(fields.messages) || fields.messages.length === 0) {
    throw new GatewayError("invalidMessages");
  }
  if (fields.thread !== undefined && fields.thread !== null) {
    throw new GatewayError("threadUnsupported");
  }
  const { model, stream } = readMembers(fields);
  return {
    ...text,
    model,
    isStream: stream === true,
    maxOutputTokens: numberOf(fields.max_tokens),
  };
}
