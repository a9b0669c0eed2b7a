/**
 * Reads a recording by plain rules, without any of the server's code. Where vendors differ from the OpenAI dialect, the
 * rules are the gateway's promises to its clients.
 */
import { readUsage } from "./chat-usage";
import type { JsonObject, Recording } from "./corpus";
import { fields, isJsonObject, list, string } from "./json";
import type { RecordedUsage } from "./usage";

type ToolCall = { id: string | null; name: string; arguments: string };

/** One choice as a client reads it. Absent text is "". */
export type ChatChoice = {
  text: string;
  reasoning: string;
  refusal: string;
  toolCalls: ToolCall[];
  functionCall: { name: string; arguments: string } | null;
  finish: string | null;
};
export type Choices = Record<number, ChatChoice>;

export type ChatReading =
  /** A whole answer. `usage` is null if the recording does not have it. */
  | { kind: "answer"; choices: Choices; usage: RecordedUsage | null }
  /** No answer at all: the client gets `status`, and with 400 the upstream's words. */
  | { kind: "refused"; status: 400 | 502; words: string }
  /** An answer that broke off with an error. */
  | { kind: "broken"; choices: Choices; words: string }
  /** Not a chat completion. */
  | { kind: "foreign" };

/** Readings for which the client gets only an error. */
export type ChatRefusal = Extract<ChatReading, { kind: "refused" | "foreign" }>;
export const isRefusal = (reading: ChatReading): reading is ChatRefusal =>
  reading.kind === "refused" || reading.kind === "foreign";

export const newChoice = (): ChatChoice => ({
  text: "",
  reasoning: "",
  refusal: "",
  toolCalls: [],
  functionCall: null,
  finish: null,
});

/** The text and thinking in `content`, a string or parts. */
function readContent(content: unknown): { text: string; thinking: string } {
  if (!Array.isArray(content)) {
    return { text: string(content), thinking: "" };
  }
  const isThinking = (part: JsonObject) => part.type === "thinking";
  const thoughts = list(content)
    .filter(isThinking)
    .flatMap((part) => (Array.isArray(part.thinking) ? list(part.thinking) : [{ text: part.thinking }]));
  return {
    text: list(content)
      .filter((part) => !isThinking(part))
      .map((part) => string(part.text))
      .join(""),
    thinking: thoughts.map((thought) => string(thought.text)).join(""),
  };
}

/** The same thinking may have several names: the first one with text counts. */
function readReasoning(message: JsonObject): string {
  const details = list(message.reasoning_details).map((detail) => string(detail.text || detail.summary));
  return (
    string(message.reasoning_content) ||
    string(message.reasoning) ||
    details.join("") ||
    readContent(message.content).thinking
  );
}

const argumentText = (value: unknown) => (isJsonObject(value) ? JSON.stringify(value) : string(value));

/** A tool call with the number that the vendor gave it. */
type Numbered = ToolCall & { number: unknown };

/** The call to which a fragment belongs; undefined if the fragment begins one. */
function continued(calls: Numbered[], fragment: JsonObject): Numbered | undefined {
  const number = fragment.index ?? undefined;
  const [id, name] = [string(fragment.id), string(fields(fragment.function).name)];
  const candidates = calls.filter((call) => number === undefined || call.number === number);
  const latest = candidates.at(-1);
  if (id === "") {
    return number === undefined && name !== "" ? undefined : latest;
  }
  // Some vendors give every call the number 0: another id with a name is another call.
  const isOther = name !== "" && latest?.id;
  return candidates.find((call) => call.id === id) ?? (isOther ? undefined : latest);
}

function addToolCall(calls: Numbered[], fragment: JsonObject): void {
  const target = fields(fragment.function);
  let call = continued(calls, fragment);
  if (!call) {
    call = { id: null, name: "", arguments: "", number: fragment.index ?? undefined };
    calls.push(call);
  }
  call.id ??= string(fragment.id) || null;
  call.name ||= string(target.name);
  call.arguments += argumentText(target.arguments);
}

/** Adds a message, or a delta of one. */
function addMessage(choice: ChatChoice, calls: Numbered[], message: JsonObject): void {
  choice.text += readContent(message.content).text;
  choice.reasoning += readReasoning(message);
  choice.refusal += string(message.refusal);
  for (const fragment of list(message.tool_calls)) {
    addToolCall(calls, fragment);
  }
  choice.toolCalls = calls.map(({ number: _number, ...call }) => call);
  const called = fields(message.function_call);
  if (string(called.name) || string(called.arguments)) {
    choice.functionCall ??= { name: "", arguments: "" };
    choice.functionCall.name += string(called.name);
    choice.functionCall.arguments += argumentText(called.arguments);
  }
}

