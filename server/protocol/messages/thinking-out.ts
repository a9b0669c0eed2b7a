import type { Capabilities } from "../capabilities";
import { clipEffort, type Effort, effortOf } from "../effort";
import type { JsonObject } from "../fields";
import type { ThinkingWish } from "../pivot/conversation";

const MIN_BUDGET = 1_024;

/** Thinking tokens, by effort (facts 3.2). */
const budgets: Record<Effort, number> = {
  minimal: 1_024,
  low: 1_024,
  medium: 4_096,
  high: 16_384,
  xhigh: 32_000,
  max: 32_000,
};

/** The thinking parameters of a request. `isOn`: the model thinks, and then refuses sampling parameters. */
type ThinkingPlan = { thinking: JsonObject | null; effort: string | null; isOn: boolean };

const unasked: ThinkingPlan = { thinking: null, effort: null, isOn: false };

/** Thinking with a budget that leaves room for output: `maxTokens` is paid for and cannot grow. */
function withBudget(wish: ThinkingWish, maxTokens: number): ThinkingPlan {
  if (wish.mode === "off") {
    return { ...unasked, thinking: { type: "disabled" } };
  }
  if (maxTokens <= MIN_BUDGET) {
    return unasked;
  }
  // The default effort is `high`, the vendors' usual one. With an effort instead of a budget, half of the limit stays
  // for the answer.
  const tokens = wish.budget ?? Math.min(budgets[wish.effort ?? "high"], maxTokens / 2);
  const budget = Math.min(Math.max(Math.floor(tokens), MIN_BUDGET), maxTokens - 1);
  const display = wish.display === null ? {} : { display: wish.display };
  return { thinking: { type: "enabled", budget_tokens: budget, ...display }, effort: null, isOn: true };
}

function adaptive(wish: ThinkingWish, levels: readonly string[]): ThinkingPlan {
  const effort = wish.effort ?? (wish.budget === null ? null : effortOf(wish.budget));
  return {
    // Newer models leave the text out unless asked (llmgateway#2593), and spec 4.2 rule 3 promises it.
    thinking: { type: "adaptive", display: wish.display ?? "summarized" },
    effort: effort && clipEffort(effort, levels),
    isOn: true,
  };
}

/**
 * The thinking parameters for the client's wish at this upstream. `mayBudget`: false if the vendor would refuse manual
 * thinking (a forced tool, a turn that lost its signed thinking); the call then goes without.
 */
export function planThinking(
  wish: ThinkingWish | null,
  { takes, maxTokens, mayBudget }: { takes: Capabilities; maxTokens: number; mayBudget: boolean },
): ThinkingPlan {
  const { thinking: mode, effortLevels } = takes;
  if (mode === "always" && (!wish || wish.mode === "off")) {
    return { ...unasked, effort: wish && clipEffort("minimal", effortLevels), isOn: true };
  }
  if (!wish) {
    return unasked;
  }
  if (mode === "budget") {
    return mayBudget || wish.mode === "off" ? withBudget(wish, maxTokens) : unasked;
  }
  if (mode === "adaptive" && wish.mode === "off") {
    return { ...unasked, thinking: { type: "disabled" } };
  }
  return mode === "adaptive" || mode === "always" ? adaptive(wish, effortLevels) : unasked;
}
