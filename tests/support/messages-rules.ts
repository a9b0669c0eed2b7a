import { createHmac } from "node:crypto";
import { z } from "zod";
import { contentOf } from "./chat-rules";
import type { UpstreamHandler } from "./upstream";

type MessagesVendorRequest = Parameters<UpstreamHandler>[0];

/** The vendor recognises its own thinking by this signature. */
export const sign = (thinking: string) => createHmac("sha256", "vendor").update(thinking).digest("base64");

const CacheControl = z.strictObject({ type: z.literal("ephemeral"), ttl: z.enum(["5m", "1h"]).optional() });
const cached = { cache_control: CacheControl.nullish() };
const Id = z.string().regex(/^[a-zA-Z0-9_-]+$/);
const Name = z.string().regex(/^[a-zA-Z0-9_-]{1,128}$/);
const TextBlock = z.strictObject({
  type: z.literal("text"),
  text: z.string().regex(/\S/, "text content blocks must be non-empty"),
  ...cached,
});
const ImageBlock = z.strictObject({
  type: z.literal("image"),
  source: z.discriminatedUnion("type", [
    z.strictObject({
      type: z.literal("base64"),
      media_type: z.enum(["image/jpeg", "image/png", "image/gif", "image/webp"]),
      data: z.base64().min(1),
    }),
    z.strictObject({ type: z.literal("url"), url: z.url({ protocol: /^https?$/ }) }),
  ]),
  ...cached,
});
const ToolResult = z.strictObject({
  type: z.literal("tool_result"),
  tool_use_id: Id,
  content: contentOf(z.discriminatedUnion("type", [TextBlock, ImageBlock])).optional(),
  is_error: z.boolean().optional(),
  ...cached,
});
const Thinking = z
  .strictObject({ type: z.literal("thinking"), thinking: z.string(), signature: z.string() })
  .refine(
    ({ thinking, signature }) => signature === sign(thinking),
    "Invalid `signature` in `thinking` block",
  );
const ToolCall = z.strictObject({
  type: z.literal("tool_use"),
  id: Id,
  name: Name,
  input: z.record(z.string(), z.unknown()),
  caller: z.strictObject({ type: z.literal("direct") }).optional(),
  ...cached,
});
const Message = z.discriminatedUnion("role", [
  z.strictObject({
    role: z.literal("user"),
    content: contentOf(z.discriminatedUnion("type", [TextBlock, ImageBlock, ToolResult])),
  }),
  z.strictObject({
    role: z.literal("assistant"),
    content: contentOf(z.discriminatedUnion("type", [TextBlock, Thinking, ToolCall])),
  }),
  z.strictObject({ role: z.literal("system"), content: contentOf(TextBlock) }),
]);
type Message = z.infer<typeof Message>;

const ClientTool = z.strictObject({
  type: z.literal("custom").nullish(),
  name: Name,
  description: z.string().optional(),
  input_schema: z.looseObject({ type: z.literal("object") }),
  strict: z.boolean().optional(),
  eager_input_streaming: z.boolean().nullish(),
  defer_loading: z.boolean().optional(),
  ...cached,
});
const WebSearch = z.strictObject({
  type: z.string().regex(/^web_search_\d{8}$/),
  name: z.literal("web_search"),
  max_uses: z.number().int().positive().optional(),
  ...cached,
});
const parallel = { disable_parallel_tool_use: z.boolean().optional() };
const ToolChoice = z.discriminatedUnion("type", [
  z.strictObject({ type: z.enum(["auto", "any"]), ...parallel }),
  z.strictObject({ type: z.literal("tool"), name: Name, ...parallel }),
  z.strictObject({ type: z.literal("none") }),
]);
const display = { display: z.enum(["summarized", "omitted"]).optional() };

/**
 * The members that count_tokens also accepts. All keys that Anthropic knows and that these conversations may need; it
 * refuses others.
 */
const Prompt = {
  model: z.string().min(1),
  messages: z.array(Message).min(1),
  system: contentOf(TextBlock).optional(),
  tools: z.array(z.union([WebSearch, ClientTool])).optional(),
  tool_choice: ToolChoice.optional(),
  thinking: z
    .discriminatedUnion("type", [
      z.strictObject({ type: z.literal("enabled"), budget_tokens: z.number().int().min(1024), ...display }),
      z.strictObject({ type: z.literal("adaptive"), ...display }),
      z.strictObject({ type: z.literal("disabled") }),
    ])
    .optional(),
  output_config: z
    .strictObject({
      effort: z.enum(["low", "medium", "high", "xhigh", "max"]).optional(),
      format: z.strictObject({ type: z.literal("json_schema"), schema: z.looseObject({}) }).optional(),
    })
    .optional(),
  context_management: z.strictObject({ edits: z.array(z.looseObject({ type: z.string() })) }).optional(),
};
const CountRequest = z.strictObject(Prompt);
export const MessagesRequest = z.strictObject({
  ...Prompt,
  max_tokens: z.number().int().positive(),
  stream: z.boolean().optional(),
  temperature: z.number().min(0).max(1).optional(),
  top_p: z.number().min(0).max(1).optional(),
  top_k: z.number().int().nonnegative().optional(),
  stop_sequences: z.array(z.string().regex(/\S/)).optional(),
  // Automatic caching: it marks the last block itself, as one of the four marks.
  ...cached,
  metadata: z.strictObject({ user_id: z.string().max(256).nullish() }).optional(),
  service_tier: z.enum(["auto", "standard_only"]).optional(),
});
type MessagesRequest = z.infer<typeof MessagesRequest>;

