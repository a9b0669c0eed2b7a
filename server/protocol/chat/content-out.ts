import { errorMessages } from "@/server/base/error-messages";
import { cannotConvert } from "../cannot-convert";
import type { Capabilities } from "../capabilities";
import type { Block, DocumentBlock, ImageBlock } from "../pivot/conversation";
import type { ToolNames } from "../tools/tool-names";

/** The upstream model that a conversation is written for, and its tool names. */
export type ModelTarget = { capabilities: Capabilities; names: ToolNames };

type TextPart = { type: "text"; text: string };

/** A part of a chat user message. */
export type ChatPart =
  | TextPart
  | { type: "image_url"; image_url: { url: string; detail?: "low" | "high" } }
  | { type: "file"; file: { filename: string; file_data: string } };

/** Empty text gives no part: upstreams refuse it (claude-code-router#4). */
export const textParts = (text: string): TextPart[] => (text !== "" ? [{ type: "text", text }] : []);

const joinLines = (lines: string[]): string => lines.filter((line) => line !== "").join("\n");

function imagePart({ source, field, detail: detailLevel }: ImageBlock, { images }: Capabilities): ChatPart {
  if (images === "none") {
    return cannotConvert(errorMessages.noImages(field));
  }
  // The dialect has no word for a picture in its original size.
  const detail = detailLevel && { detail: detailLevel === "low" ? ("low" as const) : ("high" as const) };
  if (source.type === "base64") {
    const url = `data:${source.mediaType};base64,${source.data}`;
    return { type: "image_url", image_url: { url, ...detail } };
  }
  return images === "url"
    ? { type: "image_url", image_url: { url: source.url, ...detail } }
    : cannotConvert(errorMessages.noSource("image", source.type));
}

function documentParts({ source, title, context }: DocumentBlock, target: ModelTarget): ChatPart[] {
  const heading = joinLines([title, context]);
  if (source.type === "text") {
    return textParts(joinLines([heading, source.text]));
  }
  if (source.type === "content") {
    return [...textParts(heading), ...source.blocks.flatMap((block) => toParts(block, target))];
  }
  const isPdf = source.type === "base64" && source.mediaType === "application/pdf";
  if (isPdf && target.capabilities.documents) {
    const file = {
      filename: title || "document.pdf",
      file_data: `data:application/pdf;base64,${source.data}`,
    };
    return [...textParts(context), { type: "file", file }];
  }
  return cannotConvert(
    errorMessages.noSource("document", source.type === "other" ? source.name : source.type),
  );
}

/** Converts content of a user or a tool. Throws cannotConvert for content that this upstream cannot take. */
export function toParts(block: Block, target: ModelTarget): ChatPart[] {
  switch (block.type) {
    case "text":
      return textParts(block.text);
    case "image":
      return [imagePart(block, target.capabilities)];
    case "document":
      return documentParts(block, target);
    case "tool_name":
      return textParts(target.names.toUpstream(block.name));
    default:
      return [];
  }
}

/** Returns one string if all parts are text: some upstreams take nothing else. */
export function toContent(parts: ChatPart[]): string | ChatPart[] {
  const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  return texts.length === parts.length ? texts.join("\n\n") : parts;
}
