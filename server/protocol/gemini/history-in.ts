import { errorMessages } from "@/server/base/error-messages";
import { cannotConvert, optionalFields, optionalText } from "../cannot-convert";
import { isJsonObject, type JsonObject, textOf, wordOf } from "../fields";
import { type PrintInner, readMessages } from "../json/print";
import type { Block, ResultBlock, TextBlock, Turn } from "../pivot/conversation";
import { readDocument, readFile, readImage } from "../pivot/media";
import { CallHistory } from "./calls-in";
import { inCamelCase } from "./names";
import { readSignature } from "./signatures";

type GeminiPart = { part: JsonObject; field: string };
type RoleRun = { role: "user" | "assistant"; parts: GeminiPart[] };

/**
 * The parts of a content; there may be a single one instead of a list. Throws cannotConvert for parts that are no
 * objects.
 */
export function readParts(content: JsonObject, field: string): GeminiPart[] {
  const { parts } = content;
  const list = isJsonObject(parts) ? [parts] : (parts ?? []);
  return Array.isArray(list) && list.every(isJsonObject)
    ? list.map((part, index) => ({ part: inCamelCase(part), field: `${field}.parts[${index}]` }))
    : cannotConvert(errorMessages.mustBeObjects(`${field}.parts`));
}

function roleOf(role: unknown, field: string): RoleRun["role"] {
  switch (role ?? "user") {
    case "user":
    case "function":
    case "tool":
      return "user";
    case "model":
      return "assistant";
    default:
      return cannotConvert(errorMessages.valueNotConvertible(`${field}.role`, wordOf(role)));
  }
}

/** Joins consecutive contents of one role into one turn: clients keep each piece of a stream as a separate content. */
function splitRuns(contents: JsonObject[]): RoleRun[] {
  const runs: RoleRun[] = [];
  for (const [index, content] of contents.entries()) {
    const field = `contents[${index}]`;
    const role = roleOf(content.role, field);
    const parts = readParts(content, field);
    const last = runs.at(-1);
    if (last?.role !== role) {
      runs.push({ role, parts });
      continue;
    }
    for (const part of parts) {
      last.parts.push(part);
    }
  }
  return runs;
}

/** A file by its address. Google's own file stores are open only to Google. */
function readAddress(file: JsonObject, field: string): Block {
  const url = optionalText(file.fileUri, `${field}.fileUri`);
  const mediaType = textOf(file.mimeType);
  if (!/^https?:/i.test(url) || url.startsWith("https://generativelanguage.googleapis.com/")) {
    return cannotConvert(errorMessages.notConvertible(`${field}.fileUri`));
  }
  if (/^(?:video|audio)\//.test(mediaType)) {
    return cannotConvert(errorMessages.fileType(field, mediaType));
  }
  return mediaType.startsWith("image/")
    ? readImage(url, field)
    : readDocument({ type: "url", url }, file.displayName, field);
}

/** The picture or file in a part. null: there is none. */
function readMedia({ part, field }: GeminiPart): Block | null {
  if (isJsonObject(part.inlineData)) {
    const { mimeType, data, displayName } = inCamelCase(part.inlineData);
    // Converted to the alphabet of data URLs.
    const base64 = optionalText(data, `${field}.inlineData.data`).replaceAll("-", "+").replaceAll("_", "/");
    return readFile(`data:${textOf(mimeType)};base64,${base64}`, displayName, `${field}.inlineData`);
  }
  return isJsonObject(part.fileData) ? readAddress(inCamelCase(part.fileData), `${field}.fileData`) : null;
}

const textBlock = (text: string): TextBlock => ({ type: "text", text });

/**
 * The member that wraps a result. Google's SDKs put it under `output` or `result`, and errors under `error`. The AI SDK
 * puts either under `content`, next to the tool's name. null: the whole object is the result.
 */
function wrapperOf(response: JsonObject, tool: string): string | null {
  const names = Object.keys(response);
  const [name = ""] = names;
  if (names.length === 1 && ["output", "result", "error"].includes(name)) {
    return name;
  }
  return names.length === 2 && "content" in response && response.name === tool ? "content" : null;
}

/** A tool's result. */
function readResponse(response: unknown, tool: string): { content: unknown; isError: boolean } {
  const wrapper = isJsonObject(response) ? wrapperOf(response, tool) : null;
  const content = isJsonObject(response) && wrapper !== null ? response[wrapper] : (response ?? "");
  return { content, isError: wrapper === "error" };
}

/** Objects of parts that become text: arguments of calls and results of tools. */
const innerOf = ({ parts }: RoleRun): unknown[] =>
  parts.map(({ part }) => {
    const { functionCall: call, functionResponse: result } = part;
    return isJsonObject(result)
      ? readResponse(inCamelCase(result).response, textOf(result.name)).content
      : isJsonObject(call) && inCamelCase(call).args;
  });

