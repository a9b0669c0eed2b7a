/** Brings vendors' variants of the OpenAI dialect to spec 2.2. Changes the objects that it is given. */
import { isJsonObject, type JsonObject, objects, textOf } from "../fields";
import { type Finish, finishKind } from "../finish";
import { printText } from "../json/print";
import { normaliseToolCalls } from "./message-calls";

/** The dialect's own words (spec 2.2). */
const standard: Record<Exclude<Finish, "unknown" | "failure">, string> = {
  ...{ end: "stop", stop_sequence: "stop", length: "length", refusal: "content_filter" },
  calls: "tool_calls",
};

/**
 * Returns the standard name of the reason why a choice ended; OpenAI's vision previews give it in `finish_details`. An
 * unknown word, or one that means the vendor broke off, stays as it is: it is no normal end. null: the choice has not
 * ended.
 */
export function readFinish(choice: JsonObject): string | null {
  const details = isJsonObject(choice.finish_details) ? choice.finish_details.type : null;
  const word = [choice.finish_reason, choice.finishReason, details].find(
    (value) => finishKind(value) !== null,
  );
  const kind = finishKind(word);
  if (kind === null || kind === "unknown" || kind === "failure") {
    return kind && textOf(word);
  }
  return kind === "calls" && textOf(word).toLowerCase() === "function_call"
    ? "function_call"
    : standard[kind];
}

/** Ends that leave calls whole: calls in an answer that was cut or refused are not completed. */
export const callsEnds = new Set<unknown>(["stop", "tool_calls", "function_call"]);

/**
 * The end of an answer that was not cut or refused, by its calls alone: OpenAI sends "stop" for a forced tool, and agents
 * whose model names calls that it did not make ask it again without end (kilocode#7756, mastra#12581).
 */
export function withCalls(finish: string | null, calls: ReturnType<typeof callsFinish>): string | null {
  if (!callsEnds.has(finish)) {
    return finish;
  }
  return calls === null || finish === "stop" ? (calls ?? "stop") : finish;
}

/** The finish reason that follows from a message's calls. null: there are none. */
export function callsFinish(message: JsonObject): "tool_calls" | "function_call" | null {
  if (objects(message.tool_calls).length > 0) {
    return "tool_calls";
  }
  // Snowflake sends an empty one with every message.
  return isJsonObject(message.function_call) && message.function_call.name ? "function_call" : null;
}

const partText = (part: JsonObject): string => {
  const text = part.text ?? part.content;
  // OpenAI's Assistants have their texts one level below.
  return textOf(isJsonObject(text) ? text.value : text);
};

const isPart = (value: unknown): boolean =>
  typeof value === "string" ||
  (isJsonObject(value) && [value.type, value.text].some((member) => typeof member === "string"));

/**
 * The parts of a content that is neither text nor missing. null: the content is the answer itself as JSON (Workers AI).
 */
function partsOf(content: unknown): unknown[] | null {
  const parts = Array.isArray(content) ? content : [content];
  return parts.every(isPart) ? parts : null;
}

/** Turns content that a vendor sends as parts (thinking among them) or as JSON into text and thinking text. */
function* flattenContent(message: JsonObject): Generator<void, void> {
  const { content } = message;
  if (typeof content === "string" || content === undefined || content === null) {
    return;
  }
  const parts = partsOf(content);
  if (parts === null) {
    message.content =
      typeof content === "object" && content !== null ? yield* printText(content) : JSON.stringify(content);
    return;
  }
  let text = "";
  let thinking = "";
  for (const part of parts) {
    if (!isJsonObject(part)) {
      text += String(part);
    } else if (part.type === "thinking") {
      thinking +=
        typeof part.thinking === "string" ? part.thinking : objects(part.thinking).map(partText).join("");
    } else if (part.type === "reasoning") {
      thinking += partText(part) + objects(part.summary).map(partText).join("");
    } else {
      text += partText(part);
    }
  }
  message.content = text;
  if (thinking !== "") {
    message.reasoning_content ||= thinking;
  }
}

