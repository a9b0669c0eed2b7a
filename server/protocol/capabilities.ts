import { z } from "zod";

const effortLevels = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;

/**
 * What one model at one upstream can do and how it wants to be asked: data on a channel's model map, with presets for
 * the well-known vendors. Translators read it; a call that stays in its dialect is forwarded as the client sent it,
 * but for the output limit's field.
 */
export const Capabilities = z.strictObject({
  /** The field that limits output in the chat dialect. null: whichever the client names. */
  outputTokenField: z.enum(["max_tokens", "max_completion_tokens"]).nullable(),
  /** The largest output limit that the upstream takes. null: not known. */
  maxOutputTokens: z.number().int().positive().nullable(),
  /**
   * How thinking is asked for. Messages dialect: `budget` (`enabled` with a budget), `adaptive` (with an effort),
   * `always` (adaptive, cannot be switched off). Chat dialect: `effort` (`reasoning_effort`), `type` (`thinking:
   * {type}`), `enable_thinking` (DashScope), `chat_template` (vLLM, SGLang). Responses dialect: `effort`
   * (`reasoning.effort`). Gemini dialect: `budget` (`thinkingBudget`), `effort` (`thinkingLevel`). `none`: the model does not think, or is not asked.
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
  /** The effort levels that it takes, from low to high. Empty: none may be sent. */
  effortLevels: z
    .array(z.enum(effortLevels))
    .max(effortLevels.length)
    .transform((levels) => effortLevels.filter((level) => levels.includes(level))),
  /** `one`: temperature or top_p, not both. `none`: neither may be sent. */
  sampling: z.enum(["full", "one", "none"]),
  topK: z.boolean(),
  /** `data`: only inside the request, `url`: by address as well. */
  images: z.enum(["none", "data", "url"]),
  /** PDF documents inside the request. */
  documents: z.boolean(),
  /**
   * Chat dialect: wants earlier thinking back as `reasoning_content` on the assistant's turns. Messages dialect: takes
   * thinking back that nobody signed, where Anthropic itself checks signatures. Responses dialect: wants the text of
   * thinking back that it did not encrypt (DeepSeek).
   */
  echoesThinking: z.boolean(),
  /** Chat dialect: wants `reasoning_details` back as it sent them (OpenRouter). */
  reasoningDetails: z.boolean(),
  /** Chat dialect: writes its thinking into its text, between `<think>` and `</think>` at the beginning. */
  thinkTags: z.boolean(),
  /** Signs its tool calls and refuses a history in which they are unsigned (Gemini 3). */
  signsToolCalls: z.boolean(),
  /** Takes system messages between the turns, too: many chat templates of open models refuse all but the first. */
  laterSystem: z.boolean(),
  /** Chat dialect: gives several answers to one call (`n`). Else it gets as many calls. */
  severalAnswers: z.boolean(),
  /** Chat dialect: has the older endpoint beside it, which takes what is to follow the answer (`suffix`). */
  completions: z.boolean(),
  /** How many stop sequences it takes. null: any number. */
  maxStops: z.number().int().nonnegative().nullable(),
  /** Takes a JSON schema for its answer. */
  jsonSchema: z.boolean(),
  /** Searches the web itself when asked. */
  webSearch: z.boolean(),
  /**
   * Chat and messages dialects: `marks` keeps a prompt where it is marked, and a prompt whose client marks nothing is marked
   * here; `automatic` marks the end of a prompt itself, if it is asked to.
   */
  promptCache: z.enum(["none", "marks", "automatic"]),
  /** The shortest prompt, in tokens, that it keeps. null: not known. */
  cacheMinTokens: z.number().int().positive().nullable(),
  /** Serves other models and dearer tiers where a call names them (standard-terms.ts), and its prices cover those. */
  premiumTiers: z.boolean(),
  /** Chat dialect: what the vendor calls its tier of the listed price, where that is not `default` (Groq: `on_demand`). */
  standardTier: z
    .string()
    .max(40)
    .regex(/^[\w.-]+$/)
    .nullable(),
  /**
   * Chat dialect: `included` has the reasoning in `completion_tokens`, as the dialect wants it and unless the total
   * tells otherwise; `separate` counts it beside them, whatever the total says.
   */
  reasoningTokens: z.enum(["included", "separate"]),
});
export type Capabilities = z.infer<typeof Capabilities>;
export type ReasoningTokens = Capabilities["reasoningTokens"];
/** How an upstream of the chat dialect writes its answers. */
export type ChatHabits = Pick<Capabilities, "reasoningTokens" | "thinkTags">;

/** The dialects in which an upstream speaks. */
export type Dialect = "chat" | "messages" | "responses" | "gemini";

/** An upstream of which nobody said anything: most that speak the dialect take this. */
export const usualCapabilities: Record<Dialect, Capabilities> = {
  chat: {
    outputTokenField: null,
    maxOutputTokens: null,
    thinking: "none",
    effortLevels: [],
    sampling: "full",
    topK: false,
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
  },
  messages: {
    outputTokenField: null,
    maxOutputTokens: null,
    thinking: "none",
    effortLevels: [],
    sampling: "one",
    topK: true,
    images: "url",
    documents: true,
    echoesThinking: false,
    reasoningDetails: false,
    thinkTags: false,
    signsToolCalls: false,
    severalAnswers: false,
    completions: false,
    laterSystem: true,
    maxStops: null,
    jsonSchema: false,
    webSearch: false,
    promptCache: "marks",
    cacheMinTokens: 1_024,
    premiumTiers: false,
    standardTier: null,
    reasoningTokens: "included",
  },
  responses: {
    outputTokenField: null,
    maxOutputTokens: null,
    thinking: "none",
    effortLevels: [],
    sampling: "full",
    topK: false,
    images: "url",
    documents: true,
    echoesThinking: false,
    reasoningDetails: false,
    thinkTags: false,
    signsToolCalls: false,
    severalAnswers: false,
    completions: false,
    laterSystem: true,
    maxStops: 0,
    jsonSchema: true,
    webSearch: false,
    promptCache: "none",
    cacheMinTokens: null,
    premiumTiers: false,
    standardTier: null,
    reasoningTokens: "included",
  },
  gemini: {
    outputTokenField: null,
    maxOutputTokens: null,
    thinking: "none",
    effortLevels: [],
    sampling: "full",
    topK: true,
    images: "url",
    documents: true,
    echoesThinking: false,
    reasoningDetails: false,
    thinkTags: false,
    signsToolCalls: false,
    severalAnswers: false,
    completions: false,
    laterSystem: false,
    maxStops: 5,
    jsonSchema: true,
    webSearch: false,
    promptCache: "none",
    cacheMinTokens: null,
    premiumTiers: false,
    standardTier: null,
    reasoningTokens: "included",
  },
};

/**
 * The field in which to name an output limit to a chat-dialect upstream. OpenAI's reasoning models refuse
 * `max_tokens`; most other vendors know nothing else.
 */
export function limitField(upstream: {
  name: string;
  capabilities: Capabilities;
}): "max_tokens" | "max_completion_tokens" {
  const byName = /^(o\d|gpt-[5-9])/.test(upstream.name) ? "max_completion_tokens" : "max_tokens";
  return upstream.capabilities.outputTokenField ?? byName;
}
