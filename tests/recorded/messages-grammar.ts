/** Whether a stream is one of the messages dialect, as its strictest clients take it (Claude Code, the AI SDK). */
import type { JsonObject } from "./corpus";
import { fields, string } from "./json";
import { type Frame, framesOf } from "./sse";

const deltasOf: Record<string, string[]> = {
  text: ["text_delta", "citations_delta"],
  thinking: ["thinking_delta", "signature_delta"],
  tool_use: ["input_json_delta"],
  server_tool_use: ["input_json_delta"],
  mcp_tool_use: ["input_json_delta"],
  compaction: ["compaction_delta"],
};

const counts = ["input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"];

type Phase = "before" | "blocks" | "ending" | "over";
type State = { phase: Phase; next: number; open: Open | null; stopReason: unknown };
type Open = { type: string; signature: string; json: string };

/** What is wrong with an event where it stands; undefined when nothing is. It moves the state on. */
type Rule = (event: JsonObject, state: State) => string | false | undefined;

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

function startMessage(event: JsonObject, state: State): string | undefined {
  if (state.phase !== "before") {
    return "a second message_start";
  }
  state.phase = "blocks";
  const message = fields(event.message);
  const isEmpty = Array.isArray(message.content) && message.content.length === 0;
  const isNew = message.stop_reason === null && message.stop_sequence === null;
  if (message.type !== "message" || message.role !== "assistant" || !isEmpty || !isNew) {
    return "no message that begins";
  }
  const usage = fields(message.usage);
  const missing = counts.filter((name) => typeof usage[name] !== "number");
  return string(message.id) && missing.length === 0 ? undefined : `message_start without ${missing} or id`;
}

/** Those whose clients read them unasked. Blocks of servers' tools come whole or as their vendor likes. */
function startFault(block: JsonObject): string | undefined {
  switch (block.type) {
    case "text":
      return typeof block.text === "string" ? undefined : "text without text";
    case "thinking":
      return typeof block.thinking === "string" && typeof block.signature === "string"
        ? undefined
        : "thinking without thinking or signature";
    case "tool_use": {
      const isNamed = /^[a-zA-Z0-9_-]+$/.test(string(block.id)) && string(block.name) !== "";
      return isNamed && isJsonObject(JSON.stringify(block.input)) ? undefined : "tool_use without its parts";
    }
    default:
      return string(block.type) ? undefined : "a block without type";
  }
}

function startBlock(event: JsonObject, state: State): string | undefined {
  const block = fields(event.content_block);
  const isOpen = state.open !== null;
  const isNext = event.index === state.next && state.phase === "blocks";
  state.open = { type: string(block.type), signature: string(block.signature), json: "" };
  state.next++;
  if (isOpen) {
    return "two blocks are open";
  }
  return isNext ? startFault(block) : "a block out of order";
}

function addDelta(event: JsonObject, { open, next }: State): string | false | undefined {
  const delta = fields(event.delta);
  if (!open || event.index !== next - 1) {
    return "a delta of a block that is not open";
  }
  open.signature += string(delta.signature);
  open.json += string(delta.partial_json);
  return !deltasOf[open.type]?.includes(string(delta.type)) && `${String(delta.type)} in ${open.type}`;
}

function stopBlock(event: JsonObject, state: State): string | false | undefined {
  const { open, next } = state;
  state.open = null;
  if (!open || event.index !== next - 1) {
    return "a stop of a block that is not open";
  }
  return open.type === "thinking" && open.signature === "" && "thinking without a signature";
}

function changeMessage(event: JsonObject, state: State): string | false | undefined {
  const isReady = state.open === null && (state.phase === "blocks" || state.phase === "ending");
  state.phase = "ending";
  state.stopReason = fields(event.delta).stop_reason;
  if (!isReady) {
    return "message_delta before the blocks are closed";
  }
  const isWhole = typeof fields(event.usage).output_tokens === "number" && string(state.stopReason) !== "";
  return !isWhole && "message_delta without stop_reason or output_tokens";
}

function stopMessage(_event: JsonObject, state: State): string | false {
  const isReady = state.phase === "ending";
  state.phase = "over";
  return !isReady && "message_stop before message_delta";
}

function breakOff(event: JsonObject, state: State): string | false {
  state.phase = "over";
  const error = fields(event.error);
  return !(string(error.type) && string(error.message)) && "error without type or message";
}

const rules: Record<string, Rule> = {
  message_start: startMessage,
  content_block_start: startBlock,
  content_block_delta: addDelta,
  content_block_stop: stopBlock,
  message_delta: changeMessage,
  message_stop: stopMessage,
  error: breakOff,
  ping: (_event, { phase }) => phase === "before" && "a ping before message_start",
};

function faultOf({ name, data }: Frame, state: State): string | false | undefined {
  if (!isJsonObject(data)) {
    return `no JSON object: ${data}`;
  }
  const event = JSON.parse(data) as JsonObject;
  if (state.phase === "over") {
    return "something after the end";
  }
  if (name !== event.type) {
    return `event: ${name} over ${String(event.type)}`;
  }
  return (rules[name ?? ""] ?? (() => `unknown event ${name}`))(event, state);
}

/** Everything that is wrong with a stream, in order. Empty: it is well-formed, and over. */
export function grammarFaults(text: string): string[] {
  const state: State = { phase: "before", next: 0, open: null, stopReason: null };
  const faults = framesOf(text).flatMap((frame) => faultOf(frame, state) || []);
  return state.phase === "over" ? faults : [...faults, "no end"];
}
