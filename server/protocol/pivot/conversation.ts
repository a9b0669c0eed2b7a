/**
 * A call in no vendor's dialect: what every dialect's request is read into, and written from, where the upstream's is
 * another one. It holds what at least one of them can say; who writes it looks at what the upstream's model can do,
 * who reads it does not. `field`: where in the client's request something stands, for the words of a refusal.
 */
import type { Effort } from "../effort";
import type { JsonObject } from "../fields";

/** A prompt cache mark. */
export type CacheMark = { type: "ephemeral"; ttl?: "5m" | "1h" };
type Markable = { mark?: CacheMark };

export type TextBlock = Markable & { type: "text"; text: string };

type Base64 = { type: "base64"; mediaType: string; data: string };
type Address = { type: "url"; url: string };
/** A form that only the client's dialect knows, by its name there. */
type OtherSource = { type: "other"; name: string };

/** How closely a picture is looked at, and so what it costs. */
export type Detail = "low" | "high" | "original";

/** `detail` left out: as the upstream likes. */
export type ImageBlock = Markable & {
  type: "image";
  source: Base64 | Address;
  detail?: Detail;
  field: string;
};
export type DocumentBlock = Markable & {
  type: "document";
  source:
    | { type: "text"; text: string }
    | { type: "content"; blocks: Block[] }
    | Base64
    | Address
    | OtherSource;
  /** "" for none. */
  title: string;
  context: string;
  field: string;
};

/** What the vendor that thought wants back with it, and no other takes: a signature, or the thinking, encrypted. */
export type Seal = { origin: "anthropic" | "openai" | "google" | "openrouter"; data: string };

/** `seal` null: nobody wants it back but who reads thinking as text. */
export type ThinkingBlock = { type: "thinking"; text: string; seal: Seal | null };
/** Thinking of Anthropic's that only it can read. */
export type RedactedBlock = { type: "redacted"; data: string };

/** `id`: the client's, "" for none. `arguments`: the text of a JSON object, "" for none. */
export type CallBlock = Markable & { type: "call"; id: string; name: string; arguments: string };
export type ResultBlock = Markable & { type: "result"; callId: string; content: Block[]; isError: boolean };
/** The name of a tool, as the client calls it. */
type ToolNameBlock = { type: "tool_name"; name: string };

/** Thinking and calls are the assistant's, results the user's. */
export type Block =
  | TextBlock
  | ImageBlock
  | DocumentBlock
  | ThinkingBlock
  | RedactedBlock
  | CallBlock
  | ResultBlock
  | ToolNameBlock;

export type Turn =
  | { role: "user" | "assistant"; blocks: Block[] }
  /** What the client's program says, between what the two say. */
  | { role: "system"; blocks: TextBlock[] };

export type FunctionTool = Markable & {
  type: "function";
  name: string;
  /** "" for none. */
  description: string;
  parameters: JsonObject;
  isStrict: boolean;
};

/** A tool that the vendor runs. */
export type HostedTool = {
  type: "hosted";
  kind: "web_search" | "mcp" | "other";
  name: string;
  /** What the client calls its type. */
  label: string;
  /** A call that no upstream can serve it for is made without. */
  isOptional: boolean;
  /** How often it may be used in one answer. null: as often as the vendor likes. */
  maxUses: number | null;
  /** Where the user is: city, country, region, timezone. */
  place: JsonObject | null;
  /** The member that keeps it to some addresses. null: none does. */
  domainsField: string | null;
  /** Those addresses, by the names of the messages dialect. Left out: the client's dialect is that one. */
  domains?: { allowed_domains?: unknown; blocked_domains?: unknown };
};

export type ToolChoice = { type: "auto" | "any" | "none" } | { type: "tool"; name: string };

/** A form of the answer: JSON of any kind, or such as fits a schema. */
export type AnswerFormat = { type: "json" } | { type: "schema"; schema: JsonObject };

/** How much the client wants the model to think. `mode` null: it does not say whether. `budget`: in tokens. */
export type ThinkingWish = {
  mode: "on" | "off" | null;
  effort: Effort | null;
  budget: number | null;
  /** How its text is to be shown. */
  display: string | null;
};

export type Conversation = {
  isStream: boolean;
  /** What stands before all turns. */
  system: TextBlock[];
  /** One for each message of the client, even where it says nothing. */
  turns: Turn[];
  /** The last turn is the assistant's, and the beginning of the answer. */
  isPrefill: boolean;
  tools: (FunctionTool | HostedTool)[];
  choice: ToolChoice | null;
  /** The only functions that may be called. null: all of them. */
  allowed: Set<string> | null;
  /** One call at a time. */
  isSerial: boolean;
  format: AnswerFormat | null;
  thinking: ThinkingWish | null;
  /** How many of the likeliest tokens are to be told beside each one of the answer. Left out: no token is. */
  topLogprobs?: number;
  sampling: { temperature: number | null; topP: number | null; topK: number | null };
  stops: string[];
  stopsField: string;
  /** Whose call it is. "": it does not say. */
  user: string;
  tier: "auto" | "standard" | null;
  /** The client wants its prompt kept, and leaves the places to who serves it. */
  cache: CacheMark | null;
};

/** The turns of a client that says in the first of them what others say in a member of its own. */
export function splitSystem(turns: Turn[]): Pick<Conversation, "system" | "turns"> {
  const first = turns.findIndex(({ role }) => role !== "system");
  const leading = first === -1 ? turns : turns.slice(0, first);
  return {
    system: leading.flatMap((turn) => (turn.role === "system" ? turn.blocks : [])),
    turns: turns.slice(leading.length),
  };
}
