import { isJsonObject, type JsonObject, textOf } from "../fields";
import { printText } from "../json/print";
import type { Answer, AnswerBlock } from "../pivot/answer";
import { readLogprobsResult } from "../pivot/logprobs";
import type { ToolNames } from "../tools/tool-names";
import { citationsIn } from "./grounding-in";
import { asCamelCase } from "./names";
import { finishOf, firstOf, isBlocked, isPiece, partsOf, stopOf } from "./normalise";

/** Whether a part is a call of no tool: a name is missing, and several tools could be meant. */
export const isNameless = ({ functionCall: call }: JsonObject, { soleName }: ToolNames): boolean =>
  isJsonObject(call) && textOf(call.name) === "" && soleName === null;

/** Whether a part is text for the user. */
export const isSaid = ({ functionCall, thought }: JsonObject): boolean =>
  functionCall === undefined && thought !== true;

/** The call in a part. null: there is none. */
export function* readCall(
  part: JsonObject,
  names: ToolNames,
): Generator<void, (AnswerBlock & { type: "call" }) | null> {
  if (!isJsonObject(part.functionCall)) {
    return null;
  }
  const { id, name, args } = asCamelCase(part.functionCall);
  const called = textOf(name);
  return {
    type: "call",
    id: textOf(id),
    name: called === "" && names.soleName !== null ? names.soleName : names.toClient(called),
    arguments: yield* printText(isJsonObject(args) ? args : {}),
  };
}

/**
 * A signature belongs to the part that carries it. The pivot puts it on a thinking block right before that part; the
 * block has the thinking there, or is empty.
 */
function addSeal(blocks: AnswerBlock[], data: string): void {
  const last = blocks.at(-1);
  const seal = { origin: "google" as const, data };
  if (last?.type === "thinking" && last.seal === null) {
    last.seal = seal;
  } else {
    blocks.push({ type: "thinking", text: "", seal });
  }
}

function addText(blocks: AnswerBlock[], type: "text" | "thinking", text: string): void {
  const last = blocks.at(-1);
  if (last?.type === "text" && type === "text") {
    last.text += text;
  } else if (last?.type === "thinking" && type === "thinking" && last.seal === null) {
    last.text += text;
  } else if (text !== "") {
    blocks.push(type === "text" ? { type, text } : { type, text, seal: null });
  }
}

function* readBlocks(parts: JsonObject[], names: ToolNames): Generator<void, AnswerBlock[]> {
  const blocks: AnswerBlock[] = [];
  /** A signature on text: it goes after the text, which it would otherwise split in two. */
  let late = "";
  const endText = () => {
    if (late !== "") {
      addSeal(blocks, late);
      late = "";
    }
  };
  for (const part of parts) {
    const signature = textOf(part.thoughtSignature);
    const isText = isSaid(part);
    if (isText && blocks.at(-1)?.type === "text") {
      late = signature || late;
    } else {
      endText();
      if (signature !== "") {
        addSeal(blocks, signature);
      }
    }
    const call = yield* readCall(part, names);
    if (call) {
      blocks.push(call);
    } else {
      addText(blocks, isText ? "text" : "thinking", textOf(part.text));
    }
    yield;
  }
  endText();
  return blocks;
}

/** Probabilities belong to the whole answer, which usually is one text; with several texts, the first gets them. */
function* withLogprobs(blocks: AnswerBlock[], candidate: JsonObject): Generator<void, AnswerBlock[]> {
  const logprobs = yield* readLogprobsResult(candidate.logprobsResult);
  const first = blocks.find(({ type }) => type === "text");
  return logprobs.length > 0
    ? blocks.map((block) => (block === first ? { ...block, logprobs } : block))
    : blocks;
}

function* cited(blocks: AnswerBlock[], candidate: JsonObject): Generator<void, AnswerBlock[]> {
  const made: AnswerBlock[] = [];
  for (const block of blocks) {
    const citations = block.type === "text" ? yield* citationsIn(candidate, block.text) : [];
    made.push(block.type === "text" && citations.length > 0 ? { ...block, citations } : block);
  }
  return made;
}

/** Converts a response. null: its call or its end is unreadable, so it is no answer. */
export function* readAnswer(response: JsonObject, names: ToolNames): Generator<void, Answer | null> {
  const candidate = firstOf(response);
  const id = textOf(response.responseId);
  if (candidate === null) {
    return isBlocked(response) ? { id, blocks: [], stop: { reason: "refusal", sequence: null } } : null;
  }
  const stop = stopOf(finishOf(candidate));
  const parts = partsOf(candidate);
  if (parts.some((part) => isPiece(part) || isNameless(part, names)) || stop === null) {
    return null;
  }
  const blocks = yield* cited(yield* readBlocks(parts, names), candidate);
  return { id, blocks: yield* withLogprobs(blocks, candidate), stop };
}