export type MessageBlock = Message["content"][number];
type Merged = { role: Message["role"]; content: MessageBlock[] };

/** Adjacent messages with one role are one message to the API. */
function mergeNeighbours(messages: Message[]): Merged[] {
  const merged: Merged[] = [];
  for (const { role, content } of messages) {
    const last = merged.at(-1);
    if (last?.role === role) {
      last.content.push(...content);
    } else {
      merged.push({ role, content: [...content] });
    }
  }
  return merged;
}

/** Returns a fault unless the results of all of an answer's calls begin the next message. */
function findPairingFault(messages: Merged[]): string | null {
  for (const [at, { content }] of messages.entries()) {
    const callIds = (messages[at - 1]?.content ?? []).flatMap((block) =>
      block.type === "tool_use" ? [block.id] : [],
    );
    const resultIds = content.flatMap((block) => (block.type === "tool_result" ? [block.tool_use_id] : []));
    const first = content.slice(0, resultIds.length);
    if (callIds.length !== new Set(callIds).size || callIds.sort().join() !== resultIds.sort().join()) {
      return `messages.${at}: tool_use ids ${callIds} against tool_result blocks ${resultIds}`;
    }
    if (!first.every(({ type }) => type === "tool_result")) {
      return `messages.${at}: tool_result blocks must come first`;
    }
  }
  const isOpen = messages.at(-1)?.content.some(({ type }) => type === "tool_use");
  return isOpen ? "`tool_use` ids were found without `tool_result` blocks immediately after" : null;
}

function findTermsFault(request: MessagesRequest, headers: MessagesVendorRequest["headers"]): string | null {
  const { thinking, temperature, top_p, top_k, tools, tool_choice } = request;
  const isSampled = [temperature, top_p, top_k].some((value) => value !== undefined);
  const isManual = thinking?.type === "enabled";
  const marks = JSON.stringify(request).match(/"cache_control":\{/g) ?? [];
  const rules: [boolean, string][] = [
    [
      headers["anthropic-version"] === "2026-10-21" && isSampled,
      "sampling parameters are gone in this version",
    ],
    [temperature !== undefined && top_p !== undefined, "`temperature` and `top_p` cannot both be specified"],
    [
      isManual && thinking.budget_tokens >= request.max_tokens,
      "`max_tokens` must exceed `thinking.budget_tokens`",
    ],
    [isManual && (temperature ?? 1) !== 1, "`temperature` may only be set to 1 when thinking is enabled"],
    [isManual && ["any", "tool"].includes(tool_choice?.type ?? ""), "thinking may not force tool use"],
    [tool_choice !== undefined && !tools?.length, "tool_choice needs tools"],
    [new Set(tools?.map(({ name }) => name)).size !== (tools?.length ?? 0), "tool names must be unique"],
    [marks.length > 4, "a maximum of 4 blocks with cache_control may be provided"],
  ];
  return rules.find(([isBroken]) => isBroken)?.[1] ?? null;
}

/** With a budget, the turn whose calls get their results must start with its thinking. */
function findThinkingFault({ thinking }: MessagesRequest, messages: Merged[]) {
  const last = messages.findLast(({ role }) => role === "assistant")?.content ?? [];
  const isBare = last.some(({ type }) => type === "tool_use") && last[0]?.type !== "thinking";
  return thinking?.type === "enabled" && isBare ? "Expected `thinking`, but found `tool_use`" : null;
}

/** Why Anthropic would refuse the request; null if it would not. */
export function findMessagesFault({
  path,
  headers,
  body,
}: Pick<MessagesVendorRequest, "path" | "headers" | "body">): string | null {
  if (
    !/^\/v1\/messages(\/count_tokens)?(\?|$)/.test(path) ||
    !(headers["x-api-key"] ?? headers.authorization)
  ) {
    return `no such call: ${path}`;
  }
  if (!["2023-06-01", "2026-10-21"].includes(String(headers["anthropic-version"]))) {
    return "anthropic-version: header is required";
  }
  const isBeta = String(headers["anthropic-beta"]).includes("context-management-");
  if (body.context_management !== undefined && !isBeta) {
    return "context_management: Extra inputs are not permitted";
  }
  const deferred = JSON.stringify(body.tools ?? []).includes('"defer_loading"');
  if (deferred && !String(headers["anthropic-beta"]).includes("advanced-tool-use-")) {
    return "tools: defer_loading: Extra inputs are not permitted";
  }
  if (path.includes("/count_tokens")) {
    const { error } = CountRequest.safeParse(body);
    return error ? z.prettifyError(error) : null;
  }
  const parsed = MessagesRequest.safeParse(body);
  if (!parsed.success) {
    return z.prettifyError(parsed.error);
  }
  const messages = mergeNeighbours(parsed.data.messages);
  return messages[0]?.role === "assistant"
    ? "first message must use the user role"
    : (findTermsFault(parsed.data, headers) ??
        findPairingFault(messages) ??
        findThinkingFault(parsed.data, messages));
}
