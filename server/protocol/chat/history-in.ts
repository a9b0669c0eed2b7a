import { errorMessages } from "@/server/base/error-messages";
import { isServerBlock, isThinking } from "../block-kinds";
import { cannotConvert, optionalFields, optionalList, optionalText } from "../cannot-convert";
import { isJsonObject, type JsonObject, objects, textOf } from "../fields";
import type { PrintInner } from "../json/print";
import type { ThinkingOfCalls } from "../kept-thinking";
import type { Block, CallBlock, ResultBlock, TextBlock, Turn } from "../pivot/conversation";
import { readMark } from "../prompt-cache";
import { readThinking } from "../signed-thinking";
import { readSignedToolId } from "../tools/tool-ids";
import { mapParts, readContent, readPart, readTexts } from "./content-in";

/** The kept thinking of calls, for a client that hands none back. */
type Beside = { thinking: ThinkingOfCalls; print: PrintInner };

/** A custom tool's input is free text: other dialects take it as the single argument of a function. */
function readArguments(
  input: unknown,
  { isFreeText, field, print }: { isFreeText: boolean; field: string; print: PrintInner },
): string {
  if (isFreeText) {
    return JSON.stringify({ input: optionalText(input, `${field}.custom.input`) });
  }
  return isJsonObject(input) ? print(input) : optionalText(input, `${field}.arguments`);
}

/** Puts Google's signature, carried in the identifier, right before the call. No identifier carries another call's. */
function withSignature(call: CallBlock): Block[] {
  const { id, signature } = readSignedToolId(call.id);
  return signature === ""
    ? [{ ...call, id }]
    : [
        { type: "thinking", text: "", seal: { origin: "google", data: signature } },
        { ...call, id },
      ];
}

function readCall(call: JsonObject, field: string, print: PrintInner): CallBlock {
  const custom = isJsonObject(call.custom) ? call.custom : null;
  const target = custom ?? optionalFields(call.function, `${field}.function`);
  const input = custom ? custom.input : target.arguments;
  return {
    type: "call",
    id: optionalText(call.id, `${field}.id`),
    name: optionalText(target.name, `${field}.name`),
    arguments: readArguments(input, { isFreeText: custom !== null, field, print }),
    ...readMark(call),
  };
}

/** Reads only thinking that its vendor wants back; the rest is not sent again. */
const readSealed = (block: JsonObject): Block[] => {
  const read = readThinking(block);
  return read === null || (read.type === "thinking" && read.seal === null) ? [] : [read];
};

function readAssistantPart(part: unknown, field: string, print: PrintInner): Block[] {
  if (!isJsonObject(part)) {
    return readPart(part, field);
  }
  if (part.type === "tool_use") {
    const call = { ...part, function: { name: part.name, arguments: part.input } };
    return withSignature(readCall(call, field, print));
  }
  if (isThinking(part)) {
    return readSealed(part);
  }
  return part.type === "reasoning" || isServerBlock(part) ? [] : readPart(part, field);
}

const sealedData = (block: Block): string | null =>
  block.type === "thinking" ? (block.seal?.data ?? null) : null;

const isSealed = ({ type }: Block): boolean => type === "thinking" || type === "redacted";

const ownId = ({ id }: CallBlock): string => readSignedToolId(id).id;

