import { z } from "zod";
import { GatewayError } from "@/server/errors";
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

const explanations: Record<string, string> = {
  model: "model 必须是字符串",
  messages: "messages 的每一项必须有 role (user、assistant 或 system) 和 content (字符串或内容块数组)",
  system: "system 必须是字符串或文本块数组",
  max_tokens: "max_tokens 必须是非负整数",
  stream: "stream 必须是布尔值",
  temperature: "temperature 必须是 0 到 2 之间的数字",
  top_p: "top_p 必须是 0 到 1 之间的数字",
  stop_sequences: "stop_sequences 必须是字符串数组",
  tools: "tools 必须是对象数组",
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
