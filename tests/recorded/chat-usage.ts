import type { JsonObject } from "./corpus";
import { at, count, type RecordedUsage } from "./usage";

/**
 * Dollars per million tokens in the vendors' lists at the time of the recording. The default of `cached` is `input`.
 */
const listPrices: Record<string, { input: number; cached?: number; output: number }> = {
  "deepseek/deepseek-chat-v3.1": { input: 0.27, output: 1 },
  "deepseek/deepseek-v3.1-terminus": { input: 0.27, output: 1 },
  "google/gemini-2.5-flash": { input: 0.3, cached: 0.03, output: 2.5 },
  "moonshotai/kimi-k2.5": { input: 0.45, cached: 0.225, output: 2.2 },
  "openai/gpt-5": { input: 1.25, cached: 0.125, output: 10 },
  "openai/gpt-5.1-codex-mini": { input: 0.25, cached: 0.025, output: 2 },
  "qwen/qwen3-30b-a3b-thinking-2507": { input: 0.1, output: 0.3 },
  "x-ai/grok-4.1-fast": { input: 0.2, cached: 0.05, output: 0.5 },
};

type Bill = { model: string; usage: unknown; prompt: number; cacheRead: number };

/** The answer's tokens that the vendor was paid for, computed from the cost that it reports. null: it reports none. */
function paidCompletion({ model, usage, prompt, cacheRead }: Bill): number | null {
  const cost = count(at(usage, "cost"));
  if (cost === 0) {
    return null;
  }
  const price = listPrices[model];
  if (!price) {
    throw new Error(
      `what does ${model} cost? Its vendor named ${cost}, and only its list tells for how many tokens`,
    );
  }
  const input = (prompt - cacheRead) * price.input + cacheRead * (price.cached ?? price.input);
  const named = count(at(usage, "cost_details", "upstream_inference_completions_cost"));
  return (named || cost - input / 1e6) / (price.output / 1e6);
}

/**
 * In `completion_tokens` some vendors include the reasoning and some do not. The cost shows which, or else the total.
 */
function readCompletion(bill: Bill, reasoning: number): number {
  const listed = count(at(bill.usage, "completion_tokens"));
  const byTotal = Math.max(listed, count(at(bill.usage, "total_tokens")) - bill.prompt);
  if (reasoning === 0 || byTotal >= listed + reasoning) {
    return byTotal;
  }
  const paid = paidCompletion(bill);
  if (paid === null) {
    return byTotal;
  }
  const meant = [byTotal, listed + reasoning].find((tokens) => Math.abs(tokens - paid) < 0.51);
  if (meant === undefined) {
    throw new Error(
      `${bill.model}: ${paid} tokens were paid for, which are neither with nor without reasoning`,
    );
  }
  return meant;
}

/** The usage in a chunk or an answer: at the top, in a choice, or in a vendor's own member. null: none. */
export function readUsage(chunk: JsonObject, model: string): RecordedUsage | null {
  const choices = Array.isArray(chunk.choices) ? chunk.choices : [];
  const usage = [
    chunk.usage,
    ...choices.map((choice) => at(choice, "usage")),
    at(chunk, "x_groq", "usage"),
  ].find(
    (candidate) =>
      typeof at(candidate, "prompt_tokens") === "number" ||
      typeof at(candidate, "completion_tokens") === "number",
  );
  if (usage === undefined) {
    return null;
  }
  const prompt = count(at(usage, "prompt_tokens"));
  const cacheRead = count(
    at(usage, "prompt_tokens_details", "cached_tokens"),
    at(usage, "prompt_cache_hit_tokens"),
    at(usage, "cached_tokens"),
  );
  const reasoning = count(
    at(usage, "completion_tokens_details", "reasoning_tokens"),
    at(usage, "reasoning_tokens"),
  );
  const completion = readCompletion({ model, usage, prompt, cacheRead }, reasoning);
  return {
    // A prompt of zero means that the vendor did not count it.
    prompt: prompt || null,
    cacheRead,
    cacheWrite: count(at(usage, "prompt_tokens_details", "cache_write_tokens")),
    cacheWrite1h: 0,
    completion,
    // OpenRouter counts reasoning by another tokenizer than the answer that contains it.
    reasoning: Math.min(reasoning, completion),
  };
}
