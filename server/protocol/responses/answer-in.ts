import { isJsonObject, type JsonObject, objects, textOf } from "../fields";
import { finishKind } from "../finish";
import { printText } from "../json/print";
import type { Answer, AnswerBlock, Stop } from "../pivot/answer";
import { type Citation, readCitations, readUrlCitation } from "../pivot/citations";
import type { Seal } from "../pivot/conversation";
import { readLogprobs, type TokenLogprob } from "../pivot/logprobs";
import { isObjectText } from "../tools/call-arguments";
import type { ToolNames } from "../tools/tool-names";

/**
 * Why a response ended: one that was cut off is never `end`. `hasRefused`: one of its messages has a refusal. null: an
 * unknown state, for which other dialects have no word.
 */
export function readStop(
  { status, incomplete_details: details }: JsonObject,
  { hasRefused }: { hasRefused: boolean },
): Stop | null {
  const kind = finishKind(status);
  if (kind === "unknown" || kind === "failure") {
    return null;
  }
  if (status !== "incomplete") {
    return { reason: hasRefused ? "refusal" : "end", sequence: null };
  }
  const reason = isJsonObject(details) ? finishKind(details.reason) : null;
  return { reason: reason === "refusal" ? "refusal" : "length", sequence: null };
}

/** The visible text of a reasoning item: its summary, otherwise the thinking itself. */
export function reasoningText(item: JsonObject): string {
  const textsOf = (parts: unknown) =>
    objects(parts)
      .map((part) => textOf(part.text))
      .filter((text) => text !== "");
  const summary = textsOf(item.summary);
  return (summary.length > 0 ? summary : textsOf(item.content)).join("\n\n");
}

/** null: all of the thinking is in its text. */
export function sealOf({ encrypted_content: data }: JsonObject): Seal | null {
  return typeof data === "string" && data !== "" ? { origin: "openai", data } : null;
}

/** The pages cited by a part of a message. */
const citationsOf = ({ annotations }: JsonObject): Generator<void, Citation[]> =>
  readCitations(objects(annotations), (each) =>
    each.type === "url_citation" ? readUrlCitation(each) : null,
  );

/** The content of a part of a message. */
export type PartContent = {
  type: "text" | "refusal";
  text: string;
  citations?: Citation[];
  logprobs?: TokenLogprob[];
};

/** Reads a part of a message. null: it has no text, or is of an unknown type. */
export function* readPart(part: JsonObject): Generator<void, PartContent | null> {
  const type = part.type === "refusal" ? "refusal" : "text";
  const text = textOf(type === "refusal" ? part.refusal : part.text);
  const citations = type === "text" ? yield* citationsOf(part) : [];
  const logprobs = type === "text" ? yield* readLogprobs(part.logprobs) : [];
  return text === ""
    ? null
    : { type, text, ...(citations.length > 0 && { citations }), ...(logprobs.length > 0 && { logprobs }) };
}

/** The arguments of a call. Those of a custom tool take the form of the function that replaces it elsewhere. */
export function* argumentsOf(item: JsonObject): Generator<void, string> {
  return item.type === "custom_tool_call"
    ? yield* printText({ input: textOf(item.input) })
    : textOf(item.arguments);
}

export const isCall = ({ type }: JsonObject): boolean =>
  type === "function_call" || type === "custom_tool_call";

/**
 * The client's name of a called tool. A call without a name belongs to the only tool, if there is one. null: neither.
 */
export function clientsName({ name }: JsonObject, names: ToolNames): string | null {
  const called = textOf(name);
  return called === "" ? names.soleName : names.toClient(called);
}

/** null: an unreadable call in an answer that was not cut short. */
function* readCall(
  item: JsonObject,
  isCut: boolean,
  names: ToolNames,
): Generator<void, AnswerBlock[] | null> {
  const name = clientsName(item, names);
  const argumentText = yield* argumentsOf(item);
  if (name === null) {
    return isCut ? [] : null;
  }
  return isCut || (yield* isObjectText(argumentText))
    ? [{ type: "call", id: textOf(item.call_id), name, arguments: argumentText }]
    : null;
}

/** Thinking without a text is also a block: its vendor wants back what it sealed. */
function readReasoning(item: JsonObject): AnswerBlock[] {
  const text = reasoningText(item);
  const seal = sealOf(item);
  return text === "" && seal === null ? [] : [{ type: "thinking", text, seal }];
}

function* readMessage(item: JsonObject): Generator<void, AnswerBlock[]> {
  const blocks: AnswerBlock[] = [];
  for (const part of objects(item.content)) {
    blocks.push(...[yield* readPart(part)].filter((read) => read !== null));
    yield;
  }
  return blocks;
}

function* readItem(
  item: JsonObject,
  isCut: boolean,
  names: ToolNames,
): Generator<void, AnswerBlock[] | null> {
  if (isCall(item)) {
    return yield* readCall(item, isCut, names);
  }
  switch (item.type) {
    case "message":
      return yield* readMessage(item);
    case "reasoning":
      return readReasoning(item);
    default:
      // Work of the vendor's own tools.
      return [];
  }
}

/** Converts a normalised response object. null: its calls are unreadable, so it is no answer. */
export function* readAnswer(response: JsonObject, names: ToolNames): Generator<void, Answer | null> {
  const isCut = response.status === "incomplete";
  const blocks: AnswerBlock[] = [];
  for (const item of objects(response.output)) {
    const read = yield* readItem(item, isCut, names);
    if (read === null) {
      return null;
    }
    blocks.push(...read);
    yield;
  }
  const hasRefused = blocks.some(({ type }) => type === "refusal");
  const stop = readStop(response, { hasRefused });
  return stop && { id: textOf(response.id), blocks, stop };
}
