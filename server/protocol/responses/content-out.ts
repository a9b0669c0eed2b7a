import { errorMessages } from "@/server/base/error-messages";
import { cannotConvert } from "../cannot-convert";
import type { Capabilities } from "../capabilities";
import type { Block, Detail, DocumentBlock, ImageBlock } from "../pivot/conversation";
import type { ToolNames } from "../tools/tool-names";

/** The upstream model that a conversation is written for, and its tool names. */
export type ModelTarget = { capabilities: Capabilities; names: ToolNames };

/** A part of a user's message or a tool's result. */
export type InputPart =
  | { type: "input_text"; text: string }
  | { type: "input_image"; image_url: string; detail: Detail | "auto" }
  | { type: "input_file"; filename: string; file_data: string }
  | { type: "input_file"; file_url: string };

/** An empty text gives no part. */
export const textParts = (text: string): InputPart[] => (text === "" ? [] : [{ type: "input_text", text }]);

const joinLines = (lines: string[]): string => lines.filter((line) => line !== "").join("\n");

function imagePart({ source, field, detail: detailLevel }: ImageBlock, { images }: Capabilities): InputPart {
  const detail = detailLevel ?? "auto";
  if (images === "none") {
    return cannotConvert(errorMessages.noImages(field));
  }
  if (source.type === "base64") {
    const image_url = `data:${source.mediaType};base64,${source.data}`;
    return { type: "input_image", image_url, detail };
  }
  return images === "url"
    ? { type: "input_image", image_url: source.url, detail }
    : cannotConvert(errorMessages.noSource("image", source.type));
}

function documentParts({ source, title, context }: DocumentBlock, target: ModelTarget): InputPart[] {
  const heading = joinLines([title, context]);
  const { documents } = target.capabilities;
  if (source.type === "text") {
    return textParts(joinLines([heading, source.text]));
  }
  if (source.type === "content") {
    return [...textParts(heading), ...source.blocks.flatMap((block) => toParts(block, target))];
  }
  if (source.type === "base64" && source.mediaType === "application/pdf" && documents) {
    const file_data = `data:application/pdf;base64,${source.data}`;
    return [...textParts(context), { type: "input_file", filename: title || "document.pdf", file_data }];
  }
  if (source.type === "url" && documents) {
    return [...textParts(heading), { type: "input_file", file_url: source.url }];
  }
  return cannotConvert(
    errorMessages.noSource("document", source.type === "other" ? source.name : source.type),
  );
}

/** Converts content of a user or a tool. Throws cannotConvert for content that this upstream cannot take. */
export function toParts(block: Block, target: ModelTarget): InputPart[] {
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

/** Returns one string if all parts are text: some upstreams take nothing else as a tool's result. */
export function toContent(parts: InputPart[], separator: string): string | InputPart[] {
  const texts = parts.flatMap((part) => (part.type === "input_text" ? [part.text] : []));
  return texts.length === parts.length ? texts.join(separator) : parts;
}
