import { errorMessages } from "@/server/base/error-messages";
import { isServerBlock } from "../block-kinds";
import { cannotConvert, optionalFields, optionalList, optionalText, requireText } from "../cannot-convert";
import { isJsonObject, type JsonObject, objects, wordOf } from "../fields";
import type { PrintInner } from "../json/print";
import type { Block, CallBlock, DocumentBlock, ImageBlock, TextBlock } from "../pivot/conversation";
import { BILLING_LINE } from "../prompt-prefix";
import { readThinking } from "../signed-thinking";

const joinLines = (lines: string[]): string => lines.filter((line) => line !== "").join("\n");

/** Reads a `text` block. Throws cannotConvert if it has no text. */
const readText = (block: JsonObject): TextBlock => ({
  type: "text",
  text: requireText(block.text, "messages: text.text"),
});

/**
 * The blocks of a content: a string or a list; a missing content has none. `field`: its name for errors. Throws
 * cannotConvert for anything else.
 */
function listBlocks(content: unknown, field = "messages: content"): JsonObject[] {
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : (content ?? []);
  return Array.isArray(blocks) && blocks.every(isJsonObject)
    ? blocks
    : cannotConvert(errorMessages.mustBeContent(field));
}

function readImage({ source }: JsonObject): ImageBlock {
  const { type, media_type, data, url } = isJsonObject(source) ? source : {};
  const field = "messages: image";
  if (type === "base64" && typeof media_type === "string" && typeof data === "string") {
    return { type: "image", source: { type, mediaType: media_type, data }, field };
  }
  return type === "url" && typeof url === "string"
    ? { type: "image", source: { type, url }, field }
    : cannotConvert(errorMessages.noSource("image", wordOf(type)));
}

function readSource(source: JsonObject): DocumentBlock["source"] {
  const { type, media_type, data, url } = source;
  if (type === "text") {
    return { type, text: requireText(data, "messages: document.source.data") };
  }
  if (type === "content") {
    const inner = listBlocks(source.content, "messages: document.source.content");
    return { type, blocks: inner.flatMap(readShown) };
  }
  if (type === "base64" && typeof media_type === "string" && typeof data === "string") {
    return { type, mediaType: media_type, data };
  }
  return type === "url" && typeof url === "string" ? { type, url } : { type: "other", name: wordOf(type) };
}

const readDocument = (block: JsonObject): DocumentBlock => ({
  type: "document",
  source: readSource(isJsonObject(block.source) ? block.source : {}),
  title: optionalText(block.title, "messages: document.title"),
  context: optionalText(block.context, "messages: document.context"),
  field: "messages: document",
});

function readSearchResult(block: JsonObject): TextBlock {
  const texts = optionalList(block.content, "messages: search_result.content").map(
    (inner) => readText(inner).text,
  );
  const title = optionalText(block.title, "messages: search_result.title");
  const source = optionalText(block.source, "messages: search_result.source");
  return { type: "text", text: joinLines([title, source, ...texts]) };
}

/** Reads a block of a user or a tool. Returns none for work of the vendor's own tools. */
function readShown(block: JsonObject): Block[] {
  switch (block.type) {
    case "text":
      return [readText(block)];
    case "image":
      return [readImage(block)];
    case "document":
      return [readDocument(block)];
    case "search_result":
      return [readSearchResult(block)];
    case "tool_reference":
      return [
        {
          type: "tool_name",
          name: requireText(block.tool_name, "messages: tool_reference.tool_name"),
        },
      ];
    default:
      return isServerBlock(block) ? [] : cannotConvert(errorMessages.noBlock("messages", wordOf(block.type)));
  }
}

export const readUserBlocks = (content: unknown): Block[] =>
  listBlocks(content).flatMap((block): Block[] => {
    if (block.type !== "tool_result") {
      return readShown(block);
    }
    const inner = listBlocks(block.content, "messages: tool_result.content");
    return [
      {
        type: "result",
        callId: optionalText(block.tool_use_id, "messages: tool_result.tool_use_id"),
        content: inner.flatMap(readShown),
        isError: block.is_error === true,
      },
    ];
  });

function readCall(block: JsonObject, print: PrintInner): CallBlock {
  if (typeof block.id !== "string" || block.id === "") {
    return cannotConvert(errorMessages.mustBeNonEmptyText("messages: tool_use.id"));
  }
  const name = requireText(block.name, "messages: tool_use.name");
  const input = optionalFields(block.input, "messages: tool_use.input");
  return { type: "call", id: block.id, name, arguments: print(input) };
}

/** Objects of a content that become text. */
export const inputsIn = (content: unknown): unknown[] => objects(content).map(({ input }) => input);

/** Drops work of the vendor's own tools; throws cannotConvert for any other block that would be lost. */
export const readAssistantBlocks = (content: unknown, print: PrintInner): Block[] =>
  listBlocks(content).flatMap((block): Block[] => {
    switch (block.type) {
      case "text":
        return [readText(block)];
      case "thinking":
        requireText(block.thinking ?? "", "messages: thinking.thinking");
        return [readThinking(block)].filter((read) => read !== null);
      case "redacted_thinking":
        return [readThinking(block)].filter((read) => read !== null);
      case "tool_use":
        return [readCall(block, print)];
      default:
        return readShown(block).length === 0
          ? []
          : cannotConvert(errorMessages.noBlock("messages: assistant", wordOf(block.type)));
    }
  });

/** System text, at the start or between the turns. Throws cannotConvert for anything else. */
export const readSystem = (content: unknown): TextBlock[] =>
  listBlocks(content, "system").map((block) =>
    block.type === "text"
      ? { type: "text", text: readText(block).text.replace(BILLING_LINE, "") }
      : cannotConvert(errorMessages.noBlock("system", wordOf(block.type))),
  );
