import { type JsonObject, textOf } from "../fields";
import { type AnswerContext, noteFinish, noteUsage, type ReadWhole } from "../upstream-plan";
import { estimateOf } from "../usage/usage";
import { writeUsage } from "./answer-out";
import { dropBlankCalls } from "./blank-calls";
import {
  candidatesOf,
  countResponse,
  finishOf,
  hasHalfCall,
  isBlocked,
  isCutShort,
  nameCalls,
  numbered,
  readResponse,
} from "./normalise";
import { countedOf, GeminiCounts, searchesIn } from "./usage";

/** Sets the members in which a client's response differs from the upstream's. */
export function named(response: JsonObject, context: AnswerContext): JsonObject {
  context.onModel?.(response.modelVersion);
  for (const candidate of candidatesOf(response)) {
    noteFinish(context, finishOf(candidate));
  }
  return {
    ...response,
    modelVersion: context.model,
    responseId: textOf(response.responseId) || context.fallbackId,
  };
}

/**
 * Reads a whole response under the public model name. Yields, so that long work can pause. `soleName`: the name of the
 * only tool that a call without a name can mean. null: no answer of this dialect, or one with half a call.
 */
export function* readGeminiAnswer(
  answer: unknown,
  context: AnswerContext,
  soleName: string | null = null,
): Generator<void, ReadWhole | null> {
  const read = readResponse(answer);
  if (read === null || (candidatesOf(read).length === 0 && !isBlocked(read))) {
    return null;
  }
  const response = dropBlankCalls(nameCalls(numbered(read), soleName), true);
  const counts = new GeminiCounts();
  counts.note(response.usageMetadata);
  noteUsage(context, response.usageMetadata, counts.chatCounts?.prompt != null);
  // If the upstream counted everything, the gateway does not count again.
  const isTold = counts.chatCounts?.prompt && counts.chatCounts.completion;
  const tokens = isTold ? { output: 0, reasoning: 0 } : yield* countResponse(response);
  const estimate = estimateOf(context.inputTokens, tokens);
  const searches = Math.max(0, ...candidatesOf(response).map(searchesIn));
  const counted = countedOf(counts, estimate, searches);
  const isHalf = hasHalfCall(response) && !isCutShort(response);
  return {
    answer: {
      ...named(response, context),
      // A client sees the counts that it pays for, as in the other dialects.
      usageMetadata: response.usageMetadata ?? writeUsage(counted.usage),
    },
    ...counted,
    ...(isHalf && { hasHalfCall: true }),
  };
}
