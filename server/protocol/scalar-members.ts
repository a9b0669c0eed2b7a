/**
 * The scalar members of requests, one row each: their names, guards, translation and text in the reference. The known
 * fields, the guards, the translation, the reference and the named losses are derived from this table. Imports no
 * library: the browser and the threads that parse bodies import it.
 */
import type { Texts } from "@/server/base/language";
import { isJsonObject, textOf } from "./fields";

/** The dialects that an upstream can speak. */
export type Dialect = "chat" | "messages" | "responses" | "gemini";

/** The dialects of clients: those of upstreams, and the older completions. */
export type ClientDialect = Dialect | "completions";

/** The form that a dialect requires of a member. `tokens`: an integer from `min`. `texts`: a list, or also one text. */
export type Guard =
  | { kind: "number" | "integer"; min: number; max: number }
  | { kind: "tokens"; min: 0 | 1 }
  | { kind: "text"; max: number }
  | { kind: "texts"; orText?: true }
  | { kind: "notNegative" | "metadata" };

/** The capabilities that decide about scalar members. */
type Takes = {
  sampling: "full" | "one" | "none";
  topK: boolean;
  standardTier: string | null;
  premiumTiers: boolean;
};

/** The upstream that a value is written for. `values`: all scalar values of the call. `hash`: SHA-256, as 64 letters. */
export type Target = {
  dialect: Dialect;
  capabilities: Takes;
  values: Partial<Record<string, unknown>>;
  hash: (text: string) => string;
};

type InDialects<T> = Partial<Record<ClientDialect, T>>;

export type ScalarMember = {
  /** The names, with dots between levels. Of several, the first with a value counts, and the gateway writes the first. */
  names: InDialects<string | readonly string[]>;
  guards?: InDialects<Guard>;
  /** The value independent of the dialect; null: no value that another dialect has. Left out: carried by hand. */
  read?: (value: unknown) => unknown;
  /** Whether the upstream's model takes the member. Left out: each does. */
  takes?: (target: Target) => boolean;
  /** The value on the wire; undefined: the upstream has no such value. Left out: the value itself. */
  write?: (value: never, target: Target) => unknown;
  /** Whether the value changes nothing at upstreams of the dialect: it is not sent, and that is no loss. */
  isMoot?: (value: unknown, dialect: Dialect) => boolean;
  /** An upstream that gets another value than the client's does not do what the client wants. */
  isExact?: true;
  /** Vendors with a dialect that has it may refuse it: `refusedMembers` of the capabilities can list it. */
  isRefusable?: true;
  /** Changes neither a price nor what the gateway does: another spelling of its name is the upstream's business. */
  isHint?: true;
  text?: Texts;
};

const OPENAI = ["chat", "completions", "responses"] as const;
const SAMPLED = [...OPENAI, "messages", "gemini"] as const;
const TEXT_ONLY = ["chat", "completions", "gemini"] as const;

const camel = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** The same in each of these dialects. */
const inEach = <T>(
  dialects: readonly ClientDialect[],
  valueIn: (dialect: ClientDialect) => T,
): InDialects<T> => Object.fromEntries(dialects.map((dialect) => [dialect, valueIn(dialect)]));

/** One name in several dialects. Google's is in camelCase, in `generationConfig`. */
const named = (name: string, dialects: readonly ClientDialect[]) =>
  inEach(dialects, (dialect) => (dialect === "gemini" ? `generationConfig.${camel(name)}` : name));

const guarded = (guard: Guard, dialects: readonly ClientDialect[]) => inEach(dialects, () => guard);

const number = (value: unknown) => (typeof value === "number" ? value : null);
const integer = (value: unknown) => (Number.isSafeInteger(value) ? value : null);
const text = (value: unknown) => textOf(value) || null;

/**
 * An identifier of a user or a prompt. OpenAI's limit is 64 characters, and Claude Code's are longer; Anthropic's is 256,
 * and it refuses an e-mail address (litellm#10106). The hash identifies the same one.
 */
function identifier(value: string, { dialect, hash }: Target): string {
  const isLegal = dialect === "messages" ? value.length <= 256 && !value.includes("@") : value.length <= 64;
  return isLegal ? value : hash(value);
}

/** Whether OpenAI accepts an object as metadata. */
export function isMetadata(value: unknown): value is Record<string, string> {
  return (
    isJsonObject(value) &&
    Object.keys(value).length <= 16 &&
    Object.entries(value).every(
      ([name, content]) => name.length <= 64 && typeof content === "string" && content.length <= 512,
    )
  );
}

