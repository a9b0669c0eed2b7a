import { errorMessages } from "@/server/base/error-messages";
import { cannotConvert, optionalText, requireText } from "../cannot-convert";
import { isJsonObject, type JsonObject, objects, textOf, wordOf } from "../fields";
import { printText } from "../json/print";
import { createInnerReader } from "../json/text";
import type { Block, TextBlock, Turn } from "../pivot/conversation";
import { readDocument, readFile, readImage } from "../pivot/media";
import { fromEnvelope } from "../pivot/sealed";
import { expandCompaction } from "./compaction";
import type { ClientTools } from "./tools-in";

const texts = (text: string): TextBlock[] => (text === "" ? [] : [{ type: "text", text }]);

function readFilePart(part: JsonObject, field: string): Block {
  if (typeof part.file_data === "string" && part.file_data !== "") {
    return readFile(part.file_data, part.filename, field);
  }
  return typeof part.file_url === "string" && part.file_url !== ""
    ? readDocument({ type: "url", url: part.file_url }, part.filename, field)
    : cannotConvert(errorMessages.askForFileData(`${field}.file_id`));
}

function readPart(part: JsonObject, field: string): Block[] {
  switch (part.type) {
    case "input_image":
      return typeof part.image_url === "string"
        ? [readImage(part.image_url, field, part.detail)]
        : cannotConvert(errorMessages.askForFileData(`${field}.file_id`));
    case "input_file":
      return [readFilePart(part, field)];
    case "refusal":
      return texts(requireText(part.refusal, `${field}.refusal`));
    default:
      // input_text, output_text, text, summary_text, reasoning_text.
      return typeof part.text === "string"
        ? texts(part.text)
        : cannotConvert(errorMessages.valueNotConvertible(`${field}.type`, wordOf(part.type)));
  }
}

function readContent(content: unknown, field: string): Block[] {
  if (typeof content === "string") {
    return texts(content);
  }
  return Array.isArray(content) && content.every(isJsonObject)
    ? content.flatMap((part, index) => readPart(part, `${field}[${index}]`))
    : cannotConvert(errorMessages.mustBeContent(field));
}

/** Thinking from the client's envelope; otherwise its visible text. */
function readReasoning(item: JsonObject): Block[] {
  const carried = fromEnvelope(textOf(item.encrypted_content));
  if (carried) {
    return [carried];
  }
  if (textOf(item.encrypted_content) !== "") {
    // Encrypted by another vendor, to which its summary belongs.
    return [];
  }
  const shown = [...objects(item.summary), ...objects(item.content)].map((part) => textOf(part.text));
  const text = shown.filter((each) => each !== "").join("\n\n");
  return text === "" ? [] : [{ type: "thinking", text, seal: null }];
}

function readMessage(item: JsonObject, field: string): Turn {
  const blocks = readContent(item.content ?? "", `${field}.content`);
  switch (item.role) {
    case "user":
    case "assistant":
      return { role: item.role, blocks };
    case "system":
    case "developer": {
      const texts = blocks.filter((block) => block.type === "text");
      return texts.length === blocks.length
        ? { role: "system", blocks: texts }
        : cannotConvert(errorMessages.onlyText(`${field}.content`));
    }
    default:
      return cannotConvert(errorMessages.valueNotConvertible(`${field}.role`, wordOf(item.role)));
  }
}

/** Calls of the vendor's own tools, their results, and other items without meaning for another vendor. */
const isHostedItem = (type: string): boolean =>
  /^(?:(?:web_search|file_search|image_generation|code_interpreter|computer|local_shell|shell|apply_patch|tool_search)_call(?:_output)?|tool_search_output|program(?:_output)?|mcp_\w+|additional_tools|configuration_update)$/.test(
    type,
  );

/**
 * Returns arguments as the text of an object, which every upstream can read; wraps others, such as those of a call that
 * was cut off. Throws invalidParameters for more values than a request may have.
 */
function* objectText(text: string): Generator<void, string> {
  return text.trim() === "" || (yield* createInnerReader()(text)) !== null
    ? text || "{}"
    : yield* printText({ _raw: text });
}

function* readItem(item: JsonObject, field: string, tools: ClientTools): Generator<void, Turn | null> {
  const type = textOf(item.type) || "message";
  switch (type) {
    case "message":
      return readMessage(item, field);
    case "reasoning":
      return { role: "assistant", blocks: readReasoning(item) };
    case "function_call":
    case "custom_tool_call": {
      const name = requireText(item.name, `${field}.name`);
      const argumentText =
        type === "function_call"
          ? yield* objectText(optionalText(item.arguments, `${field}.arguments`))
          : yield* printText({ input: optionalText(item.input, `${field}.input`) });
      const id = optionalText(item.call_id, `${field}.call_id`);
      const called = tools.nameOf(name, textOf(item.namespace) || null);
      return { role: "assistant", blocks: [{ type: "call", id, name: called, arguments: argumentText }] };
    }
    case "function_call_output":
    case "custom_tool_call_output": {
      const callId = optionalText(item.call_id, `${field}.call_id`);
      const content = readContent(item.output ?? "", `${field}.output`);
      return { role: "user", blocks: [{ type: "result", callId, content, isError: false }] };
    }
    default:
      return isHostedItem(type)
        ? null
        : cannotConvert(errorMessages.valueNotConvertible(`${field}.type`, wordOf(item.type)));
  }
}

const isText = (block: Block | undefined): boolean => block?.type === "text";

/**
 * Reads items as turns: consecutive thinking, texts and calls of the assistant are one turn, and so are consecutive
 * results of the user. Throws cannotConvert for items that no other dialect has.
 */
export function* readItems(items: JsonObject[], tools: ClientTools): Generator<void, Turn[]> {
  const turns: Turn[] = [];
  for (const [index, item] of items.entries()) {
    const turn = yield* readItem(expandCompaction(item), `input[${index}]`, tools);
    yield;
    const last = turns.at(-1);
    if (turn === null) {
      continue;
    }
    if (turn.role === "system" || last === undefined || last.role === "system" || last.role !== turn.role) {
      turns.push(turn.role === "system" ? turn : { role: turn.role, blocks: [...turn.blocks] });
      continue;
    }
    if (isText(last.blocks.at(-1)) && isText(turn.blocks[0])) {
      // Two items are two texts, although some dialects have only one.
      last.blocks.push({ type: "text", text: "\n\n" });
    }
    for (const block of turn.blocks) {
      last.blocks.push(block);
    }
  }
  return turns;
}