function readAssistant(message: JsonObject, field: string, { thinking, print }: Beside): Block[] {
  if (isJsonObject(message.audio)) {
    return cannotConvert(errorMessages.notConvertible(`${field}.audio`));
  }
  const blocks = mapParts(message.content ?? "", `${field}.content`, (part, at) =>
    readAssistantPart(part, at, print),
  );
  const callIds = new Set(blocks.flatMap((block) => (block.type === "call" && block.id ? [block.id] : [])));
  const calls = optionalList(message.tool_calls, `${field}.tool_calls`).map((call, index) =>
    readCall(call, `${field}.tool_calls[${index}]`, print),
  );
  const legacy = message.function_call
    ? [readCall({ function: message.function_call }, `${field}.function_call`, print)]
    : [];
  const signed = [...calls, ...legacy].filter((call) => !callIds.has(ownId(call))).flatMap(withSignature);
  // A signature that a call's identifier carried goes right before that call, so the list does not repeat it in front.
  const carried = new Set(signed.flatMap((block) => sealedData(block) ?? []));
  const handedBack = objects(message.thinking_blocks)
    .flatMap(readSealed)
    .filter((block) => !carried.has(sealedData(block) ?? ""));
  const hasThinking = handedBack.length > 0 || blocks.some(isSealed);
  const restored = hasThinking ? handedBack : calls.flatMap((call) => thinking.get(ownId(call)) ?? []);
  return [
    // At the front, wherever they were: the list does not say where in the text they belong (docs/decisions/0008).
    ...restored,
    ...(restored.length > 0 ? blocks.filter((block) => !isSealed(block)) : blocks),
    ...readTexts(optionalText(message.refusal, `${field}.refusal`)),
    // A client may send a call in both forms (litellm#23510).
    ...signed,
  ];
}

/** A tool's result may be empty; a result that is an object is kept as JSON. */
const readResult = (
  message: JsonObject,
  callId: string,
  { field, print }: { field: string; print: PrintInner },
): ResultBlock => ({
  type: "result",
  callId,
  content: isJsonObject(message.content)
    ? readTexts(print(message.content))
    : readContent(message.content ?? "", field),
  isError: message.is_error === true,
  ...readMark(message),
});

/** A mark on a message belongs on its last block. */
function markLast<Marked extends Block>(blocks: Marked[], message: JsonObject): Marked[] {
  const last = blocks.at(-1);
  return last ? [...blocks.slice(0, -1), { ...readMark(message), ...last }] : [];
}

/** The identifier of the call that a result belongs to, without the signature. */
const resultOf = (id: unknown, field: string): string => readSignedToolId(optionalText(id, field)).id;

const isResult = ({ type }: Block): boolean => type === "result";

function readUser(message: JsonObject, field: string, print: PrintInner): Block[] {
  const blocks = mapParts(message.content, `${field}.content`, (part, at) =>
    isJsonObject(part) && part.type === "tool_result"
      ? [readResult(part, resultOf(part.tool_use_id, `${at}.tool_use_id`), { field: `${at}.content`, print })]
      : readPart(part, at),
  );
  return [
    ...blocks.filter(isResult),
    ...markLast(
      blocks.filter((block) => !isResult(block)),
      message,
    ),
  ];
}

function readSystem({ content, ...message }: JsonObject, field: string): TextBlock[] {
  const blocks = readContent(content, field);
  const texts = blocks.filter((block) => block.type === "text");
  return texts.length === blocks.length
    ? markLast(texts, message)
    : cannotConvert(errorMessages.onlyText(field));
}

/** Objects of a message that become text: arguments of calls and results of tools. */
export function innerOf(message: JsonObject): unknown[] {
  const calls = [...objects(message.tool_calls).map((call) => call.function), message.function_call];
  const parts = objects(message.content).flatMap(({ input, content }) => [input, content]);
  // A list is no text: it is read part by part.
  return objects([message.content, ...objects(calls).map((called) => called.arguments), ...parts]);
}

/** Reads a chat message as a turn. Throws cannotConvert for parts that no other dialect has. */
export function readTurn(message: JsonObject, index: number, beside: Beside): Turn {
  const field = `messages[${index}]`;
  switch (message.role) {
    case "system":
    case "developer":
      return { role: "system", blocks: readSystem(message, `${field}.content`) };
    case "user":
      return { role: "user", blocks: readUser(message, field, beside.print) };
    case "assistant":
      return { role: "assistant", blocks: markLast(readAssistant(message, field, beside), message) };
    case "tool":
    case "function": {
      const callId = resultOf(message.tool_call_id, `${field}.tool_call_id`);
      return {
        role: "user",
        blocks: [readResult(message, callId, { field: `${field}.content`, print: beside.print })],
      };
    }
    default:
      return cannotConvert(errorMessages.valueNotConvertible(`${field}.role`, textOf(message.role)));
  }
}
