import { z } from "zod";
import type { ScriptedTurn } from "./scripted-turn";
import type { UpstreamHandler } from "./upstream";

type ChatVendorRequest = Parameters<UpstreamHandler>[0];

/** A vendor of the chat dialect. It answers a conversation that contains n answers with turn n. */
export type ChatVendor = {
  turns: ScriptedTurn[];
  /** Refuses a tool call in the history without the thinking before it, as DeepSeek and Kimi do. */
  wantsThinkingBack?: boolean;
};

/** For every vendor a string and its long form, a list with one text, are the same. */
export const contentOf = <Part extends z.ZodType>(part: Part) =>
  z.preprocess(
    (content) => (typeof content === "string" ? [{ type: "text", text: content }] : content),
    z.array(part).min(1),
  );

const Name = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/);
const ImageUrl = z.string().regex(/^(https?:\/\/|data:image\/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+=*$)/);
const TextPart = z.strictObject({ type: z.literal("text"), text: z.string() });
const UserPart = z.discriminatedUnion("type", [
  TextPart,
  z.strictObject({
    type: z.literal("image_url"),
    image_url: z.strictObject({ url: ImageUrl, detail: z.enum(["auto", "low", "high"]).optional() }),
  }),
]);
/** The form of a call's arguments that the vendors require. */
export function isJsonObject(text: string): boolean {
  try {
    return z.record(z.string(), z.unknown()).safeParse(JSON.parse(text)).success;
  } catch {
    return false;
  }
}
const ToolCall = z.strictObject({
  id: z.string().min(1).max(40),
  type: z.literal("function"),
  function: z.strictObject({
    name: Name,
    arguments: z.string().refine(isJsonObject, "arguments are no JSON object"),
  }),
});
const Message = z.discriminatedUnion("role", [
  z.strictObject({
    role: z.enum(["system", "developer"]),
    content: contentOf(TextPart),
    name: z.string().optional(),
  }),
  z.strictObject({ role: z.literal("user"), content: contentOf(UserPart), name: z.string().optional() }),
  z.strictObject({
    role: z.literal("assistant"),
    content: contentOf(TextPart).nullish(),
    name: z.string().optional(),
    refusal: z.string().nullish(),
    annotations: z.array(z.unknown()).optional(),
    // openai-node's stream helper adds it.
    parsed: z.null().optional(),
    reasoning_content: z.string().min(1).optional(),
    tool_calls: z.array(ToolCall).min(1).optional(),
  }),
  z.strictObject({
    role: z.literal("tool"),
    content: contentOf(TextPart),
    tool_call_id: z.string().min(1),
    name: z.string().optional(),
  }),
]);
type Message = z.infer<typeof Message>;

const Tool = z.strictObject({
  type: z.literal("function"),
  function: z.strictObject({
    name: Name,
    description: z.string().optional(),
    parameters: z.looseObject({ type: z.literal("object") }).optional(),
    strict: z.boolean().nullish(),
  }),
});
const ToolChoice = z.union([
  z.enum(["none", "auto", "required"]),
  z.strictObject({ type: z.literal("function"), function: z.strictObject({ name: Name }) }),
]);
const positive = z.number().int().positive();

