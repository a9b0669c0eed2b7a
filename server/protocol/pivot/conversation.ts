/**
 * A call independent of the dialect: requests of every dialect are read into it, and written from it for an upstream of
 * another one. It holds everything that at least one of them can say. Writers check the abilities of the upstream's
 * model, readers do not. `field`: the place in the client's request, for error texts.
 */
import type { Effort } from "../effort";
import type { JsonObject } from "../fields";
import type { Scalars } from "../scalars";

/** A prompt cache mark. */
export type CacheMark = { type: "ephemeral"; ttl?: "5m" | "1h" };
type Markable = { mark?: CacheMark };

export type TextBlock = Markable & { type: "text"; text: string };

type Base64 = { type: "base64"; mediaType: string; data: string };
type Address = { type: "url"; url: string };
/** A form that only the client's dialect knows, with its name there. */
type OtherSource = { type: "other"; name: string };

/** How closely the model looks at a picture, which decides its cost. */
export type Detail = "low" | "high" | "original";

/** Without `detail`, the upstream chooses. */
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
  /** "": none. */
  title: string;
  context: string;
  field: string;
};

/** The data that only the vendor of the thinking wants back: a signature, or the encrypted thinking. */
export type Seal = { origin: "anthropic" | "openai" | "google" | "openrouter"; data: string };

/** `seal` null: only upstreams that read thinking as text want it back. */
export type ThinkingBlock = { type: "thinking"; text: string; seal: Seal | null };
/** Anthropic's thinking that only Anthropic can read. */
export type RedactedBlock = { type: "redacted"; data: string };

/** `id`: the client's; "": none. `arguments`: the text of a JSON object; "": none. */
export type CallBlock = Markable & { type: "call"; id: string; name: string; arguments: string };
export type ResultBlock = Markable & { type: "result"; callId: string; content: Block[]; isError: boolean };
/** The name of a tool, as the client calls it. */
type ToolNameBlock = { type: "tool_name"; name: string };

/** Thinking and calls belong to the assistant, results to the user. */
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
  /** Text of the client's program between the other turns. */
  | { role: "system"; blocks: TextBlock[] };

export type FunctionTool = Markable & {
  type: "function";
  name: string;
  /** "": none. */
  description: string;
  parameters: JsonObject;
  isStrict: boolean;
};

/** A tool that the vendor runs. */
export type HostedTool = {
  type: "hosted";
  kind: "web_search" | "mcp" | "other";
  name: string;
  /** The client's name for its type. */
  label: string;
  /** If no upstream has it, the call goes out without it. */
  isOptional: boolean;
  /** The most uses in one answer. null: the vendor decides. */
  maxUses: number | null;
  /** The user's city, country, region and timezone. */
  place: JsonObject | null;
  /** The member that restricts it to some addresses. null: none. */
  domainsField: string | null;
  /** Those addresses, under the messages dialect's names. Left out if the client's dialect is that one. */
  domains?: { allowed_domains?: unknown; blocked_domains?: unknown };
};

export type ToolChoice = { type: "auto" | "any" | "none" } | { type: "tool"; name: string };

/** The form of the answer: any JSON, or JSON that fits a schema. */
export type AnswerFormat = { type: "json" } | { type: "schema"; schema: JsonObject };

/** The client's wish for thinking. `mode` null: unstated. `budget`: in tokens. */
export type ThinkingWish = {
  mode: "on" | "off" | null;
  effort: Effort | null;
  budget: number | null;
  /** How the answer shows the thinking's text. */
  display: string | null;
};

export type Conversation = {
  isStream: boolean;
  /** The text before all turns. */
  system: TextBlock[];
  /** One for each message of the client, even for an empty one. */
  turns: Turn[];
  /** The last turn is the assistant's, and starts the answer. */
  isPrefill: boolean;
  tools: (FunctionTool | HostedTool)[];
  choice: ToolChoice | null;
  /** The only functions that the model may call. null: all. */
  allowed: Set<string> | null;
  /** One call at a time. */
  isSerial: boolean;
  format: AnswerFormat | null;
  thinking: ThinkingWish | null;
  /** The number of likeliest tokens to report for each token of the answer. Left out: no token is reported. */
  topLogprobs?: number;
  stops: string[];
  stopsField: string;
  scalars: Scalars;
  /** The client wants its prompt cached, and leaves the positions of the marks to the gateway or the vendor. */
  cache: CacheMark | null;
};

/** Separates leading system turns, for clients whose dialect has no separate system member. */
export function splitSystem(turns: Turn[]): Pick<Conversation, "system" | "turns"> {
  const first = turns.findIndex(({ role }) => role !== "system");
  const leading = first === -1 ? turns : turns.slice(0, first);
  return {
    system: leading.flatMap((turn) => (turn.role === "system" ? turn.blocks : [])),
    turns: turns.slice(leading.length),
  };
}
