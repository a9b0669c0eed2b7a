import { errorMessages } from "@/server/base/error-messages";
import { mapInSteps } from "@/server/base/turns";
import { cannotConvert } from "../cannot-convert";
import type { Capabilities } from "../capabilities";
import type { JsonObject } from "../fields";
import type {
  Block,
  CallBlock,
  Conversation,
  DocumentBlock,
  ImageBlock,
  ResultBlock,
  Turn,
} from "../pivot/conversation";
import { blocksOf, pairResults, type RoundResults, splitRounds } from "../pivot/rounds";
import { readInputs } from "../tools/call-arguments";
import type { ToolNames } from "../tools/tool-names";
import { NO_SIGNATURE } from "./signatures";

/** The upstream model that a conversation is written for, and its tool names. */
export type GeminiTarget = { capabilities: Capabilities; names: ToolNames };

/** The arguments of each call. */
type CallArguments = ReadonlyMap<CallBlock, JsonObject>;

const text = (content: string): JsonObject[] => (content === "" ? [] : [{ text: content }]);

/** Google fetches the address, and takes no other kind of address (ai.google.dev, file input methods). */
const isPublic = (url: string): boolean => /^https:\/\//i.test(url) && URL.canParse(url);

const imageTypes: Record<string, string> = {
  ...{ png: "image/png", webp: "image/webp", heic: "image/heic", heif: "image/heif", gif: "image/gif" },
  ...{ bmp: "image/bmp", avif: "image/avif" },
};

/**
 * The type by the extension of the path, since the gateway does not fetch the file. Most files without one are JPEG.
 */
function imageType(url: string): string {
  const [, ending = ""] = /\.(\w{1,8})$/.exec(new URL(url).pathname) ?? [];
  const type = ending.toLowerCase();
  return (Object.hasOwn(imageTypes, type) && imageTypes[type]) || "image/jpeg";
}

function imagePart({ source, field }: ImageBlock, { images }: Capabilities): JsonObject {
  if (images === "none") {
    return cannotConvert(errorMessages.noImages(field));
  }
  if (source.type === "base64") {
    return { inlineData: { mimeType: source.mediaType, data: source.data } };
  }
  return images === "url" && isPublic(source.url)
    ? { fileData: { fileUri: source.url, mimeType: imageType(source.url) } }
    : cannotConvert(errorMessages.noImageAddresses(field));
}

function documentParts({ source, title, context, field }: DocumentBlock, target: GeminiTarget): JsonObject[] {
  const heading = [title, context].filter((line) => line !== "").join("\n");
  switch (source.type) {
    case "text":
      return text([heading, source.text].filter((line) => line !== "").join("\n"));
    case "content":
      return [...text(heading), ...source.blocks.flatMap((block) => toParts(block, target))];
    case "base64":
      return target.capabilities.documents
        ? [...text(heading), { inlineData: { mimeType: source.mediaType, data: source.data } }]
        : cannotConvert(errorMessages.noDocuments(field));
    case "url":
      // Among document types, models read PDF.
      return target.capabilities.documents && target.capabilities.images === "url" && isPublic(source.url)
        ? [...text(heading), { fileData: { fileUri: source.url, mimeType: "application/pdf" } }]
        : cannotConvert(errorMessages.fileForm(field));
    default:
      return cannotConvert(errorMessages.fileForm(field));
  }
}

/** Converts content of a user or a tool. Throws cannotConvert for content that this upstream cannot take. */
function toParts(block: Block, target: GeminiTarget): JsonObject[] {
  switch (block.type) {
    case "text":
      return text(block.text);
    case "image":
      return [imagePart(block, target.capabilities)];
    case "document":
      return documentParts(block, target);
    case "tool_name":
      return text(target.names.toUpstream(block.name));
    default:
      return [];
  }
}

type NamedCall = { id: string; name: string };