/** All keys that OpenAI knows and that these conversations may need; it refuses others. */
export const ChatRequest = z.strictObject({
  model: z.string().min(1),
  messages: z.array(Message).min(1),
  stream: z.boolean().nullish(),
  stream_options: z.strictObject({ include_usage: z.boolean().optional() }).nullish(),
  max_tokens: positive.nullish(),
  max_completion_tokens: positive.nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  n: z.literal(1).nullish(),
  stop: z.union([z.string(), z.array(z.string()).max(4)]).nullish(),
  tools: z.array(Tool).min(1).optional(),
  tool_choice: ToolChoice.optional(),
  parallel_tool_calls: z.boolean().optional(),
  thinking: z.strictObject({ type: z.enum(["enabled", "disabled"]) }).optional(),
  reasoning_effort: z.enum(["none", "minimal", "low", "medium", "high", "xhigh"]).nullish(),
  response_format: z.looseObject({ type: z.string() }).optional(),
  store: z.boolean().nullish(),
  metadata: z.record(z.string().max(64), z.string().max(512)).nullish(),
  prompt_cache_key: z.string().max(64).optional(),
  seed: z.number().int().nullish(),
  logprobs: z.boolean().nullish(),
  frequency_penalty: z.number().min(-2).max(2).nullish(),
  presence_penalty: z.number().min(-2).max(2).nullish(),
  verbosity: z.enum(["low", "medium", "high"]).nullish(),
  user: z.string().max(64).optional(),
  safety_identifier: z.string().max(64).optional(),
  service_tier: z.enum(["auto", "default", "flex", "scale", "priority"]).nullish(),
});
type ChatRequest = z.infer<typeof ChatRequest>;

/** Returns a fault unless each call is answered directly after it, and nothing else is answered. */
function findPairingFault(messages: Message[]): string | null {
  let open = new Set<string>();
  for (const message of messages) {
    if (message.role === "tool") {
      if (!open.delete(message.tool_call_id)) {
        return `'${message.tool_call_id}' answers no call of the preceding message with 'tool_calls'`;
      }
    } else if (open.size > 0) {
      break;
    } else if (message.role === "assistant") {
      open = new Set(message.tool_calls?.map((call) => call.id));
    }
  }
  return open.size > 0 ? `'tool_calls' must be followed by tool messages for each: ${[...open]}` : null;
}

function findMessageFault(message: Message, { turns, wantsThinkingBack }: ChatVendor): string | null {
  if (message.role !== "assistant") {
    return null;
  }
  const { content, tool_calls, reasoning_content } = message;
  // A vendor that requires thinking also accepts a blank for an answer without any; for others a client may send only
  // the last piece.
  const isThought = (text: string) =>
    wantsThinkingBack
      ? text === " " || turns.some(({ thinking }) => thinking === text)
      : turns.some(({ thinking }) => thinking?.endsWith(text));
  if (!content && !tool_calls) {
    return "an assistant message needs content or tool_calls";
  }
  if (reasoning_content !== undefined && !isThought(reasoning_content)) {
    return `reasoning_content is not what this model thought: ${reasoning_content}`;
  }
  return wantsThinkingBack && tool_calls && !reasoning_content
    ? "reasoning_content is missing in assistant tool call message"
    : null;
}

function findTermsFault(request: ChatRequest, { wantsThinkingBack }: ChatVendor): string | null {
  const rules: [boolean, string][] = [
    [Boolean(request.thinking) && !wantsThinkingBack, "Unrecognized request argument supplied: thinking"],
    [Boolean(request.stream_options) && !request.stream, "stream_options needs stream"],
    [Boolean(request.tool_choice) && !request.tools, "tool_choice needs tools"],
    [request.parallel_tool_calls !== undefined && !request.tools, "parallel_tool_calls needs tools"],
    [Boolean(request.max_tokens && request.max_completion_tokens), "max_tokens and max_completion_tokens"],
  ];
  return rules.find(([isBroken]) => isBroken)?.[1] ?? null;
}

/** Why OpenAI, or this vendor, would refuse the request; null if it would not. */
export function findChatFault(
  { path, headers, body }: Pick<ChatVendorRequest, "path" | "headers" | "body">,
  vendor: ChatVendor,
): string | null {
  if (!path.endsWith("/chat/completions") || !headers.authorization?.startsWith("Bearer ")) {
    return `no such call: ${path}`;
  }
  const parsed = ChatRequest.safeParse(body);
  if (!parsed.success) {
    return z.prettifyError(parsed.error);
  }
  const { messages } = parsed.data;
  const faulty = messages.map((message) => findMessageFault(message, vendor)).find((fault) => fault !== null);
  return findTermsFault(parsed.data, vendor) ?? findPairingFault(messages) ?? faulty ?? null;
}
