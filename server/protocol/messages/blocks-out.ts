import { errorMessages } from "@/server/base/error-messages";
import { cannotConvert } from "../cannot-convert";
import type { Capabilities } from "../capabilities";
import type { JsonObject } from "../fields";
import type { Block, CallBlock, DocumentBlock, ImageBlock, ResultBlock } from "../pivot/conversation";
import { writeThinking } from "../signed-thinking";

export type MediaSupport = Pick<Capabilities, "images" | "documents">;

export const writeMark = (from: object): JsonObject =>
  "mark" in from && from.mark ? { cache_control: from.mark } : {};

/** No block for blank text: the messages dialect refuses one (claude-code-router#4). */
export const textBlocks = (text: string): JsonObject[] =>
  text.trim() === "" ? [] : [{ type: "text", text }];

const imageTypes = new Set(["image/jpeg", "image/png", "image/gif", "image/webp"]);

function writeImage(
  { source, field }: Pick<ImageBlock, "source" | "field">,
  { images }: MediaSupport,
): JsonObject {
  if (images === "none") {
    return cannotConvert(errorMessages.noImages(field));
  }
  if (source.type === "url") {
    // The upstream fetches it; the gateway never does (litellm#16760).
    return images === "url"
      ? { type: "image", source: { type: "url", url: source.url } }
      : cannotConvert(errorMessages.noImageAddresses(field));
  }
  return imageTypes.has(source.mediaType)
    ? { type: "image", source: { type: "base64", media_type: source.mediaType, data: source.data } }
    : cannotConvert(errorMessages.imageForm(field));
}

function writeDocument(
  { source, title: name, context, field }: DocumentBlock,
  takes: MediaSupport,
): JsonObject[] {
  const title = { ...(name !== "" && { title: name }), ...(context !== "" && { context }) };
  if (source.type === "text") {
    if (!takes.documents || source.text.trim() === "") {
      return textBlocks(source.text).length === 0
        ? []
        : textBlocks([name, source.text].filter(Boolean).join("\n\n"));
    }
    return [
      { type: "document", source: { type: "text", media_type: "text/plain", data: source.text }, ...title },
    ];
  }
  if (source.type === "content") {
    return [...textBlocks(name), ...source.blocks.flatMap((block) => writeShown(block, takes))];
  }
  if (source.type === "other") {
    return cannotConvert(errorMessages.fileForm(field));
  }
  if (source.type === "base64" && source.mediaType !== "application/pdf") {
    return cannotConvert(errorMessages.fileType(field, source.mediaType));
  }
  if (!takes.documents) {
    return cannotConvert(errorMessages.noDocuments(field));
  }
  const written =
    source.type === "url" ? source : { type: source.type, media_type: source.mediaType, data: source.data };
  return [{ type: "document", source: written, ...title }];
}

function writeUnmarked(block: Block, takes: MediaSupport): JsonObject[] {
  switch (block.type) {
    case "text":
      return textBlocks(block.text);
    case "image":
      return [writeImage(block, takes)];
    case "document":
      return writeDocument(block, takes);
    case "tool_name":
      return textBlocks(block.name);
    default:
      return [];
  }
}

/** Writes a block of a user or a tool. Throws cannotConvert for content that this upstream cannot take. */
export const writeShown = (block: Block, takes: MediaSupport): JsonObject[] =>
  writeUnmarked(block, takes).map((written) => ({ ...written, ...writeMark(block) }));

/** A `tool_result` block without its identifier. */
export function writeResult(block: ResultBlock, takes: MediaSupport): JsonObject {
  const content = block.content.flatMap((inner) => writeShown(inner, takes));
  const [only] = content;
  const isBare = content.length === 1 && only?.type === "text" && only.cache_control === undefined;
  return {
    type: "tool_result",
    ...(content.length > 0 && { content: isBare ? only.text : content }),
    ...(block.isError && { is_error: true }),
    ...writeMark(block),
  };
}

/**
 * A `tool_use` block; also for a call whose arguments are no JSON object: without its call, a result would be an
 * orphan.
 */
const writeCall = (call: CallBlock, input: JsonObject | undefined): JsonObject => ({
  ...{ type: "tool_use", id: call.id, name: call.name, input: input ?? {} },
  ...writeMark(call),
});

/** Writes the assistant's blocks without other vendors' thinking, which the vendor would refuse (CLIProxyAPI#1584). */
export function writeSaid(
  block: Block,
  { takes, inputs }: { takes: MediaSupport; inputs: ReadonlyMap<CallBlock, JsonObject> },
): JsonObject[] {
  switch (block.type) {
    case "call":
      return [writeCall(block, inputs.get(block))];
    case "thinking":
      return block.seal?.origin === "anthropic" ? [writeThinking(block)] : [];
    case "redacted":
      return [writeThinking(block)];
    default:
      return writeShown(block, takes);
  }
}
