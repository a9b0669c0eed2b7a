import { countAllSaid, countParts, type SaidTokens } from "../estimate";
import { isJsonObject, type JsonObject, numberOf, objects, textOf } from "../fields";
import { finishKind } from "../finish";
import { mintToolId } from "../tool-ids";
import { type AnswerContext, type Counted, costMember, noteFinish, noteUsage } from "../upstream-plan";
import { countedAs, estimateOf, readCount, reportedUsage } from "../usage";
import { completeUsage, readResponsesCounts } from "./usage";

/** What a part of an item says: of a message, of a summary, or of reasoning as it was thought. */
const partText = (part: JsonObject): string => textOf(part.text) || textOf(part.refusal);

/** The texts of an item that are counted. What the vendor's own tools did is the vendor's to count. */
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

/** Tokens of an item, in steps between which the work may rest. */
export function* countItem(item: JsonObject): Generator<void, SaidTokens> {
  const tokens = yield* countAllSaid(textsOf(item));
  return item.type === "reasoning" ? { output: 0, reasoning: tokens } : { output: tokens, reasoning: 0 };
}

/** Tokens of all items of a response, in steps. */
export const countOutput = (output: unknown): Generator<void, SaidTokens> =>
  countParts(objects(output), countItem);

/** A call that came without an identifier gets one, by its place: a client could not name it in its result. */
export function identifyCall(item: JsonObject, context: AnswerContext, place: number): void {
  if (item.type === "function_call" || item.type === "custom_tool_call") {
    item.call_id ||= mintToolId(context.fallbackId, place);
  }
}

/** What every response object of an upstream says otherwise to a client. Changes the object that it is given. */
export function nameResponse(response: JsonObject, context: AnswerContext): void {
  const { model, fallbackId, now } = context;
  context.onModel?.(response.model);
  response.id = textOf(response.id) || fallbackId;
  response.object = "response";
  response.created_at = numberOf(response.created_at) ?? Math.floor(now.getTime() / 1000);
  response.model = model;
}

/** Pictures are made by a model of their own, which the call's prices were not made for (sub2api#1999). */
export function otherModelOf({ tool_usage: used }: JsonObject): { hasOtherModel?: true } {
  const pictures = isJsonObject(used) && isJsonObject(used.image_gen) ? used.image_gen : {};
  return (readCount(pictures.total_tokens) ?? 0) > 0 ? { hasOtherModel: true } : {};
}

/** States in which a response is not there yet, whatever stands in it. */
const unanswered: unknown[] = ["queued", "in_progress"];

/** Some say `complete`, or nothing. A state that we do not know is no success, and stays as it is. */
function readStatus({ status }: JsonObject): string {
  const kind = finishKind(status);
  if (kind === "unknown") {
    return String(status);
  }
  return kind === "length" ? "incomplete" : "completed";
}

/**
 * Reads a whole response object under the public model name. null: no answer in this dialect. Members and items that we
 * do not know are kept. Changes the object that it is given.
 */
export function* readResponsesAnswer(
  answer: unknown,
  context: AnswerContext,
): Generator<void, (Counted & { answer: JsonObject }) | null> {
  if (!isJsonObject(answer) || !Array.isArray(answer.output) || unanswered.includes(answer.status)) {
    return null;
  }
  if (finishKind(answer.status) === "failure") {
    return null;
  }
  for (const [place, item] of objects(answer.output).entries()) {
    identifyCall(item, context, place);
  }
  const counts = readResponsesCounts(answer);
  noteUsage(context, answer.usage, counts !== null);
  // What the upstream has counted whole is not counted again.
  const uncounted = counts?.prompt && counts.completion ? [] : answer.output;
  const estimate = estimateOf(context.inputTokens, yield* countOutput(uncounted));
  const counted = countedAs(reportedUsage(counts, estimate), estimate);
  nameResponse(answer, context);
  noteFinish(context, answer.status);
  answer.status = readStatus(answer);
  answer.usage = { ...completeUsage(answer.usage, counted.usage), ...costMember(context, counted.usage) };
  return { answer, ...counted, ...otherModelOf(answer) };
}
