import type { Capabilities } from "../capabilities";
import { isJsonObject, type JsonObject, objects, textOf } from "../fields";
import type { Answer, AnswerBlock } from "../pivot/answer";
import { type Citation, readCitations, readUrlCitation } from "../pivot/citations";
import { ofText, readLogprobs, type TokenLogprob } from "../pivot/logprobs";
import { isObjectText } from "../tools/call-arguments";
import type { ToolNames } from "../tools/tool-names";
import { type CallFragment, readCalls } from "./called";
import { ChoiceEnding } from "./ending";
import { ReasoningDetails } from "./reasoning-details";

/** The pages cited by a message or a part of one. */
export const citationsOf = (annotations: unknown): Generator<void, Citation[]> =>
  readCitations(objects(annotations), ({ type, url_citation: page }) =>
    type === "url_citation" ? readUrlCitation(page) : null,
  );

/** The token probabilities of a message or a part of one. */
export const logprobsOf = ({ logprobs }: JsonObject): Generator<void, TokenLogprob[]> =>
  readLogprobs(isJsonObject(logprobs) ? logprobs.content : null);

const prose = (type: "thinking" | "text" | "refusal", content: unknown): AnswerBlock[] => {
  const text = textOf(content);
  if (text === "") {
    return [];
  }
  return type === "thinking" ? [{ type, text, seal: null }] : [{ type, text }];
};

/** `isWanted`: the vendor wants the details of its thinking back. */
function thinkingOf(message: JsonObject, isWanted: boolean): AnswerBlock[] {
  const details = new ReasoningDetails();
  details.add(isWanted ? message.reasoning_details : null);
  const seal = details.take();
  return seal
    ? [{ type: "thinking", text: textOf(message.reasoning_content), seal }]
    : prose("thinking", message.reasoning_content);
}

/** null: an unreadable call in an answer that was not cut short. */
function* readCall(
  called: CallFragment,
  isCut: boolean,
  names: ToolNames,
): Generator<void, AnswerBlock[] | null> {
  const { id, fragment } = called;
  const name = called.name === "" ? names.soleName : names.toClient(called.name);
  if (name === null) {
    return fragment.trim() === "" || isCut ? [] : null;
  }
  return isCut || (yield* isObjectText(fragment)) ? [{ type: "call", id, name, arguments: fragment }] : null;
}

/**
 * Reads a normalised chat answer (spec 2.2, first choice only). null: its calls or its end are unreadable, so it is no
 * answer.
 */
export function* readAnswer(
  answer: JsonObject,
  names: ToolNames,
  { reasoningDetails }: Pick<Capabilities, "reasoningDetails">,
): Generator<void, Answer | null> {
  const choices = objects(answer.choices);
  const choice = choices.find((each) => each.index === 0) ?? choices[0];
  if (!choice) {
    return null;
  }
  const message = isJsonObject(choice.message) ? choice.message : {};
  const ending = new ChoiceEnding();
  ending.note(choice, message);
  if (!ending.isReadable) {
    return null;
  }
  const citations = yield* citationsOf(message.annotations);
  const tokens = yield* logprobsOf(choice);
  const calls: AnswerBlock[] = [];
  for (const called of readCalls(message)) {
    const blocks = yield* readCall(called, ending.isCut, names);
    if (!blocks) {
      return null;
    }
    calls.push(...blocks);
    yield;
  }
  return {
    id: textOf(answer.id),
    blocks: [
      ...thinkingOf(message, reasoningDetails),
      ...prose("text", message.content).map((block) => ({
        ...block,
        ...(citations.length > 0 && { citations }),
        ...(tokens.length > 0 && { logprobs: ofText(tokens, textOf(message.content)) }),
      })),
      ...prose("refusal", message.refusal),
      ...calls,
    ],
    stop: ending.stop,
  };
}
