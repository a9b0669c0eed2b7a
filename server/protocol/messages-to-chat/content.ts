import { GatewayError } from "@/server/errors";
import type { Capabilities } from "../capabilities";
import { type Fields, isFields, objects } from "../fields";
import type { ToolNames } from "../tool-names";

/** What a conversation is translated for. */
export type Target = { capabilities: Capabilities; names: ToolNames };

type TextPart = { type: "text"; text: string };

/** A part of a chat user message. */
export type Part =
  | TextPart
  | { type: "image_url"; image_url: { url: string } }
  | { type: "file"; file: { filename: string; file_data: string } };

/** Blocks of tools that the vendor ran itself: no other vendor can read them. */
const isServerBlock = (block: Fields): boolean =>
  /^(server_tool_use|mcp_tool_use|fallback|.+_tool_result)$/.test(String(block.type));

/** No block at all of what says nothing: upstreams refuse empty text (claude-code-router#4). */
export const textParts = (text: unknown): TextPart[] =>
  typeof text === "string" && text !== "" ? [{ type: "text", text }] : [];

/** Lines of which some may be missing. */
const joinLines = (lines: unknown[]): string =>
  lines.filter((line) => typeof line === "string" && line !== "").join("\n");

function imagePart(source: unknown, { images }: Capabilities): Part {
  if (images === "none") {
    throw new GatewayError("cannotConvert", "messages: 该模型不支持图片 (image)");
  }
  const { type, media_type, data, url } = isFields(source) ? source : {};
  if (type === "base64" && typeof media_type === "string" && typeof data === "string") {
    return { type: "image_url", image_url: { url: `data:${media_type};base64,${data}` } };
  }
  if (type === "url" && typeof url === "string" && images === "url") {
    return { type: "image_url", image_url: { url } };
  }
  throw new GatewayError(
    "cannotConvert",
    `messages: 该模型不支持 image.source.type 为 ${String(type)} 的图片`,
  );
}

function documentParts(block: Fields, target: Target): Part[] {
  const source = isFields(block.source) ? block.source : {};
  const heading = joinLines([block.title, block.context]);
  if (source.type === "text") {
    return textParts(joinLines([heading, source.data]));
  }
  if (source.type === "content") {
    const inner =
      typeof source.content === "string"
        ? textParts(source.content)
        : objects(source.content).flatMap((part) => toParts(part, target));
    return [...textParts(heading), ...inner];
  }
  const isPdf = source.type === "base64" && source.media_type === "application/pdf";
  if (isPdf && typeof source.data === "string" && target.capabilities.documents) {
    const filename = typeof block.title === "string" && block.title !== "" ? block.title : "document.pdf";
    const file = { filename, file_data: `data:application/pdf;base64,${source.data}` };
    return [...textParts(block.context), { type: "file", file }];
  }
  throw new GatewayError(
    "cannotConvert",
    `messages: 该模型不支持 document.source.type 为 ${String(source.type)} 的文档`,
  );
}

/** A block that a user may send, or a tool. Throws cannotConvert for one that this upstream cannot be shown. */
export function toParts(block: Fields, target: Target): Part[] {
  switch (block.type) {
    case "text":
      return textParts(block.text);
    case "image":
      return [imagePart(block.source, target.capabilities)];
    case "document":
      return documentParts(block, target);
    case "search_result": {
      const texts = objects(block.content).map((inner) => inner.text);
      return textParts(joinLines([block.title, block.source, ...texts]));
    }
    case "tool_reference":
      return textParts(target.names.toUpstream(String(block.tool_name)));
  }
  if (isServerBlock(block)) {
    return [];
  }
  throw new GatewayError("cannotConvert", `messages: 该模型不支持 ${String(block.type)} 内容块`);
}

/** The blocks of a message, of either form. */
export const blocksOf = (content: unknown): Fields[] =>
  typeof content === "string" ? textParts(content) : objects(content);

/** One string where there is only text: some upstreams take nothing else. */
export function toContent(parts: Part[]): string | Part[] {
  const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  return texts.length === parts.length ? texts.join("\n\n") : parts;
}