/** The model's text and calls, with each signature on the part that it belongs to. */
function toSaidParts(
  blocks: Block[],
  inputs: CallArguments,
  target: GeminiTarget,
): { parts: JsonObject[]; calls: NamedCall[] } {
  const parts: JsonObject[] = [];
  const calls: NamedCall[] = [];
  let signature = "";
  const signed = (part: JsonObject): JsonObject => {
    const carried = signature === "" ? part : { ...part, thoughtSignature: signature };
    signature = "";
    return carried;
  };
  for (const block of blocks) {
    if (block.type === "thinking") {
      if (block.seal?.origin === "google") {
        // Two signatures in a row: the first belongs to the text before it.
        parts.push(...(signature === "" ? [] : [signed({ text: "" })]));
        signature = block.seal.data;
      }
    } else if (block.type === "text" && block.text !== "") {
      const last = parts.at(-1);
      const isMore = signature === "" && typeof last?.text === "string" && !last.thoughtSignature;
      parts.splice(isMore ? -1 : parts.length, isMore ? 1 : 0, {
        ...(isMore ? last : signed({})),
        text: `${isMore ? last?.text : ""}${block.text}`,
      });
    } else if (block.type === "call") {
      const name = target.names.toUpstream(block.name);
      // Gemini 3 refuses a step whose first call is unsigned.
      if (signature === "" && calls.length === 0 && target.capabilities.signsToolCalls) {
        signature = NO_SIGNATURE;
      }
      calls.push({ id: block.id, name });
      parts.push(signed({ functionCall: { name, args: inputs.get(block) ?? {} } }));
    }
  }
  if (signature !== "" && parts.length > 0) {
    parts.push(signed({ text: "" }));
  }
  return { parts, calls };
}

const isText = (part: JsonObject): boolean => typeof part.text === "string";

/** Splits a tool's result into its text and its media. */
function writeResult(
  block: ResultBlock,
  target: GeminiTarget,
): { response: JsonObject; shown: JsonObject[] } {
  const parts = block.content.flatMap((inner) => toParts(inner, target));
  const words = parts.filter(isText).map((part) => part.text);
  return {
    response: { [block.isError ? "error" : "output"]: words.join("\n") },
    shown: parts.filter((part) => !isText(part)),
  };
}

/** Writes as many results as calls, in the calls' order: Google refuses any other number (vscode#299295). */
function* toResultParts(calls: NamedCall[], replies: Turn[], target: GeminiTarget) {
  const results = pairResults(
    calls.map(({ id }) => id),
    replies,
  );
  const shown: JsonObject[] = [];
  const parts = yield* mapInSteps(calls, ({ name }, place): JsonObject => {
    const block = results.ofCalls[place];
    const written = block && writeResult(block, target);
    shown.push(...(written?.shown ?? []));
    return { functionResponse: { name, response: written?.response ?? { error: "(no result)" } } };
  });
  return { parts: [...parts, ...shown], results };
}

/** The parts other than the results of calls. A result without a call becomes the user's text. */
function toReplyParts(
  { role, blocks }: Turn,
  { isPaired }: RoundResults,
  target: GeminiTarget,
): JsonObject[] {
  if (role === "system") {
    const reminder = blocks.map((block) => block.text).join("\n\n");
    return text(reminder === "" ? "" : `<system-reminder>\n${reminder}\n</system-reminder>`);
  }
  return blocks.flatMap((block) => {
    if (block.type !== "result") {
      return toParts(block, target);
    }
    const { response, shown } = isPaired(block) ? { response: {}, shown: [] } : writeResult(block, target);
    const words = Object.values(response).map(String);
    return words.length === 0 ? [] : [...text(`[tool_result] ${words.join("")}`), ...shown];
  });
}

/** Writes a conversation's turns as contents. Throws cannotConvert for content that the upstream cannot take. */
export function* toContents({ turns }: Conversation, target: GeminiTarget): Generator<void, JsonObject[]> {
  const inputs = yield* readInputs(turns);
  const rounds: { role: string; parts: JsonObject[] }[][] = [];
  for (const round of splitRounds(turns)) {
    const { parts, calls } = toSaidParts(blocksOf(round.turns), inputs, target);
    const answered = yield* toResultParts(calls, round.replies, target);
    const replied = yield* mapInSteps(round.replies, (reply) =>
      toReplyParts(reply, answered.results, target),
    );
    rounds.push([
      { role: "model", parts },
      { role: "user", parts: [...answered.parts, ...replied.flat()] },
    ]);
    yield;
  }
  const contents = rounds.flat().filter(({ parts }) => parts.length > 0);
  if (contents.length === 0) {
    return cannotConvert(errorMessages.noContent());
  }
  // A conversation must start with the user.
  return contents[0]?.role === "user" ? contents : [{ role: "user", parts: [{ text: "..." }] }, ...contents];
}
