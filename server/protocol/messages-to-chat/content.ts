import { details } from "@/server/base/details";
import { GatewayError } from "@/server/base/errors";
import { isServerBlock } from "../block-kinds";
import { cannotConvert, optionalList, optionalText, requireText } from "../cannot-convert";
import type { Capabilities } from "../capabilities";
import { isJsonObject, type JsonObject, wordOf } from "../fields";
import type { ToolNames } from "../tool-names";

/** What a conversation is translated for. */
export type Target = { capabilities: Capabilities; names: ToolNames };

type TextPart = { type: "text"; text: string };

/** A part of a chat user message. */
export type Part =
  | TextPart
  | { type: "image_url"; image_url: { url: string } }
  | { type: "file"; file: { filename: string; file_data: string } };

/** No block at all of what says nothing: upstreams refuse empty text (claude-code-router#4). */
export const textParts = (text: string): TextPart[] => (text !== "" ? [{ type: "text", text }] : []);

const joinLines = (lines: string[]): string => lines.filter((line) => line !== "").join("\n");

function imagePart(source: unknown, { images }: Capabilities): Part {
  if (images === "none") {
    throw new GatewayError("cannotConvert", details.noImages("messages: image"));
  }
  const { type, media_type, data, url } = isJsonObject(source) ? source : {};
  if (type === "base64" && typeof media_type === "string" && typeof data === "string") {
    return { type: "image_url", image_url: { url: `data:${media_type};base64,${data}` } };
  }
  if (type === "url" && typeof url === "string" && images === "url") {
    return { type: "image_url", image_url: { url } };
  }
  throw new GatewayError("cannotConvert", details.noSource("image", wordOf(type)));
}

function searchResultText(block: JsonObject): string {
  const texts = optionalList(block.content, "messages: search_result.content").map(textOfBlock);
  const title = optionalText(block.title, "messages: search_result.title");
  const source = optionalText(block.source, "messages: search_result.source");
  return joinLines([title, source, ...texts]);
}

function documentParts(block: JsonObject, target: Target): Part[] {
  const source = isJsonObject(block.source) ? block.source : {};
  const title = optionalText(block.title, "messages: document.title");
  const context = optionalText(block.context, "messages: document.context");
  const heading = joinLines([title, context]);
  if (source.type === "text") {
    return textParts(joinLines([heading, requireText(source.data, "messages: document.source.data")]));
  }
  if (source.type === "content") {
    const inner = blocksOf(source.content, "messages: document.source.content");
    return [...textParts(heading), ...inner.flatMap((part) => toParts(part, target))];
  }
  const isPdf = source.type === "base64" && source.media_type === "application/pdf";
  if (isPdf && typeof source.data === "string" && target.capabilities.documents) {
    const file = {
      filename: title || "document.pdf",
      file_data: `data:application/pdf;base64,${source.data}`,
    };
    return [...textParts(context), { type: "file", file }];
  }
  throw new GatewayError("cannotConvert", details.noSource("document", wordOf(source.type)));
}

/** A block that a user may send, or a tool. Throws cannotConvert for one that this upstream cannot be shown. */
export function toParts(block: JsonObject, target: Target): Part[] {
  switch (block.type) {
    case "text":
      return textParts(textOfBlock(block));
    case "image":
      return [imagePart(block.source, target.capabilities)];
    case "document":
      return documentParts(block, target);
    case "search_result":
      return textParts(searchResultText(block));
    case "tool_reference": {
      const name = requireText(block.tool_name, "messages: tool_reference.tool_name");
      return textParts(target.names.toUpstream(name));
    }
  }
  if (isServerBlock(block)) {
    return [];
  }
  throw new GatewayError("cannotConvert", details.noBlock("messages", wordOf(block.type)));
}

/** What a `text` block says. Throws cannotConvert for no text. */
export const textOfBlock = (block: JsonObject): string => requireText(block.text, "messages: text.text");

/**
 * The blocks of a content, a string or a list; none for none. `field`: where it stands. Throws cannotConvert for
 * others.
 */
export function blocksOf(content: unknown, field = "messages: content"): JsonObject[] {
  const given = typeof content === "string" ? textParts(content) : (content ?? []);
  return Array.isArray(given) && given.every(isJsonObject)
    ? given
    : cannotConvert(details.mustBeContent(field));
}

/** One string where there is only text: some upstreams take nothing else. */
export function toContent(parts: Part[]): string | Part[] {
  const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  return texts.length === parts.length ? texts.join("\n\n") : parts;
}
