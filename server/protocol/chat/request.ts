import { z } from "zod";
import { GatewayError } from "@/server/errors";
import type { Fields } from "../fields";
import { explainFailure, parseJsonObject, requireModel } from "../json-object";

/** A chat request (spec 4.2), parsed only as far as we act on it; `raw` is what gets forwarded. */
export type ChatRequest = {
  raw: string;
  fields: Fields;
  model: string;
  isStream: boolean;
  /** The client wants the usage chunk at the end of its stream. */
  wantsUsage: boolean;
  /** The largest output limit that the client named, reasoning included. null: it named none. */
  maxOutputTokens: number | null;
  choices: number;
};

const tokens = z.number().int().min(1).max(100_000_000);

const Request = z.looseObject({
  model: z.string().max(256),
  messages: z.array(z.looseObject({ role: z.string() })).min(1),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  max_tokens: tokens.nullish(),
  max_completion_tokens: tokens.nullish(),
  n: z.number().int().min(1).max(128).nullish(),
});

const explanations: Record<string, string> = {
  model: "model 必须是字符串",
  messages: "messages 的每一项必须是带有 role 字符串的对象",
  stream: "stream 必须是布尔值",
  stream_options: "stream_options 必须是对象,include_usage 必须是布尔值",
  temperature: "temperature 必须是 0 到 2 之间的数字",
  max_tokens: "max_tokens 必须是正整数",
  max_completion_tokens: "max_completion_tokens 必须是正整数",
  n: "n 必须是 1 到 128 之间的整数",
};

/** Throws the 400s of spec section 7, the first that applies. */
export function parseChatRequest(raw: string): ChatRequest {
  const fields = parseJsonObject(raw);
  requireModel(fields);
  if (!Array.isArray(fields.messages) || fields.messages.length === 0) {
    throw new GatewayError("invalidMessages");
  }
  const parsed = Request.safeParse(fields);
  if (!parsed.success) {
    throw explainFailure(parsed.error, explanations);
  }
  const request = parsed.data;
  // Both are forwarded, and which one an upstream obeys is its own affair: the larger one is what it can cost.
  const named = [request.max_completion_tokens, request.max_tokens].filter(
    (limit) => typeof limit === "number",
  );
  return {
    raw,
    fields,
    model: request.model,
    isStream: request.stream === true,
    wantsUsage: request.stream_options?.include_usage === true,
    maxOutputTokens: named.length > 0 ? Math.max(...named) : null,
    choices: request.n ?? 1,
  };
}