const hint = { isRefusable: true, isHint: true } as const;

/** A penalty on repeated tokens; models without free sampling refuse it. */
const penalty = (name: string, meaning: Texts): ScalarMember => ({
  names: named(name, TEXT_ONLY),
  read: (value) => (typeof value === "number" ? Math.min(Math.max(value, -2), 2) : null),
  takes: ({ capabilities }) => capabilities.sampling === "full",
  // Google's range ends below 2.
  write: (value: number, { dialect }) => (dialect === "gemini" ? Math.min(value, 1.99) : value),
  isMoot: (value) => value === 0,
  ...hint,
  text: meaning,
});

/** The service tiers that vendors name, independent of their dialects. */
const tiers: Partial<Record<string, string>> = {
  ...{ auto: "auto", default: "standard", standard: "standard", standard_only: "standard" },
  ...{ flex: "flex", batch: "batch", priority: "priority", scale: "scale" },
};

/**
 * The tier that an upstream is asked for. A tier that it does not have becomes its usual one: without any it would choose
 * by itself, and could serve the call at a tier that the hold does not cover.
 */
function writtenTier(
  tier: string,
  { dialect, capabilities: { premiumTiers, standardTier } }: Target,
): string {
  const isAtPremium = tier === "priority" && premiumTiers;
  if (dialect === "messages") {
    return tier === "auto" || isAtPremium ? "auto" : "standard_only";
  }
  return tier === "auto" || tier === "flex" || isAtPremium ? tier : (standardTier ?? "default");
}

