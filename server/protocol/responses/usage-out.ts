import type { JsonObject } from "../fields";
import type { Usage } from "../usage/usage";

/** The usage object of a response. Always has its details, even if zero: Codex' decoder requires them. */
export function writeResponsesUsage(usage: Usage): JsonObject {
  const cached = usage.cacheReadTokens;
  const written = usage.cacheWriteTokens + usage.cacheWrite1hTokens;
  const input = usage.inputTokens + cached + written;
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached, cache_write_tokens: written },
    output_tokens: usage.outputTokens,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
    total_tokens: input + usage.outputTokens,
  };
}