const standardNames = ["stop", "length", "tool_calls", "content_filter", "function_call"];
const vendorNames: Record<string, string> = {
  max_tokens: "length",
  model_length: "length",
  tool_use: "tool_calls",
  safety: "content_filter",
};

/** A finish reason by its standard name; null if there is none. */
function readFinish(choice: JsonObject): string | null {
  const name = string(choice.finish_reason || fields(choice.finish_details).type).toLowerCase();
  if (name === "") {
    return null;
  }
  return standardNames.includes(name) ? name : (vendorNames[name] ?? "stop");
}

/** The finish reason of a choice that ended without one. */
function impliedFinish(choice: ChatChoice): string {
  if (choice.toolCalls.length > 0) {
    return "tool_calls";
  }
  return choice.functionCall ? "function_call" : "stop";
}

/** Reads the chunks of a stream, or the only body of a JSON answer. Perplexity sends `delta` and `message` in both. */
function readChunks(
  chunks: JsonObject[],
  { member, model }: { member: "delta" | "message"; model: string },
): { choices: Choices; usage: RecordedUsage | null } {
  const choices: Choices = {};
  const calls = new Map<number, Numbered[]>();
  let usage: RecordedUsage | null = null;
  for (const chunk of chunks) {
    for (const chunkChoice of list(chunk.choices)) {
      const index = Number(chunkChoice.index ?? 0);
      const choice = choices[index] ?? newChoice();
      choices[index] = choice;
      const choiceCalls = calls.get(index) ?? [];
      calls.set(index, choiceCalls);
      addMessage(choice, choiceCalls, fields(chunkChoice[member]));
      choice.finish = readFinish(chunkChoice) ?? choice.finish;
    }
    usage = readUsage(chunk, model) ?? usage;
  }
  return { choices, usage };
}

function implyFinish(choices: Choices): Choices {
  for (const choice of Object.values(choices)) {
    choice.finish ??= impliedFinish(choice);
  }
  return choices;
}

/** The `data` of each event. This parser is simple on purpose: each event of the recordings has one line of data. */
export const eventData = (text: string): string[] =>
  text
    .split(/\r\n|\n|\r/)
    .filter((line) => line.startsWith("data:"))
    .map((line) => line.slice(5).trim());

function errorOf(body: JsonObject): JsonObject | null {
  const error = body.error;
  if (typeof error === "string") {
    return { ...body, message: error };
  }
  return isJsonObject(error) ? error : null;
}

/** The client's status for an upstream's status: faults of the call itself are 400, all others are the channel's. */
export const blame = (status: number): 400 | 502 => ([400, 413, 422].includes(status) ? 400 : 502);

function refusal(error: JsonObject, status?: number): ChatReading {
  const named =
    status ?? [error.status, error.code, error.status_code].map(Number).find((code) => code >= 400);
  return { kind: "refused", status: blame(named ?? 0), words: string(error.message ?? error.detail) };
}

function parse(text: string): JsonObject {
  try {
    return fields(JSON.parse(text));
  } catch {
    return { message: text.trim() };
  }
}

function readStream(text: string, model: string): ChatReading {
  const chunks: JsonObject[] = [];
  for (const data of eventData(text)) {
    if (data === "[DONE]") {
      break;
    }
    const chunk = fields(JSON.parse(data));
    const error = errorOf(chunk);
    if (error && chunks.length === 0) {
      return refusal(error);
    }
    if (error) {
      return {
        kind: "broken",
        choices: readChunks(chunks, { member: "delta", model }).choices,
        words: string(error.message),
      };
    }
    chunks.push(chunk);
  }
  const { choices, usage } = readChunks(chunks, { member: "delta", model });
  return { kind: "answer", choices: implyFinish(choices), usage };
}

export function readRecording({ status, body, exchange, request }: Recording): ChatReading {
  const text = body.toString("utf8");
  const model = string(request.model);
  if (status >= 400) {
    const parsed = parse(text);
    return refusal(errorOf(parsed) ?? parsed, status);
  }
  if (exchange.stream) {
    return readStream(text, model);
  }
  const answer = parse(text);
  const error = errorOf(answer);
  if (error) {
    return refusal(error);
  }
  if (list(answer.choices).length === 0) {
    return { kind: "foreign" };
  }
  const { choices, usage } = readChunks([answer], { member: "message", model });
  return { kind: "answer", choices: implyFinish(choices), usage };
}
