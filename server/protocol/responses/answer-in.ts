import { isObjectText } from "../call-arguments";
import { isJsonObject, type JsonObject, objects, textOf } from "../fields";
import { finishKind } from "../finish";
import { printText } from "../json-print";
import type { Answer, AnswerBlock, Stop } from "../pivot/answer";
import { type Citation, readCitations, readUrlCitation } from "../pivot/citations";
import type { Seal } from "../pivot/conversation";
import { readLogprobs, type TokenLogprob } from "../pivot/logprobs";
import type { ToolNames } from "../tool-names";

/**
 * Why a response ended: one that was cut off is never `end`. `hasRefused`: a message of it has a refusal. null: in a
 * state that we do not know, for which no other dialect has a word.
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

/** What an item of reasoning shows: its summary, or what was thought where there is none. */
export function reasoningText(item: JsonObject): string {
  const textsOf = (parts: unknown) =>
    objects(parts)
      .map((part) => textOf(part.text))
      .filter((text) => text !== "");
  const summary = textsOf(item.summary);
  return (summary.length > 0 ? summary : textsOf(item.content)).join("\n\n");
}

/** null: the thinking is all in its text. */
export function sealOf({ encrypted_content: data }: JsonObject): Seal | null {
  return typeof data === "string" && data !== "" ? { origin: "openai", data } : null;
}

/** The pages that a part of a message names. */
const citationsOf = ({ annotations }: JsonObject): Generator<void, Citation[]> =>
  readCitations(objects(annotations), (each) =>
    each.type === "url_citation" ? readUrlCitation(each) : null,
  );

/** What a part of a message says. */
export type Said = {
  type: "text" | "refusal";
  text: string;
  citations?: Citation[];
  logprobs?: TokenLogprob[];
};

/** A part of a message. null: no text, or one of a kind that we do not know. */
export function* readPart(part: JsonObject): Generator<void, Said | null> {
  const type = part.type === "refusal" ? "refusal" : "text";
  const text = textOf(type === "refusal" ? part.refusal : part.text);
  const citations = type === "text" ? yield* citationsOf(part) : [];
  const logprobs = type === "text" ? yield* readLogprobs(part.logprobs) : [];
  return text === ""
    ? null
    : { type, text, ...(citations.length > 0 && { citations }), ...(logprobs.length > 0 && { logprobs }) };
}

/** The arguments of a call, that of a custom tool as those of the function that stands for it elsewhere. */
export function* argumentsOf(item: JsonObject): Generator<void, string> {
  return item.type === "custom_tool_call"
    ? yield* printText({ input: textOf(item.input) })
    : textOf(item.arguments);
}

export const isCall = ({ type }: JsonObject): boolean =>
  type === "function_call" || type === "custom_tool_call";

/** The client's name for a tool that is called; a call without a name can mean the only one there is. null: neither. */
export function clientsName({ name }: JsonObject, names: ToolNames): string | null {
  const called = textOf(name);
  return called === "" ? names.soleName : names.toClient(called);
}

/** null: a call that cannot be read, in an answer that was not cut short. */
function* readCall(
  item: JsonObject,
  isCut: boolean,
  names: ToolNames,
): Generator<void, AnswerBlock[] | null> {
  const name = clientsName(item, names);
  const given = yield* argumentsOf(item);
  if (name === null) {
    return isCut ? [] : null;
  }
  return isCut || (yield* isObjectText(given))
    ? [{ type: "call", id: textOf(item.call_id), name, arguments: given }]
    : null;
}

/** Thinking without a text is a block nevertheless: its vendor wants back what it sealed. */
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
      // What the vendor's own tools did.
      return [];
  }
}

/** A normalised response object. null: its calls make no sense, so it is no answer. */
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
