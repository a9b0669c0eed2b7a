import { isJsonObject, type JsonObject, objects } from "../fields";
import { writeMessagesUsage } from "../messages/usage";
import { SYNTHETIC_SIGNATURE } from "../synthetic-thinking";
import type { Counted } from "../upstream-plan";
import { type AnswerCall, messageHead, toolUseHead } from "./answer-head";
import { type Called, readCalls } from "./called";
import { Ending } from "./ending";

const textBlocks = (text: unknown): JsonObject[] =>
  typeof text === "string" && text !== "" ? [{ type: "text", text }] : [];

const thinkingBlocks = (thinking: unknown): JsonObject[] =>
  typeof thinking === "string" && thinking !== ""
    ? [{ type: "thinking", thinking, signature: SYNTHETIC_SIGNATURE }]
    : [];

/** A call's arguments as a tool's input: nothing, and some vendors' `null`, mean none. null: no JSON object. */
function readInput(text: string): JsonObject | null {
  if (text.trim() === "") {
    return {};
  }
  try {
    const input: unknown = JSON.parse(text) ?? {};
    return isJsonObject(input) ? input : null;
  } catch {
    return null;
  }
}

/** null: a call that cannot be read, in an answer that was not cut short. */
function readToolUse(called: Called, isCut: boolean, call: AnswerCall): JsonObject[] | null {
  const isEmpty = called.fragment.trim() === "";
  const { soleName, toUpstream } = call.names;
  const name = called.name || (soleName === null ? "" : toUpstream(soleName));
  if (name === "") {
    return isEmpty || isCut ? [] : null;
  }
  const input = readInput(called.fragment) ?? (isCut ? {} : null);
  return input && [{ ...toolUseHead({ ...called, name }, call), input }];
}

/**
 * A normalised chat answer (spec 2.2, first choice only) as the JSON text of a messages answer (spec 2.3). null: its
 * calls make no sense, so it is no answer. Leaves out the optional members of blocks: AI SDK refuses them as null.
 */
export function toMessage(answer: JsonObject, { usage }: Counted, call: AnswerCall): string | null {
  const choices = objects(answer.choices);
  const choice = choices.find((each) => each.index === 0) ?? choices[0];
  if (!choice) {
    return null;
  }
  const said = isJsonObject(choice.message) ? choice.message : {};
  const ending = new Ending();
  ending.note(choice, said);
  const uses: JsonObject[] = [];
  for (const called of readCalls(said)) {
    const blocks = readToolUse(called, ending.isCut, call);
    if (!blocks) {
      return null;
    }
    uses.push(...blocks);
  }
  const prose = [
    ...thinkingBlocks(said.reasoning_content),
    ...textBlocks(said.content),
    ...textBlocks(said.refusal),
  ];
  const content = [...prose, ...uses];
  return JSON.stringify({
    ...messageHead(answer.id, call.context),
    // Clients look at the first block without asking whether there is one.
    content: content.length > 0 ? content : [{ type: "text", text: "" }],
    ...ending.toFields(uses.length > 0),
    usage: writeMessagesUsage(usage),
  });
}