/** The context of a history's readers. */
type HistoryContext = { calls: CallHistory; print: PrintInner };

function readResult(
  functionResponse: JsonObject,
  field: string,
  { calls, print }: HistoryContext,
): ResultBlock {
  const result = inCamelCase(functionResponse);
  const name = optionalText(result.name, `${field}.name`);
  const { content, isError } = readResponse(result.response, name);
  const text = isJsonObject(content) || Array.isArray(content) ? print(content) : wordOf(content);
  const shown = readParts(result, field).flatMap((part) => readMedia(part) ?? []);
  return {
    type: "result",
    callId: calls.answer(name, optionalText(result.id, `${field}.id`)),
    content: [textBlock(text), ...shown],
    isError,
  };
}

/** Whether a part has no content for another vendor: work of the vendor's own tools, or an empty part. */
const isNothing = (part: JsonObject): boolean =>
  Object.keys(part).every((name) =>
    /^(?:thought|thoughtSignature|partMetadata|videoMetadata|mediaResolution|executableCode|codeExecutionResult|toolCall|toolResponse)$/.test(
      name,
    ),
  );

function readUser(parts: GeminiPart[], reading: HistoryContext): Block[] {
  return parts.flatMap(({ part, field }): Block[] => {
    if (typeof part.text === "string") {
      return [textBlock(part.text)];
    }
    if (isJsonObject(part.functionResponse)) {
      return [readResult(part.functionResponse, `${field}.functionResponse`, reading)];
    }
    const media = readMedia({ part, field });
    if (media === null && !isNothing(part)) {
      return cannotConvert(errorMessages.notConvertible(field));
    }
    return media === null ? [] : [media];
  });
}

/**
 * Collects the model's thinking, text and calls. Carried thinking goes behind the previous call, before the text and
 * the call that follow.
 */
class ModelTurn {
  private readonly blocks: Block[] = [];
  /** Thinking that the client shows; if the client carries thinking in signatures, it is the same thinking. */
  private readonly shown = new Set<Block>();
  private readonly carried = new Set<string>();
  private place = 0;
  private readonly calls: CallHistory;
  private readonly print: PrintInner;

  constructor({ calls, print }: HistoryContext) {
    this.calls = calls;
    this.print = print;
  }

  add({ part, field }: GeminiPart): void {
    this.carry(textOf(part.thoughtSignature));
    if (isJsonObject(part.functionCall)) {
      const { id: sentId, name: rawName, args } = inCamelCase(part.functionCall);
      const name = optionalText(rawName, `${field}.functionCall.name`);
      const id = this.calls.add(name, optionalText(sentId, `${field}.functionCall.id`));
      const input = optionalFields(args, `${field}.functionCall.args`);
      this.blocks.push({ type: "call", id, name, arguments: this.print(input) });
      this.place = this.blocks.length;
    } else if (typeof part.text === "string") {
      this.say(part.text, part.thought === true);
    } else if (!isNothing(part)) {
      cannotConvert(errorMessages.notConvertible(field));
    }
  }

  end(): Block[] {
    return this.carried.size === 0 ? this.blocks : this.blocks.filter((block) => !this.shown.has(block));
  }

  private carry(signature: string): void {
    const blocks = this.carried.has(signature) ? [] : readSignature(signature);
    if (blocks.length > 0) {
      this.carried.add(signature);
      this.blocks.splice(this.place, 0, ...blocks);
      this.place += blocks.length;
    }
  }

  /** Joins pieces of one text, as a stream delivered them. */
  private say(text: string, isThought: boolean): void {
    if (text === "") {
      return;
    }
    const last = this.blocks.at(-1);
    const isMore = isThought ? last !== undefined && this.shown.has(last) : last?.type === "text";
    if (isMore && (last?.type === "text" || last?.type === "thinking")) {
      last.text += text;
      return;
    }
    const block: Block = isThought ? { type: "thinking", text, seal: null } : textBlock(text);
    this.blocks.push(block);
    if (isThought) {
      this.shown.add(block);
    }
  }
}

/** Converts contents to turns. Throws cannotConvert for parts that no other dialect has. */
export function* readHistory(contents: JsonObject[]): Generator<void, Turn[]> {
  const calls = new CallHistory();
  const runs = splitRuns(contents);
  yield;
  return yield* readMessages(runs, innerOf, ({ role, parts }, print): Turn => {
    const reading = { calls, print };
    if (role === "user") {
      return { role, blocks: readUser(parts, reading) };
    }
    calls.beginTurn();
    const turn = new ModelTurn(reading);
    for (const part of parts) {
      turn.add(part);
    }
    return { role, blocks: turn.end() };
  });
}