/** Names of thinking: OpenRouter's, Ollama's, GitHub Copilot's, and those of gateways in between. */
const THINKING = [
  ...[
    "reasoning",
    "thinking",
    "reasoning_text",
    "reasoningContent",
    "thinking_content",
    "thought",
    "thoughts",
  ],
];

/** A text, or the texts of an object or of parts. null: the value is none, such as the effort of a request. */
function thinkingText(value: unknown): string | null {
  if (typeof value === "string") {
    return value;
  }
  const parts = isJsonObject(value) ? [value] : objects(value);
  const text = parts.map((part) => partText(part) || textOf(part.thinking)).join("");
  return text === "" ? null : text;
}

/**
 * Moves vendors' names for thinking to `reasoning_content` and removes the others, so that no client reads it twice.
 */
function unifyReasoning(message: JsonObject): void {
  const { reasoning_content: own } = message;
  if (own !== undefined && own !== null && typeof own !== "string") {
    message.reasoning_content = thinkingText(own);
  }
  for (const name of THINKING) {
    const thinking = thinkingText(message[name]);
    if (thinking !== null) {
      delete message[name];
      message.reasoning_content ||= thinking;
    }
  }
  if (!message.reasoning_content && Array.isArray(message.reasoning_details)) {
    const details = objects(message.reasoning_details).map((detail) => detail.text ?? detail.summary);
    const text = details.filter((detail) => typeof detail === "string").join("");
    if (text !== "") {
      message.reasoning_content = text;
    }
  }
}

/** Members that must be text or absent, whatever a vendor sends for an empty one. */
const textMembers = ["content", "reasoning_content", "refusal"] as const;

function withoutOtherKinds(message: JsonObject): void {
  for (const name of textMembers) {
    const value = message[name];
    if (value !== undefined && value !== null && typeof value !== "string") {
      delete message[name];
    }
  }
}

/** The creation time of an answer, in seconds. Some vendors send fractions, or no time. */
export const createdAt = (timestamp: unknown, now: Date): number =>
  typeof timestamp === "number" && timestamp >= 1 ? Math.floor(timestamp) : Math.floor(now.getTime() / 1000);

/** `logprobs` of a choice is an object, or null. */
export function normaliseLogprobs(choice: JsonObject): void {
  if (choice.logprobs !== undefined && !isJsonObject(choice.logprobs)) {
    choice.logprobs = null;
  }
}

/** Normalises a message or a delta. Yields, so that long work can pause. */
export function* normaliseMessage(message: JsonObject): Generator<void, void> {
  yield* flattenContent(message);
  unifyReasoning(message);
  yield* normaliseToolCalls(message);
  withoutOtherKinds(message);
}

/** Whether a message or a delta has content, not only empty members and a role. */
export const saysSomething = (message: JsonObject): boolean =>
  Object.entries(message).some(
    ([name, value]) => name !== "role" && (Array.isArray(value) ? value[0] : value),
  );

/**
 * Takes a choice's content from under another name than its dialect's: a message in a stream, a delta in a whole
 * answer, the older API's text, or a text in place of an object. An empty object does not count if another member has
 * content. null: the choice has none of them.
 */
export function takeMessage(choice: JsonObject): JsonObject | null {
  const { message, delta, text, content } = choice;
  const named = [message, delta].filter(isJsonObject);
  const texts = [message, delta, text, content].filter((value) => typeof value === "string");
  const bare = texts.find((value) => value !== "");
  delete choice.message;
  delete choice.delta;
  delete choice.text;
  delete choice.content;
  const said = named.find(saysSomething);
  const other = { ...named[0], ...(bare !== undefined && { content: bare }) };
  return said ?? (named.length + texts.length === 0 ? null : other);
}
