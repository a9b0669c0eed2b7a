import { atOnce } from "@/server/base/turns";
import { isJsonObject, type JsonObject, numberOf, objects, textOf } from "../fields";
import { finishKind } from "../finish";
import { printText } from "../json/print";
import { isBlankCall, withoutBlankCalls } from "../tools/blank-calls";
import { isBlankArguments, isCutOff } from "../tools/call-arguments";
import { mintToolId } from "../tools/tool-ids";
import { type AnswerContext, costMember, noteFinish, noteUsage, type ReadWhole } from "../upstream-plan";
import { countAllSaid, countParts, type SaidTokens } from "../usage/estimate";
import { countedAs, estimateOf, readCount, reportedUsage } from "../usage/usage";
import { completeItem } from "./complete";
import { completeUsage, readResponsesCounts } from "./usage";

/** The text of a part: of a message, of a summary, or of unsummarised reasoning. */
const partText = (part: JsonObject): string => textOf(part.text) || textOf(part.refusal);

/** The texts of an item that the gateway counts. The vendor counts the work of its own tools. */
function textsOf(item: JsonObject): string[] {
  switch (item.type) {
    case "message":
      return objects(item.content).map(partText);
    case "reasoning":
      return [...objects(item.summary), ...objects(item.content)].map(partText);
    case "function_call":
    case "custom_tool_call":
      return [textOf(item.name), textOf(item.arguments), textOf(item.input)];
    default:
      return [];
  }
}

/** Tokens of an item. Yields, so that long work can pause. */
export function* countItem(item: JsonObject): Generator<void, SaidTokens> {
  const tokens = yield* countAllSaid(textsOf(item));
  return item.type === "reasoning" ? { output: 0, reasoning: tokens } : { output: tokens, reasoning: 0 };
}

/** Tokens of all items of a response. Yields. */
export const countOutput = (output: unknown): Generator<void, SaidTokens> =>
  countParts(objects(output), countItem);

/**
 * Gives a call without an identifier one, by its position: otherwise its client could not name it in the result. Some
 * vendors send the arguments as an object; the dialect has them as text.
 */
export function completeCall(item: JsonObject, context: AnswerContext, place: number): void {
  if (isCallItem(item)) {
    item.call_id ||= mintToolId(context.fallbackId, place);
    if (isJsonObject(item.arguments)) {
      item.arguments = atOnce(printText(item.arguments));
    }
  }
}

/** A call without a name belongs to the only tool, if there is one. */
export function nameCall(item: JsonObject, soleName: string | null): void {
  if (isCallItem(item) && soleName !== null && textOf(item.name) === "") {
    item.name = soleName;
  }
}

const isCallItem = ({ type }: JsonObject): boolean => type === "function_call" || type === "custom_tool_call";

/** Whether an item calls nothing. */
export const isBlankItem = (item: JsonObject): boolean =>
  isCallItem(item) && isBlankCall({ name: item.name, args: item.arguments ?? item.input });

/** Whether a client can use an item. */
export const isUsableItem = (item: JsonObject): boolean =>
  isCallItem(item) || (item.type === "message" && textsOf(item).some((text) => text !== ""));

/** The items that call something; all items if nothing that a client can use remains. */
export const withoutBlankItems = (items: JsonObject[]): JsonObject[] =>
  withoutBlankCalls(items, { isBlank: isBlankItem, isUsable: isUsableItem });

/** Whether a whole answer has a call without a name, or one whose arguments were cut off. */
function* hasHalfCall(output: JsonObject[]): Generator<void, boolean> {
  for (const item of output) {
    const isHalf =
      isCallItem(item) && (textOf(item.name) === "" || (yield* isCutOff(textOf(item.arguments))));
    if (isHalf) {
      return true;
    }
    yield;
  }
  return false;
}

/** Gives a whole call without arguments an empty object: agents fail to parse a blank text. */
export function completeArguments(item: JsonObject): void {
  if (item.type === "function_call" && isBlankArguments(textOf(item.arguments))) {
    item.arguments = "{}";
  }
}

