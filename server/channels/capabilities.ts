/**
 * The field that limits output. OpenAI's reasoning models refuse `max_tokens`; most other vendors know nothing else.
 */
export function outputTokenField(upstreamName: string): "max_tokens" | "max_completion_tokens" {
  return /^(o\d|gpt-[5-9])/.test(upstreamName) ? "max_completion_tokens" : "max_tokens";
}
