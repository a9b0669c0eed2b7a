/**
 * Prompt caching for clients that do not ask for it: without a mark, vendors of the explicit kind (Anthropic,
 * DashScope) charge an agent's whole prompt in each of its turns.
 */
import type { Capabilities } from "./capabilities";
import { isJsonObject, type JsonObject } from "./fields";
import { printedParts } from "./json/print";
import type { CacheMark, Conversation } from "./pivot/conversation";
import type { CallTerms } from "./upstream-plan";
import { countTokens } from "./usage/estimate";

/** Reads a prompt cache mark on a block, a part, a message, a tool, or the whole request. */
export function readMark({ cache_control: mark }: JsonObject): { mark?: CacheMark } {
  if (!isJsonObject(mark) || mark.type !== "ephemeral") {
    return {};
  }
  const { ttl } = mark;
  return { mark: { type: "ephemeral", ...((ttl === "5m" || ttl === "1h") && { ttl }) } };
}

export type CachePlan = {
  mark: CacheMark;
  /** The vendor sets the mark at the prompt's end itself. */
  isAutomatic: boolean;
  /** The vendor caches no shorter prompt. */
  minTokens: number;
  /** The whole prompt has at least `minTokens`. */
  isLong: boolean;
  /** A later prompt will start with this one: a tool is offered, or the assistant has spoken. */
  continues: boolean;
};

/** Longer than any vendor's token: the check against a minimum reads no more text than that. */
const CHARACTERS_PER_TOKEN = 10;

/** The first characters of a value as JSON. Prints no more of a long value than that takes. */
function beginningOf(value: unknown, length: number): string {
  let text = "";
  for (const piece of typeof value === "object" && value !== null ? printedParts(value) : []) {
    text += piece;
    if (text.length >= length) {
      break;
    }
  }
  return text.slice(0, length);
}

/** Whether parts of a prompt are long enough to be cached. */
export function reaches(parts: unknown[], { minTokens }: CachePlan): boolean {
  let left = minTokens;
  for (const part of parts) {
    left -= countTokens(beginningOf(part, minTokens * CHARACTERS_PER_TOKEN));
  }
  return left <= 0;
}

/**
 * Plans the marks of a prompt. null: none, since the vendor takes no marks or the key's owner wants none. `clientMark`: the
 * client's own wish, which overrides the key's setting.
 */
export function planCache(
  { promptCache, cacheMinTokens }: Pick<Capabilities, "promptCache" | "cacheMinTokens">,
  { inputTokens, isPromptCached }: Pick<CallTerms, "inputTokens" | "isPromptCached">,
  { clientMark, continues }: { clientMark: CacheMark | null; continues: boolean },
): CachePlan | null {
  if (promptCache === "none" || (clientMark === null && !isPromptCached)) {
    return null;
  }
  const minTokens = cacheMinTokens ?? 0;
  return {
    mark: clientMark ?? { type: "ephemeral" },
    isAutomatic: promptCache === "automatic",
    minTokens,
    isLong: inputTokens >= minTokens,
    continues: continues || clientMark !== null,
  };
}

/**
 * Whether a conversation has several turns, or is an agent's: a client that forces a tool wants its input, and no next
 * turn.
 */
export const continues = ({
  tools,
  turns,
  choice,
}: Pick<Conversation, "tools" | "turns" | "choice">): boolean =>
  turns.some(({ role }) => role === "assistant") ||
  (tools.length > 0 && choice?.type !== "any" && choice?.type !== "tool");
