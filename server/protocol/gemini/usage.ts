import { isJsonObject, type JsonObject } from "../fields";
import type { CountedUsage } from "../upstream-plan";
import {
  type ChatCounts,
  countedAs,
  type Estimate,
  MOST_UNLISTED,
  readCount,
  reportedUsage,
  searched,
} from "../usage/usage";
import { asCamelCase } from "./names";

type Counts = Record<"prompt" | "cached" | "answer" | "thoughts" | "tool" | "total", number | null>;

const names = {
  ...{ prompt: "promptTokenCount", cached: "cachedContentTokenCount", answer: "candidatesTokenCount" },
  ...{ thoughts: "thoughtsTokenCount", tool: "toolUsePromptTokenCount", total: "totalTokenCount" },
} as const satisfies Record<keyof Counts, string>;

const nothing: Counts = { prompt: null, cached: null, answer: null, thoughts: null, tool: null, total: null };

/** Counts under the dialect's names, as numbers: some vendors send other spellings, or 64-bit counts as text. */
export const usualCounts = (metadata: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(asCamelCase(metadata)).map(([name, value]) => [
      name,
      typeof value === "string" ? (readCount(value) ?? value) : value,
    ]),
  );

/** A piece whose members add up to its own total is complete. */
const isComplete = ({ prompt, answer, thoughts, tool, total }: Counts): boolean =>
  prompt !== null && total !== null && total === prompt + (answer ?? 0) + (thoughts ?? 0) + (tool ?? 0);

/**
 * Keeps the latest counts. Each count is a total so far, and some pieces of a stream lack some counts: a missing one
 * does not remove an earlier one (hydra#858), unless the piece is complete without it.
 */
export class GeminiCounts {
  private counts: Counts = nothing;
  private isTold = false;

  note(metadata: unknown): void {
    if (!isJsonObject(metadata)) {
      return;
    }
    const usual = usualCounts(metadata);
    const read = (name: keyof Counts) => readCount(usual[names[name]]);
    const piece: Counts = {
      // No prompt has no tokens: its vendor did not count it.
      ...{ prompt: read("prompt") || null, cached: read("cached"), answer: read("answer") },
      ...{ thoughts: read("thoughts"), tool: read("tool"), total: read("total") },
    };
    const { counts } = this;
    this.isTold = true;
    this.counts =
      isComplete(piece) && (piece.total ?? 0) >= (counts.total ?? 0)
        ? { ...piece, cached: piece.cached ?? counts.cached }
        : {
            ...{ prompt: piece.prompt ?? counts.prompt, cached: piece.cached ?? counts.cached },
            ...{ answer: piece.answer ?? counts.answer, thoughts: piece.thoughts ?? counts.thoughts },
            ...{ tool: piece.tool ?? counts.tool, total: piece.total ?? counts.total },
          };
  }

  /** null: there are no counts. */
  get chatCounts(): ChatCounts | null {
    return this.isTold ? explain(this.counts) : null;
  }
}

/**
 * The usage of an answer: the upstream's counts, the gateway's where they are missing, and searches, which no vendor
 * counts.
 */
export function countedOf({ chatCounts }: GeminiCounts, estimate: Estimate, searches: number): CountedUsage {
  const counted = countedAs(reportedUsage(chatCounts, estimate), estimate);
  return { ...counted, usage: { ...counted.usage, ...searched(searches) } };
}

/**
 * Most vendors count thoughts separately from the text, some include them: the total shows which (new-api#1014,
 * CLIProxyAPI#5744), and its excess is output. Content that tools brought in is input. Without a prompt count, the
 * prompt is derived from the total.
 */
function explain({ prompt: reportedPrompt, cached, answer, thoughts, tool, total }: Counts): ChatCounts {
  const brought = tool ?? 0;
  const isSpoken = answer !== null || thoughts !== null;
  const unsaid = total !== null && isSpoken ? total - (answer ?? 0) - (thoughts ?? 0) - brought : 0;
  const prompt = reportedPrompt ?? (unsaid > 0 ? unsaid : null);
  const input = (prompt ?? 0) + brought;
  const isInside = total !== null && answer !== null && total - answer === (prompt ?? 0) + brought;
  const named = (answer ?? 0) + (isInside ? 0 : (thoughts ?? 0));
  const rest = total === null || prompt === null ? 0 : total - input;
  const isRest = rest <= named + MOST_UNLISTED;
  const completion = Math.max(named, isRest ? rest : 0);
  const isCounted = isSpoken || (prompt !== null && total !== null);
  return {
    prompt: prompt === null ? null : input,
    cacheRead: cached,
    cacheWrite: null,
    completion: isCounted ? completion : null,
    reasoning: thoughts,
    searches: null,
  };
}

/** The number of web searches in a candidate. */
export function searchesIn(candidate: JsonObject): number {
  const grounding = candidate.groundingMetadata;
  const queries = isJsonObject(grounding) ? grounding.webSearchQueries : null;
  return Array.isArray(queries) ? queries.length : 0;
}
