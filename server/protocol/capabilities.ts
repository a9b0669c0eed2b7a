import { z } from "zod";
import { type Dialect, refusableMembers } from "./scalar-members";

const effortLevels = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;

/**
 * Abilities and request style of one model at one upstream: data on a channel's model map, with presets for the
 * well-known vendors. Translators read it; a call that stays in its dialect is forwarded as the client sent it, except
 * for the name of the output limit.
 */
export const Capabilities = z.strictObject({
  /** The field that limits output in the chat dialect. null: the one that the client names. */
  outputTokenField: z.enum(["max_tokens", "max_completion_tokens"]).nullable(),
  /** The largest output limit that the upstream takes. null: unknown. */
  maxOutputTokens: z.number().int().positive().nullable(),
  /**
   * How a request turns thinking on. Messages dialect: `budget` (`enabled` with a budget), `adaptive` (with an effort),
   * `always` (adaptive, cannot be switched off). Chat dialect: `effort` (`reasoning_effort`), `type` (`thinking:
   * {type}`), `enable_thinking` (DashScope), `chat_template` (vLLM, SGLang). Responses dialect: `effort`
   * (`reasoning.effort`). Gemini dialect: `budget` (`thinkingBudget`), `effort` (`thinkingLevel`). `none`: the model
   * does not think, or requests do not mention thinking.
   */
  thinking: z.enum([
    "none",
    "budget",
    "adaptive",
    "always",
    "effort",
    "type",
    "enable_thinking",
    "chat_template",
  ]),
  /** The effort levels that the model takes, from low to high. Empty: requests may name none. */
  effortLevels: z
    .array(z.enum(effortLevels))
    .max(effortLevels.length)
    .transform((levels) => effortLevels.filter((level) => levels.includes(level))),
  /** `one`: temperature or top_p, not both. `none`: neither may be sent. */
  sampling: z.enum(["full", "one", "none"]),
  topK: z.boolean(),
  /**
   * Scalar members that the model refuses, or may refuse, although its dialect has them. A translated call goes out
   * without them. Many servers answer 400 to a member that they do not know (picoclaw#1353), so an upstream without a
   * preset gets none that can be refused until the operator allows it.
   */
  refusedMembers: z.array(z.enum(refusableMembers)).max(refusableMembers.length),
  /** `data`: only inside the request; `url`: also by address. */
  images: z.enum(["none", "data", "url"]),
  /** PDF documents inside the request. */
  documents: z.boolean(),
  /**
   * Chat dialect: wants earlier thinking back as `reasoning_content` on the assistant's turns. Messages dialect: takes
   * unsigned thinking back (Anthropic itself checks signatures). Responses dialect: wants the text of thinking back
   * that it did not encrypt (DeepSeek).
   */
  echoesThinking: z.boolean(),
  /** Chat dialect: wants `reasoning_details` back as it sent them (OpenRouter). */
  reasoningDetails: z.boolean(),
  /** Chat dialect: writes its thinking into its text, between `<think>` and `</think>` at the beginning. */
  thinkTags: z.boolean(),
  /** Signs its tool calls and refuses a history in which they are unsigned (Gemini 3). */
  signsToolCalls: z.boolean(),
  /** Takes system messages between the turns. Many chat templates of open models refuse all but the first. */
  laterSystem: z.boolean(),
  /** Chat dialect: gives several answers to one call (`n`). Otherwise the gateway makes as many calls. */
  severalAnswers: z.boolean(),
  /**
   * Chat dialect: also has the older completions endpoint, which takes text that should follow the answer (`suffix`).
   */
  completions: z.boolean(),
  /** The most stop sequences that it takes. null: any number. */
  maxStops: z.number().int().nonnegative().nullable(),
  /** Takes a JSON schema for its answer. */
  jsonSchema: z.boolean(),
  /** Can search the web itself. */
  webSearch: z.boolean(),
  /**
   * Chat and messages dialects. `marks`: keeps a prompt up to its marks; if the client sets none, the gateway does.
   * `automatic`: sets the mark at a prompt's end itself when the request asks for it.
   */
  promptCache: z.enum(["none", "marks", "automatic"]),
  /** The shortest prompt, in tokens, that it caches. null: unknown. */
  cacheMinTokens: z.number().int().positive().nullable(),
  /** Serves other models and dearer tiers if a call names them (standard-terms.ts), and its prices cover those. */
  premiumTiers: z.boolean(),
  /** Chat dialect: the vendor's name for its tier of the listed price, if that is not `default` (Groq: `on_demand`). */
  standardTier: z
    .string()
    .max(40)
    .regex(/^[\w.-]+$/)
    .nullable(),
  /**
   * Chat dialect. `included`: `completion_tokens` includes the reasoning, as the dialect wants it, unless the total
   * shows otherwise. `separate`: the reasoning is not in `completion_tokens`, whatever the total says.
   */
  reasoningTokens: z.enum(["included", "separate"]),
});
export type Capabilities = z.infer<typeof Capabilities>;
export type ReasoningTokens = Capabilities["reasoningTokens"];
/** How an upstream of the chat dialect writes its answers. */
export type ChatHabits = Pick<Capabilities, "reasoningTokens" | "thinkTags">;

export type { Dialect };

/** Most upstreams of any dialect accept this. */
const usual: Capabilities = {
  outputTokenField: null,
  maxOutputTokens: null,
  thinking: "none",
  effortLevels: [],
  sampling: "full",
  topK: false,
  refusedMembers: refusableMembers,
  images: "url",
  documents: true,
  echoesThinking: false,
  reasoningDetails: false,
  thinkTags: false,
  signsToolCalls: false,
  severalAnswers: true,
  completions: false,
  laterSystem: true,
  maxStops: 4,
  jsonSchema: true,
  webSearch: false,
  promptCache: "none",
  cacheMinTokens: null,
  premiumTiers: false,
  standardTier: null,
  reasoningTokens: "included",
};

/** The defaults for an upstream without settings: most upstreams of the dialect accept this. */
export const usualCapabilities: Record<Dialect, Capabilities> = {
  chat: usual,
  messages: {
    ...usual,
    sampling: "one",
    topK: true,
    refusedMembers: [],
    severalAnswers: false,
    maxStops: null,
    jsonSchema: false,
    promptCache: "marks",
    cacheMinTokens: 1_024,
  },
  responses: {
    ...usual,
    severalAnswers: false,
    maxStops: 0,
  },
  gemini: {
    ...usual,
    topK: true,
    // Only Google speaks this dialect. Its models since 2.5 refuse penalties (vercel/ai#8943).
    refusedMembers: ["frequency_penalty", "presence_penalty"],
    severalAnswers: false,
    laterSystem: false,
    maxStops: 5,
  },
};

/**
 * The field that names an output limit to a chat-dialect upstream. OpenAI's reasoning models refuse `max_tokens`; most
 * other vendors know only that.
 */
export function limitField(upstream: {
  name: string;
  capabilities: Capabilities;
}): "max_tokens" | "max_completion_tokens" {
  const byName = /^(o\d|gpt-[5-9])/.test(upstream.name) ? "max_completion_tokens" : "max_tokens";
  return upstream.capabilities.outputTokenField ?? byName;
}