/** Gives an item of a whole answer its usual form: a call's arguments are an object, a message has parts. */
function completeWhole(item: JsonObject): JsonObject {
  completeArguments(item);
  return completeItem(item);
}

/** Names the type of an item where a vendor leaves it out. */
export function nameType(item: JsonObject): void {
  if (textOf(item.type) !== "") {
    return;
  }
  if (item.call_id !== undefined || (item.name !== undefined && item.arguments !== undefined)) {
    item.type = "function_call";
  } else if (item.role === "assistant") {
    item.type = "message";
  } else if (item.summary !== undefined) {
    item.type = "reasoning";
  }
}

/** The items of a response: some vendors send one without the list around it, or only the text. */
export function outputOf({ output, output_text: text }: JsonObject): unknown[] {
  const items = Array.isArray(output) ? (output as unknown[]) : [output].filter(isJsonObject);
  const said = [output, text].find((each) => typeof each === "string" && each !== "");
  return items.length === 0 && said !== undefined
    ? [
        {
          type: "message",
          role: "assistant",
          content: [{ type: "output_text", text: said, annotations: [] }],
        },
      ]
    : items;
}

/**
 * Sets the members in which a client's response object differs from the upstream's. Changes the object that it is
 * given.
 */
export function nameResponse(response: JsonObject, context: AnswerContext): void {
  const { model, fallbackId, now } = context;
  context.onModel?.(response.model);
  response.id = textOf(response.id) || fallbackId;
  response.object = "response";
  response.created_at = numberOf(response.created_at) ?? Math.floor(now.getTime() / 1000);
  response.model = model;
}

/** Whether a separate model made pictures: the call's prices do not cover it (sub2api#1999). */
export function otherModelOf({ tool_usage: used }: JsonObject): { hasOtherModel?: true } {
  const pictures = isJsonObject(used) && isJsonObject(used.image_gen) ? used.image_gen : {};
  return (readCount(pictures.total_tokens) ?? 0) > 0 ? { hasOtherModel: true } : {};
}

/** States of a response without a final answer, whatever it contains. */
const unanswered: unknown[] = ["queued", "in_progress"];

/** Some vendors send `complete`, or nothing. An unknown state is no success, and stays as it is. */
function readStatus({ status }: JsonObject): string {
  const kind = finishKind(status);
  if (kind === "unknown") {
    return String(status);
  }
  return kind === "length" ? "incomplete" : "completed";
}

/**
 * Reads a whole response object under the public model name. Keeps unknown members and items. Changes the object that
 * it is given. `soleName`: the name of the only tool that a call without a name can mean. null: no answer in this
 * dialect, or one with half a call.
 */
export function* readResponsesAnswer(
  answer: unknown,
  context: AnswerContext,
  soleName: string | null = null,
): Generator<void, ReadWhole | null> {
  if (!isJsonObject(answer) || unanswered.includes(answer.status)) {
    return null;
  }
  const output = outputOf(answer);
  if (output.length === 0 && !Array.isArray(answer.output)) {
    return null;
  }
  if (finishKind(answer.status) === "failure") {
    return null;
  }
  const items = objects(output).map((item, place) => {
    nameType(item);
    nameCall(item, soleName);
    completeCall(item, context, place);
    return completeWhole(item);
  });
  answer.output = withoutBlankItems(items);
  const isHalf = readStatus(answer) !== "incomplete" && (yield* hasHalfCall(objects(answer.output)));
  const counts = readResponsesCounts(answer);
  noteUsage(context, answer.usage, counts !== null);
  // Complete counts of the upstream need no estimate.
  const uncounted = counts?.prompt && counts.completion ? [] : answer.output;
  const estimate = estimateOf(context.inputTokens, yield* countOutput(uncounted));
  const counted = countedAs(reportedUsage(counts, estimate), estimate);
  nameResponse(answer, context);
  noteFinish(context, answer.status);
  answer.status = readStatus(answer);
  // Empty here, and clients take an empty object for a failure.
  answer.error = null;
  answer.usage = { ...completeUsage(answer.usage, counted.usage), ...costMember(context, counted.usage) };
  return { answer, ...counted, ...otherModelOf(answer), ...(isHalf && { hasHalfCall: true }) };
}
