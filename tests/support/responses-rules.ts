import { createHmac } from "node:crypto";
import { z } from "zod";
import { isJsonObject } from "./chat-rules";
import type { UpstreamHandler } from "./upstream";

type ResponsesVendorRequest = Parameters<UpstreamHandler>[0];

/** The vendor decrypts only its own thinking. */
export const seal = (thinking: string) =>
  `gAAAA${createHmac("sha256", "vendor").update(thinking).digest("base64url")}`;

/** Identifiers are checked by their prefixes, and are looked up: a call that stores nothing must name none. */
const named = (prefix: string) => ({ id: z.string().startsWith(prefix).optional() });
const Status = z.enum(["in_progress", "completed", "incomplete"]).nullish();
const Name = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/);
const CallId = z.string().min(1).max(64);

const InputPart = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("input_text"), text: z.string() }),
  z.strictObject({
    type: z.literal("input_image"),
    image_url: z.string().regex(/^(https?:\/\/|data:image\/)/),
    detail: z.enum(["auto", "low", "high", "original"]).optional(),
  }),
]);
const OutputPart = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("output_text"),
    text: z.string(),
    annotations: z.array(z.unknown()).optional(),
    logprobs: z.array(z.unknown()).nullish(),
  }),
  z.strictObject({ type: z.literal("refusal"), refusal: z.string() }),
]);
const message = { type: z.literal("message"), ...named("msg_"), status: Status, phase: z.string().nullish() };
const Asking = z.strictObject({
  ...message,
  role: z.enum(["user", "system", "developer"]),
  content: z.union([z.string(), z.array(InputPart).min(1)]),
});
const Said = z.strictObject({
  ...message,
  role: z.literal("assistant"),
  content: z.union([z.string(), z.array(OutputPart).min(1)]),
});
const called = { call_id: CallId, name: Name, namespace: z.string().nullish(), status: Status };
const answered = {
  call_id: CallId,
  output: z.union([z.string(), z.array(InputPart).min(1)]),
  status: Status,
};
const Reasoning = z.strictObject({
  type: z.literal("reasoning"),
  ...named("rs_"),
  summary: z.array(z.strictObject({ type: z.literal("summary_text"), text: z.string().min(1) })),
  content: z.array(z.strictObject({ type: z.literal("reasoning_text"), text: z.string() })).nullish(),
  encrypted_content: z.string().nullish(),
  status: Status,
});
const Kind = z.union([
  z.discriminatedUnion("type", [
    z.strictObject({
      type: z.literal("function_call"),
      ...named("fc_"),
      ...called,
      arguments: z.string().refine(isJsonObject, "arguments are no JSON object"),
    }),
    z.strictObject({ type: z.literal("function_call_output"), ...named("fc"), ...answered }),
    z.strictObject({ type: z.literal("custom_tool_call"), ...named("ctc_"), ...called, input: z.string() }),
    z.strictObject({ type: z.literal("custom_tool_call_output"), ...named("ctc"), ...answered }),
    Reasoning,
  ]),
  Asking,
  Said,
]);
/** The type of a message is optional. */
const InputItem = z.preprocess(
  (item) =>
    typeof item === "object" && item !== null && !("type" in item) ? { ...item, type: "message" } : item,
  Kind,
);
type InputItem = z.infer<typeof Kind>;

const schema = z.looseObject({ type: z.literal("object"), properties: z.record(z.string(), z.unknown()) });
const FunctionTool = z.strictObject({
  type: z.literal("function"),
  name: Name,
  description: z.string().nullish(),
  parameters: schema.nullish(),
  strict: z.boolean().nullish(),
  defer_loading: z.boolean().optional(),
});
const CustomTool = z.strictObject({
  type: z.literal("custom"),
  name: Name,
  description: z.string().optional(),
  format: z.looseObject({ type: z.enum(["text", "grammar"]) }).optional(),
});
const Namespace = z.strictObject({
  type: z.literal("namespace"),
  name: Name,
  description: z.string(),
  tools: z.array(z.union([FunctionTool, CustomTool])).min(1),
});
/** Billed in addition to the tokens: the gateway's prices cover them only if the operator says so. */
const Hosted = z.looseObject({ type: z.enum(["tool_search", "apply_patch"]) });
const ToolChoice = z.union([
  z.enum(["none", "auto", "required"]),
  z.strictObject({ type: z.enum(["function", "custom"]), name: Name }),
  z.strictObject({
    type: z.literal("allowed_tools"),
    mode: z.enum(["auto", "required"]),
    tools: z.array(z.looseObject({ type: z.string() })).min(1),
  }),
]);
const limited = z.string().max(64).nullish();
const number = z.number().nullish();

