import { z } from "zod";
import { details } from "@/server/details";
import { GatewayError } from "@/server/errors";
import type { Texts } from "@/server/language";
import type { Fields } from "../fields";
import { explainFailure, parseJsonObject, requireModel } from "../json-object";

/** A messages request (spec 4.3), parsed only as far as we act on it; `raw` is what gets forwarded. */
export type MessagesRequest = {
  raw: string;
  fields: Fields;
  model: string;
  isStream: boolean;
  maxOutputTokens: number | null;
};

const Block = z.looseObject({ type: z.string() });

const Request = z.looseObject({
  model: z.string().max(256),
  messages: z
    .array(
      z.looseObject({
        // Current Claude Code puts system reminders between the turns.
        role: z.enum(["user", "assistant", "system"]),
        content: z.union([z.string(), z.array(Block)]),
      }),
    )
    .min(1),
  system: z.union([z.string(), z.array(Block)]).nullish(),
  max_tokens: z.number().int().min(0).max(100_000_000).nullish(),
  stream: z.boolean().nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  stop_sequences: z.array(z.string()).nullish(),
  tools: z.array(z.looseObject({})).nullish(),
});

const explanations: Record<string, Texts> = {
  model: details.mustBeText("model"),
  messages: details.turns(),
  system: details.mustBeTextBlocks("system"),
  max_tokens: details.mustNotBeNegative("max_tokens"),
  stream: details.mustBeBoolean("stream"),
  temperature: details.mustBeNumber("temperature", { min: 0, max: 2 }),
  top_p: details.mustBeNumber("top_p", { min: 0, max: 1 }),
  stop_sequences: details.mustBeTexts("stop_sequences"),
  tools: details.mustBeObjects("tools"),
};

/** Throws the 400s of spec section 7, the first that applies, and threadUnsupported. */
export function parseMessagesRequest(raw: string): MessagesRequest {
  const fields = parseJsonObject(raw);
  requireModel(fields);
  if (!Array.isArray(fields.messages) || fields.messages.length === 0) {
    throw new GatewayError("invalidMessages");
  }
  if (fields.thread !== undefined && fields.thread !== null) {
    throw new GatewayError("threadUnsupported");
  }
  const parsed = Request.safeParse(fields);
  if (!parsed.success) {
    throw explainFailure(parsed.error, explanations);
  }
  return {
    raw,
    fields,
    model: parsed.data.model,
    isStream: parsed.data.stream === true,
    maxOutputTokens: parsed.data.max_tokens ?? null,
  };
}
