import { isJsonObject, type JsonObject, objects, textOf } from "../fields";
import { type Finish, finishKind } from "../finish";
import type { Answer, AnswerBlock, Stop } from "../pivot/answer";
import { type Citation, lengthOf } from "../pivot/citations";
import { readThinking } from "../signed-thinking";
import type { AnswerTools } from "./request-out";

const reasons: Record<Finish, Stop["reason"] | null> = {
  ...{ end: "end", calls: "end", length: "length", stop_sequence: "stop_sequence", refusal: "refusal" },
  ...{ failure: null, unknown: null },
};

/** Why a message ended. A call that was cut off is `length` (litellm#19028). null: no other dialect has a word for it. */
export function readStop({ stop_reason, stop_sequence }: JsonObject): Stop | null {
  const reason = reasons[finishKind(stop_reason) ?? "end"];
  return reason && { reason, sequence: typeof stop_sequence === "string" ? stop_sequence : null };
}

/** The call is of the tool that stands for the answer, if the request has one. */
export const isAnswer = ({ name }: JsonObject, { schemaTool }: AnswerTools): boolean =>
  schemaTool !== null && name === schemaTool;

/** The client's name for a tool that is called; a call without a name can mean the only one there is. */
export function clientsName({ name }: JsonObject, { names }: AnswerTools): string {
  const called = textOf(name);
  return called === "" && names.soleName !== null ? names.soleName : names.toClient(called);
}

/** A block's whole input as arguments: never "", which agents fail to parse. */
export const inputText = (block: JsonObject): string =>
  JSON.stringify(isJsonObject(block.input) ? block.input : {});

/** Pages that a block of text is from, all of it: where its citations change, this dialect begins another block. */
export const citationsOf = (cited: unknown, text: string): Citation[] =>
  objects(cited).flatMap(({ url, title }) =>
    textOf(url) === "" ? [] : [{ url: textOf(url), title: textOf(title), start: 0, end: lengthOf(text) }],
  );

/** None for what the vendor's own tools did. */
function readBlock(block: JsonObject, tools: AnswerTools): AnswerBlock[] {
  switch (block.type) {
    case "text": {
      const text = textOf(block.text);
      const citations = citationsOf(block.citations, text);
      return [{ type: "text", text, ...(citations.length > 0 && { citations }) }];
    }
    case "thinking":
    case "redacted_thinking":
      return [readThinking(block)].filter((read) => read !== null);
    case "tool_use":
      return [
        { type: "call", id: textOf(block.id), name: clientsName(block, tools), arguments: inputText(block) },
      ];
    default:
      return [];
  }
}

/**
 * A messages answer (spec 2.3). Where a tool's input stands for the answer, that alone is its text: what the model
 * said before or after would make the JSON that the client asked for unreadable. null: its end makes no sense.
 */
export function readAnswer(message: JsonObject, tools: AnswerTools): Answer | null {
  const stop = readStop(message);
  if (stop === null) {
    return null;
  }
  const sent = objects(message.content);
  const answer = sent.find((block) => block.type === "tool_use" && isAnswer(block, tools));
  const blocks = sent.flatMap((block): AnswerBlock[] => {
    if (answer === undefined) {
      return readBlock(block, tools);
    }
    if (block === answer) {
      return [{ type: "text", text: inputText(block) }];
    }
    return block.type === "text" || isAnswer(block, tools) ? [] : readBlock(block, tools);
  });
  return { id: textOf(message.id), blocks, stop };
}