/** All keys that OpenAI knows and that a call without a store may have; it refuses others. */
export const ResponsesRequest = z.strictObject({
  model: z.string().min(1),
  input: z.union([z.string().min(1), z.array(InputItem).min(1)]),
  instructions: z.string().nullish(),
  store: z.literal(false),
  stream: z.boolean().nullish(),
  stream_options: z.strictObject({ include_obfuscation: z.boolean().optional() }).nullish(),
  max_output_tokens: z.number().int().min(16).nullish(),
  max_tool_calls: z.number().int().positive().nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  top_logprobs: number,
  tools: z.array(z.union([FunctionTool, CustomTool, Namespace, Hosted])).nullish(),
  tool_choice: ToolChoice.nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  reasoning: z
    .strictObject({
      effort: z.enum(["none", "minimal", "low", "medium", "high", "xhigh"]).nullish(),
      summary: z.enum(["auto", "concise", "detailed"]).nullish(),
      context: z.string().nullish(),
      mode: z.string().nullish(),
    })
    .nullish(),
  text: z
    .strictObject({
      format: z.looseObject({ type: z.enum(["text", "json_object", "json_schema"]) }).optional(),
      verbosity: z.enum(["low", "medium", "high"]).nullish(),
    })
    .nullish(),
  include: z.array(z.string()).nullish(),
  truncation: z.enum(["auto", "disabled"]).nullish(),
  metadata: z.record(z.string().max(64), z.string().max(512)).nullish(),
  user: limited,
  safety_identifier: limited,
  prompt_cache_key: limited,
  prompt_cache_retention: z.string().nullish(),
  service_tier: z.enum(["auto", "default", "flex", "priority"]).nullish(),
});
export type ResponsesRequest = z.infer<typeof ResponsesRequest>;

const isCall = ({ type }: InputItem) => type === "function_call" || type === "custom_tool_call";

export const itemsOf = ({ input }: ResponsesRequest): InputItem[] => (typeof input === "string" ? [] : input);

/** Returns a fault unless every call has one output after it, and nothing else has one. */
function findPairingFault(items: InputItem[]): string | null {
  const open = new Set<string>();
  const callIds = new Set<string>();
  for (const item of items) {
    if (!("call_id" in item)) {
      continue;
    }
    const { call_id } = item;
    if (isCall(item)) {
      if (callIds.has(call_id)) {
        return `Duplicate call_id '${call_id}'`;
      }
      callIds.add(call_id);
      open.add(call_id);
    } else if (!open.delete(call_id)) {
      return `No tool call found for function call output with call_id ${call_id}.`;
    }
  }
  return open.size > 0 ? `No tool output found for function call ${[...open]}.` : null;
}

/** Returns a fault unless an item follows each thinking, and the thinking comes back as it was encrypted. */
function findReasoningFault(items: InputItem[], thoughts: Set<string>): string | null {
  for (const [at, item] of items.entries()) {
    if (item.type !== "reasoning") {
      continue;
    }
    const next = items[at + 1];
    const isFollowed =
      next !== undefined &&
      (isCall(next) || next.type === "reasoning" || (next.type === "message" && next.role === "assistant"));
    if (!isFollowed) {
      return `Item '${item.id}' of type 'reasoning' was provided without its required following item.`;
    }
    if (!item.encrypted_content) {
      return `Item with id '${item.id}' not found. Items are not persisted when \`store\` is set to false.`;
    }
    if (!thoughts.has(item.encrypted_content)) {
      return `The encrypted content for item ${item.id} could not be verified.`;
    }
  }
  return null;
}

type ObjectSchema = { properties: Record<string, unknown>; [key: string]: unknown };

/** Whether all listed members are required, and no others are allowed. */
function isStrict({ properties, additionalProperties, required }: ObjectSchema): boolean {
  const requiredNames = Array.isArray(required) ? required : [];
  return (
    additionalProperties === false && Object.keys(properties).every((name) => requiredNames.includes(name))
  );
}

function findToolFault({ tools, tool_choice, parallel_tool_calls }: ResponsesRequest): string | null {
  const functions = (tools ?? []).flatMap((tool) =>
    tool.type === "function" ? [tool as z.infer<typeof FunctionTool>] : [],
  );
  const loose = functions.find(
    ({ strict, parameters }) => strict === true && parameters && !isStrict(parameters),
  );
  const names = functions.map(({ name }) => name);
  const rules: [boolean, string][] = [
    [loose !== undefined, `Invalid schema for function '${loose?.name}': 'additionalProperties' is required`],
    [new Set(names).size !== names.length, "Tool names must be unique."],
    [typeof tool_choice === "object" && tool_choice !== null && !tools?.length, "tool_choice needs tools"],
    [parallel_tool_calls === false && !tools?.length, "parallel_tool_calls needs tools"],
  ];
  return rules.find(([isBroken]) => isBroken)?.[1] ?? null;
}

/** Why OpenAI would refuse the request; null if it would not. `thoughts`: this model's thinking so far. */
export function findResponsesFault(
  { path, headers, body }: Pick<ResponsesVendorRequest, "path" | "headers" | "body">,
  thoughts: string[],
): string | null {
  if (!path.endsWith("/responses") || !headers.authorization?.startsWith("Bearer ")) {
    return `no such call: ${path}`;
  }
  const parsed = ResponsesRequest.safeParse(body);
  if (!parsed.success) {
    return z.prettifyError(parsed.error);
  }
  const items = itemsOf(parsed.data);
  return (
    findToolFault(parsed.data) ??
    findPairingFault(items) ??
    findReasoningFault(items, new Set(thoughts.map(seal)))
  );
}
