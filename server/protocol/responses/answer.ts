import { mapInSteps } from "@/server/base/turns";
import { countSaid } from "../estimate";
import { isJsonObject, type JsonObject, numberOf, objects, textOf } from "../fields";
import { finishKind } from "../finish";
import { mintToolId } from "../tool-ids";
import { type AnswerContext, type Counted, costMember, noteFinish, noteUsage } from "../upstream-plan";
import { countedAs, type Estimate, readCount, reportedUsage } from "../usage";
import { completeUsage, readResponsesCounts } from "./usage";

/** What a part of an item says: of a message, of a summary, or of reasoning as it was thought. */
const partText = (part: JsonObject): string => textOf(part.text) || textOf(part.refusal);

/** Tokens of what an item holds, as fractions. What the vendor's own tools did is the vendor's to count. */
export function countItem(item: JsonObject): { output: number; reasoning: number } {
  const tokens = (texts: string[]) => texts.reduce((sum, text) => sum + countSaid(text), 0);
  switch (item.type) {
    case "message":
      return { output: tokens(objects(item.content).map(partText)), reasoning: 0 };
    case "reasoning":
      return {
        output: 0,
        reasoning: tokens([...objects(item.summary), ...objects(item.content)].map(partText)),
      };
    case "function_call":
    case "custom_tool_call":
      return {
        output: tokens([textOf(item.name), textOf(item.arguments), textOf(item.input)]),
        reasoning: 0,
      };
    default:
      return { output: 0, reasoning: 0 };
  }
}

/** The same of all that a response says, in steps between which the work may rest. */
export function* countOutput(output: unknown): Generator<void, { output: number; reasoning: number }> {
  const counts = yield* mapInSteps(objects(output), countItem);
  return {
    output: counts.reduce((sum, each) => sum + each.output, 0),
    reasoning: counts.reduce((sum, each) => sum + each.reasoning, 0),
  };
}

function* estimateOutput(output: unknown, { inputTokens }: AnswerContext): Generator<void, Estimate> {
  const counted = yield* countOutput(output);
  return {
    input: inputTokens,
    output: Math.ceil(counted.output),
    reasoning: Math.ceil(counted.reasoning),
  };
}

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
  const estimate = yield* estimateOutput(counts?.prompt && counts.completion ? [] : answer.output, context);
  const counted = countedAs(reportedUsage(counts, estimate), estimate);
  nameResponse(answer, context);
  noteFinish(context, answer.status);
  answer.status = readStatus(answer);
  answer.usage = { ...completeUsage(answer.usage, counted.usage), ...costMember(context, counted.usage) };
  return { answer, ...counted, ...otherModelOf(answer) };
}
