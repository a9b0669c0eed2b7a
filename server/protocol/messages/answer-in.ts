import { isJsonObject, type JsonObject, objects, textOf } from "../fields";
import { type Finish, finishKind } from "../finish";
import { printText } from "../json/print";
import type { Answer, AnswerBlock, Stop } from "../pivot/answer";
import { type Citation, lengthInSteps, readCitations } from "../pivot/citations";
import { readThinking } from "../signed-thinking";
import type { AnswerTools } from "./request-out";

const reasons: Record<Finish, Stop["reason"] | null> = {
  ...{ end: "end", calls: "end", length: "length", stop_sequence: "stop_sequence", refusal: "refusal" },
  ...{ failure: null, unknown: null },
};

/**
 * Why a message ended. A call that was cut off is `length` (litellm#19028). null: other dialects have no word for it.
 */
export function readStop({ stop_reason, stop_sequence }: JsonObject): Stop | null {
  const reason = reasons[finishKind(stop_reason) ?? "end"];
  return reason && { reason, sequence: typeof stop_sequence === "string" ? stop_sequence : null };
}

/** Whether a call is of the tool whose input is the answer, if the request has one. */
export const isAnswer = ({ name }: JsonObject, { schemaTool }: AnswerTools): boolean =>
  schemaTool !== null && name === schemaTool;

/** The client's name of a called tool. A call without a name belongs to the only tool, if there is one. */
export function clientsName({ name }: JsonObject, { names }: AnswerTools): string {
  const called = textOf(name);
  return called === "" && names.soleName !== null ? names.soleName : names.toClient(called);
}

/** A block's whole input as arguments: never "", which agents fail to parse. */
export const inputText = (block: JsonObject): Generator<void, string> =>
  printText(isJsonObject(block.input) ? block.input : {});

/**
 * The pages cited by a text block. Each covers the whole text: where citations change, this dialect starts another
 * block.
 */
export function* citationsOf(cited: unknown, text: string): Generator<void, Citation[]> {
  const pages = objects(cited);
  const end = pages.length > 0 ? yield* lengthInSteps(text) : 0;
  return yield* readCitations(pages, ({ url, title }) =>
    textOf(url) === "" ? null : { url: textOf(url), title: textOf(title), start: 0, end },
  );
}

/** Returns no block for work of the vendor's own tools. */
function* readBlock(block: JsonObject, tools: AnswerTools): Generator<void, AnswerBlock[]> {
  switch (block.type) {
    case "text": {
      const text = textOf(block.text);
      const citations = yield* citationsOf(block.citations, text);
      return [{ type: "text", text, ...(citations.length > 0 && { citations }) }];
    }
    case "thinking":
    case "redacted_thinking":
      return [readThinking(block)].filter((read) => read !== null);
    case "tool_use":
      return [
        {
          ...{ type: "call", id: textOf(block.id), name: clientsName(block, tools) },
          arguments: yield* inputText(block),
        },
      ];
    default:
      return [];
  }
}

/**
 * Converts a messages answer (spec 2.3). If a tool's input is the answer, the text is only that input: text before or
 * after it would break the JSON that the client asked for. null: its end is unreadable.
 */
export function* readAnswer(message: JsonObject, tools: AnswerTools): Generator<void, Answer | null> {
  const stop = readStop(message);
  if (stop === null) {
    return null;
  }
  const content = objects(message.content);
  const answer = content.find((block) => block.type === "tool_use" && isAnswer(block, tools));
  const blocks: AnswerBlock[] = [];
  for (const block of content) {
    if (block === answer) {
      blocks.push({ type: "text", text: yield* inputText(block) });
    } else if (answer === undefined || !(block.type === "text" || isAnswer(block, tools))) {
      blocks.push(...(yield* readBlock(block, tools)));
    }
    yield;
  }
  return { id: textOf(message.id), blocks, stop };
}
