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
import { readInputs } from "../tools/call-arguments";
import type { ToolNames } from "../tools/tool-names";
import { NO_SIGNATURE } from "./signatures";

/** The upstream model that a conversation is written for, and its tool names. */
export type GeminiTarget = { capabilities: Capabilities; names: ToolNames };

/** The arguments of each call. */
type CallArguments = ReadonlyMap<CallBlock, JsonObject>;

/** The assistant's turns, and all turns up to its next one. */
type AssistantRound = { blocks: Block[]; replies: Turn[] };

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

function splitRounds(turns: Turn[]): AssistantRound[] {
  let round: AssistantRound = { blocks: [], replies: [] };
  const rounds = [round];
  for (const turn of turns) {
    if (turn.role !== "assistant") {
      round.replies.push(turn);
      continue;
    }
    if (round.replies.length > 0) {
      round = { blocks: [], replies: [] };
      rounds.push(round);
    }
    for (const block of turn.blocks) {
      round.blocks.push(block);
    }
  }
  return rounds;
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

/** The results of a round, grouped by call. Each group is in reverse order, so that `pop` takes the first. */
function groupResults(replies: Turn[]): Map<string, ResultBlock[]> {
  const groups = new Map<string, ResultBlock[]>();
  for (const block of replies.flatMap((turn): Block[] => turn.blocks).reverse()) {
    if (block.type === "result") {
      const group = groups.get(block.callId) ?? [];
      groups.set(block.callId, group);
      group.push(block);
    }
  }
  return groups;
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
  const results = groupResults(replies);
  const answers = new Set<Block>();
  const shown: JsonObject[] = [];
  const unanswered = calls.filter(({ id }) => !results.has(id));
  const parts = yield* mapInSteps(calls, (call): JsonObject => {
    const sole = unanswered.length === 1 && unanswered[0] === call;
    const block = results.get(call.id)?.pop() ?? (sole ? results.get("")?.pop() : undefined);
    const written = block && writeResult(block, target);
    if (block && written) {
      answers.add(block);
      shown.push(...written.shown);
    }
    return {
      functionResponse: { name: call.name, response: written?.response ?? { error: "(no result)" } },
    };
  });
  return { parts: [...parts, ...shown], answers };
}

/** The parts other than the results in `answers`. A result without a call becomes the user's text. */
function toReplyParts({ role, blocks }: Turn, answers: Set<Block>, target: GeminiTarget): JsonObject[] {
  if (role === "system") {
    const reminder = blocks.map((block) => block.text).join("\n\n");
    return text(reminder === "" ? "" : `<system-reminder>\n${reminder}\n</system-reminder>`);
  }
  return blocks.flatMap((block) => {
    if (block.type !== "result") {
      return toParts(block, target);
    }
    const { response, shown } = answers.has(block) ? { response: {}, shown: [] } : writeResult(block, target);
    const words = Object.values(response).map(String);
    return words.length === 0 ? [] : [...text(`[tool_result] ${words.join("")}`), ...shown];
  });
}

/** Writes a conversation's turns as contents. Throws cannotConvert for content that the upstream cannot take. */
export function* toContents({ turns }: Conversation, target: GeminiTarget): Generator<void, JsonObject[]> {
  const inputs = yield* readInputs(turns);
  const rounds: { role: string; parts: JsonObject[] }[][] = [];
  for (const { blocks, replies } of splitRounds(turns)) {
    const { parts, calls } = toSaidParts(blocks, inputs, target);
    const results = yield* toResultParts(calls, replies, target);
    const replied = yield* mapInSteps(replies, (reply) => toReplyParts(reply, results.answers, target));
    rounds.push([
      { role: "model", parts },
      { role: "user", parts: [...results.parts, ...replied.flat()] },
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
