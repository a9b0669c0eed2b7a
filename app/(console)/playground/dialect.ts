/** The two conversation dialects of the playground: how to build a request, and how to read an event of the answer. */
import { z } from "zod";
import type { ChatMessage } from "../_components/snippets/snippet-templates";

export type PlaygroundSettings = {
  model: string;
  system: string;
  /** null: the model's default. */
  temperature: number | null;
  maxTokens: number | null;
};

/** Tokens, as the answer counts them. */
export type TokenUsage = { input: number; output: number; reasoning: number; cached: number };

/** The additions of one event to the answer. */
export type Delta = {
  text?: string;
  reasoning?: string;
  usage?: Partial<TokenUsage>;
  finish?: string;
  /** The event that says that the stream broke off, as it came. */
  failure?: string;
};

type DialectRules = {
  path: string;
  headers: Record<string, string>;
  maxTemperature: number;
  body: (settings: PlaygroundSettings, messages: ChatMessage[]) => object;
  /** null: nothing to show. */
  read: (data: string) => Delta | null;
};

const count = z.number().nullish();
const text = z.string().nullish();

/** Leaves out members that are null or undefined. */
function withoutNullish<T extends object>(members: T): { [Name in keyof T]?: NonNullable<T[Name]> } {
  const entries = Object.entries(members).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(entries) as { [Name in keyof T]?: NonNullable<T[Name]> };
}

function parse<T>(schema: z.ZodType<T>, data: string): T | null {
  try {
    return schema.safeParse(JSON.parse(data)).data ?? null;
  } catch {
    return null;
  }
}

const ChatChunk = z.looseObject({
  choices: z
    .array(
      z.looseObject({
        delta: z.looseObject({ content: text, reasoning_content: text }).nullish(),
        finish_reason: text,
      }),
    )
    .nullish(),
  usage: z
    .looseObject({
      prompt_tokens: count,
      completion_tokens: count,
      prompt_tokens_details: z.looseObject({ cached_tokens: count }).nullish(),
      completion_tokens_details: z.looseObject({ reasoning_tokens: count }).nullish(),
    })
    .nullish(),
  error: z.unknown().optional(),
});

const chat: DialectRules = {
  path: "chat/completions",
  headers: {},
  maxTemperature: 2,
  body: ({ model, system, temperature, maxTokens }, messages) => ({
    model,
    messages: system.trim() === "" ? messages : [{ role: "system", content: system }, ...messages],
    ...withoutNullish({ temperature, max_tokens: maxTokens }),
    stream: true,
    stream_options: { include_usage: true },
  }),
  read: (data) => {
    const chunk = parse(ChatChunk, data);
    if (!chunk) {
      return null;
    }
    if (chunk.error) {
      return { failure: data };
    }
    const choice = chunk.choices?.[0];
    const { usage } = chunk;
    return withoutNullish({
      text: choice?.delta?.content,
      reasoning: choice?.delta?.reasoning_content,
      finish: choice?.finish_reason,
      usage:
        usage &&
        withoutNullish({
          input: usage.prompt_tokens,
          output: usage.completion_tokens,
          cached: usage.prompt_tokens_details?.cached_tokens,
          reasoning: usage.completion_tokens_details?.reasoning_tokens,
        }),
    });
  },
};

const MessagesUsage = z
  .looseObject({ input_tokens: count, output_tokens: count, cache_read_input_tokens: count })
  .nullish();

const MessagesEvent = z.looseObject({
  type: z.string(),
  message: z.looseObject({ usage: MessagesUsage }).nullish(),
  delta: z.looseObject({ text, thinking: text, stop_reason: text }).nullish(),
  usage: MessagesUsage,
});

const messages: DialectRules = {
  path: "messages",
  headers: { "anthropic-version": "2023-06-01" },
  maxTemperature: 1,
  body: ({ model, system, temperature, maxTokens }, history) => ({
    model,
    ...(system.trim() !== "" && { system }),
    messages: history,
    ...withoutNullish({ temperature, max_tokens: maxTokens }),
    stream: true,
  }),
  read: (data) => {
    const event = parse(MessagesEvent, data);
    if (!event) {
      return null;
    }
    if (event.type === "error") {
      return { failure: data };
    }
    const usage = event.message?.usage ?? event.usage;
    return withoutNullish({
      text: event.delta?.text,
      reasoning: event.delta?.thinking,
      finish: event.delta?.stop_reason,
      usage:
        usage &&
        withoutNullish({
          input: usage.input_tokens,
          output: usage.output_tokens,
          cached: usage.cache_read_input_tokens,
        }),
    });
  },
};

export const dialects = { chat, messages };
export type PlaygroundDialect = keyof typeof dialects;