const rows = {
  temperature: {
    names: named("temperature", SAMPLED),
    guards: guarded({ kind: "number", min: 0, max: 2 }, SAMPLED),
    read: number,
    takes: ({ capabilities }) => capabilities.sampling !== "none",
    write: (value: number, { dialect }) => (dialect === "messages" ? Math.min(value, 1) : value),
    text: { zh: "随机性，0 到 2，默认 1", en: "Randomness, 0 to 2. Default: 1" },
  },
  top_p: {
    names: named("top_p", SAMPLED),
    guards: guarded({ kind: "number", min: 0, max: 1 }, ["completions", "responses", "messages", "gemini"]),
    read: number,
    // litellm#15097: newer models take one of the two.
    takes: ({ capabilities: { sampling }, values: { temperature } }) =>
      sampling === "full" || (sampling === "one" && temperature === undefined),
    text: { zh: "核采样", en: "Nucleus sampling" },
  },
  top_k: {
    names: named("top_k", ["chat", "messages", "gemini"]),
    guards: guarded({ kind: "notNegative" }, ["gemini"]),
    read: number,
    takes: ({ dialect, capabilities: { topK, sampling } }) =>
      topK && (dialect !== "gemini" || sampling !== "none"),
    write: (value: number, { dialect }) => (dialect === "messages" && value <= 0 ? undefined : value),
    text: { zh: "只从概率最高的 k 个 Token 中采样", en: "Sample only from the k most likely tokens" },
  },
  limit: {
    names: {
      ...named("max_tokens", ["completions", "messages"]),
      chat: ["max_tokens", "max_completion_tokens"],
      ...{ responses: "max_output_tokens", gemini: "generationConfig.maxOutputTokens" },
    },
    guards: {
      ...guarded({ kind: "tokens", min: 1 }, [...OPENAI, "gemini"]),
      messages: { kind: "tokens", min: 0 },
    },
  },
  n: {
    names: { ...named("n", ["chat", "completions"]), gemini: "generationConfig.candidateCount" },
    guards: {
      ...guarded({ kind: "integer", min: 1, max: 128 }, ["chat", "completions"]),
      gemini: { kind: "integer", min: 1, max: 8 },
    },
    text: { zh: "生成几个结果", en: "Number of results" },
  },
  stop: {
    names: { ...named("stop", ["chat", "completions"]), ...named("stop_sequences", ["messages", "gemini"]) },
    guards: {
      completions: { kind: "texts", orText: true },
      ...guarded({ kind: "texts" }, ["messages", "gemini"]),
    },
    text: { zh: "遇到这些文本时停止", en: "Texts at which the output stops" },
  },
  seed: {
    names: named("seed", TEXT_ONLY),
    read: integer,
    // Google's is a 32-bit integer.
    write: (value: number, { dialect }) =>
      dialect === "gemini" && value !== (value | 0) ? undefined : value,
    ...hint,
    text: { zh: "随机种子，尽力而为", en: "Seed for sampling, best effort" },
  },
  frequency_penalty: penalty("frequency_penalty", {
    zh: "对出现次数多的 Token 的惩罚，−2 到 2",
    en: "Penalty on frequent tokens, −2 to 2",
  }),
  presence_penalty: penalty("presence_penalty", {
    zh: "对已出现的 Token 的惩罚，−2 到 2",
    en: "Penalty on tokens that have occurred, −2 to 2",
  }),
  logit_bias: {
    names: named("logit_bias", ["chat", "completions"]),
    read: (value) => (isJsonObject(value) ? value : null),
    takes: ({ capabilities }) => capabilities.sampling === "full",
    isMoot: (value) => isJsonObject(value) && Object.keys(value).length === 0,
    ...hint,
    text: { zh: "各 Token 的偏置，−100 到 100", en: "Bias by token, −100 to 100" },
  },
  verbosity: {
    names: { chat: "verbosity", responses: "text.verbosity" },
    read: (value) => (["low", "medium", "high"].includes(textOf(value)) ? value : null),
    ...hint,
    text: { zh: "回答的详细程度：low、medium 或 high", en: "Length of the answer: low, medium or high" },
  },
  metadata: {
    names: named("metadata", ["chat", "responses"]),
    guards: guarded({ kind: "metadata" }, ["responses"]),
    read: (value) => (isMetadata(value) ? value : null),
    isMoot: (value) => isMetadata(value) && Object.keys(value).length === 0,
    isRefusable: true,
    text: { zh: "键值，最多 16 项", en: "Up to 16 key-value pairs" },
  },
  prompt_cache_key: {
    names: named("prompt_cache_key", ["chat", "responses"]),
    guards: guarded({ kind: "text", max: 512 }, ["responses"]),
    ...{ read: text, write: identifier, ...hint },
    text: { zh: "提示缓存的键", en: "A key for the prompt cache" },
  },
  prompt_cache_retention: {
    names: named("prompt_cache_retention", ["chat", "responses"]),
    ...{ read: text, ...hint },
    text: { zh: "提示缓存保留多久", en: "How long the prompt cache is kept" },
  },
  user: {
    names: {
      ...inEach(["chat", "responses"], () => ["user", "safety_identifier"]),
      ...{ completions: "user", messages: "metadata.user_id" },
    },
    guards: guarded({ kind: "text", max: 512 }, ["responses"]),
    ...{ read: text, write: identifier },
    text: { zh: "最终用户的标识", en: "An identifier of the end user" },
  },
  service_tier: {
    names: { ...named("service_tier", ["chat", "responses", "messages"]), gemini: "serviceTier" },
    read: (value) => (Object.hasOwn(tiers, textOf(value)) ? tiers[textOf(value)] : null),
    write: (tier: string, target) => (target.dialect === "gemini" ? undefined : writtenTier(tier, target)),
    // Without a named tier, Google uses its standard one.
    isMoot: (tier, dialect) => dialect === "gemini" && (tier === "auto" || tier === "standard"),
    isExact: true,
    text: { zh: "服务档", en: "The service tier" },
  },
  truncation: {
    names: { responses: "truncation" },
    read: text,
    // No conversation is ever cut.
    isMoot: (value) => value === "disabled",
    isHint: true,
    text: { zh: "disabled：不截断对话", en: "disabled: the conversation is never cut" },
  },
} as const satisfies Record<string, ScalarMember>;

export type ScalarName = keyof typeof rows;

export const scalarMembers: Record<ScalarName, ScalarMember> = rows;

export const scalarEntries = Object.entries(scalarMembers) as [ScalarName, ScalarMember][];

/** The scalar members that an upstream may refuse, for its capabilities. */
export const refusableMembers = scalarEntries.flatMap(([name, { isRefusable }]) =>
  isRefusable ? [name] : [],
);

/** A row's members in a dialect, with dots between levels. */
export const namesIn = ({ names }: Pick<ScalarMember, "names">, dialect: ClientDialect): readonly string[] =>
  [names[dialect] ?? []].flat();

/** The request's own members in a dialect that have no guard, for the reference. */
export const unguardedNames = (dialect: ClientDialect): string[] =>
  scalarEntries.flatMap(([, member]) =>
    member.guards?.[dialect] ? [] : namesIn(member, dialect).map((name) => name.replace(/\..*/, "")),
  );
