import type { CallTerms } from "@/server/protocol/upstream-plan";

/** The gateway's additions to a call: an output limit, and no marks for the prompt's cache. */
export const terms = (maxOutputTokens: number, more: Partial<CallTerms> = {}): CallTerms => ({
  maxOutputTokens,
  isCapped: false,
  inputTokens: 0,
  isPromptCached: false,
  ...more,
});
