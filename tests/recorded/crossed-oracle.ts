/** Converts the reading of a recording in one dialect into that of a client of another, without the server's code. */
import type { ChatChoice, ChatReading } from "./chat-oracle";
import type { JsonObject } from "./corpus";
import { malformed, type RefusalEnvelope, refusedAs } from "./envelope";
import { list, string } from "./json";
import type { MessagesReading } from "./messages-oracle";
import type { RecordedUsage } from "./usage";

/** The content of an answer in any dialect. `stop`: in the words of the client's dialect. */
export type AnswerContent = {
  text: string;
  thinking: string;
  tools: { id: string | null; name: string; input: unknown }[];
  stop: string;
  /** Thinking that its vendor signed or encrypted, which a client sends back. */
  signed: JsonObject[];
};

export const isSilent = ({ text, thinking, tools }: AnswerContent): boolean =>
  !text && !thinking && tools.length === 0;

export type Crossed =
  | { kind: "answer"; content: AnswerContent; usage: RecordedUsage | null }
  /** It began, and broke off with the upstream's words. */
  | { kind: "broken"; content: AnswerContent; words: string }
  | { kind: "refused"; refused: RefusalEnvelope };

/** A call without arguments has an empty object as input. */
const inputOf = (text: string): unknown => JSON.parse(text || "{}");

const stopReasons: Record<string, string> = {
  tool_calls: "tool_use",
  function_call: "tool_use",
  length: "max_tokens",
  content_filter: "refusal",
};

function choiceSays(choice: ChatChoice): AnswerContent {
  const called = choice.functionCall ? [{ id: null, ...choice.functionCall }] : [];
  const tools = [...choice.toolCalls, ...called].map(({ id, name, arguments: text }) => ({
    id,
    name,
    input: inputOf(text),
  }));
  const isStop = choice.finish === "stop" || choice.finish === null;
  const stop = isStop && tools.length > 0 ? "tool_use" : (stopReasons[choice.finish ?? ""] ?? "end_turn");
  return {
    text: choice.text + choice.refusal,
    thinking: choice.reasoning,
    tools,
    stop: choice.refusal ? "refusal" : stop,
    signed: [],
  };
}

/** Claude Code shortens its history when it reads these words, and only these. */
const overflow = (words: string) => (/too long/.test(words) ? `prompt is too long: ${words}` : words);

/** A chat recording as a messages client reads it. A message can have only the first of several choices. */
export function chatAsMessage(reading: ChatReading): Crossed {
  if (reading.kind === "refused") {
    return { kind: "refused", refused: refusedAs(reading.status, overflow(reading.words)) };
  }
  const choice = reading.kind === "foreign" ? undefined : reading.choices[0];
  if (reading.kind === "foreign" || !choice) {
    return { kind: "refused", refused: malformed };
  }
  const content = choiceSays(choice);
  return reading.kind === "broken"
    ? { kind: "broken", content, words: reading.words }
    : { kind: "answer", content, usage: reading.usage };
}

const finishReasons: Record<string, string> = {
  max_tokens: "length",
  model_context_window_exceeded: "length",
  tool_use: "tool_calls",
  refusal: "content_filter",
};

type AnswerToolCall = AnswerContent["tools"][number];

const isSealed = ({ type, signature, data }: JsonObject): boolean =>
  (type === "thinking" && string(signature) !== "") || (type === "redacted_thinking" && string(data) !== "");

/**
 * The calls in an answer, in order, as a chat client gets them. The identifier of a call after thinking is marked,
 * because the gateway stores the thinking under it.
 */
export function markedCalls(
  blocks: JsonObject[],
  readAs: { isSealed: (block: JsonObject) => boolean; callOf: (block: JsonObject) => AnswerToolCall | null },
): AnswerToolCall[] {
  let isKept = false;
  return blocks.flatMap((block) => {
    isKept ||= readAs.isSealed(block);
    const call = readAs.callOf(block);
    const isMarked = isKept && call !== null && string(call.id).length >= 20;
    isKept &&= !isMarked;
    return call === null ? [] : [isMarked ? { ...call, id: `${call.id}__tgk` } : call];
  });
}

const callOf = ({ type, id, name, input }: JsonObject): AnswerToolCall | null =>
  type === "tool_use" ? { id: string(id), name: string(name), input } : null;

/** A recorded message as a chat client reads it, without the results of the vendor's own tools. */
export function messageAsChat(reading: MessagesReading): Crossed {
  if (reading.kind === "refused") {
    return { kind: "refused", refused: refusedAs(reading.status, reading.words) };
  }
  const blocks = list(reading.message.content);
  const joined = (type: string) =>
    blocks.map((block) => (block.type === type ? string(block[type]) : "")).join("");
  const tools = markedCalls(blocks, { isSealed, callOf });
  const finish = finishReasons[string(reading.message.stop_reason)] ?? "stop";
  const stop = finish === "tool_calls" && tools.length === 0 ? "stop" : finish;
  const signed = blocks.filter(({ type }) => type === "thinking" || type === "redacted_thinking");
  const content = { text: joined("text"), thinking: joined("thinking"), tools, stop, signed };
  return { kind: "answer", content, usage: reading.usage };
}
