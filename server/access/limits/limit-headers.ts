/** The state of a limit per minute. `unit`: what the limit counts. */
export type LimitState = {
  unit: "requests" | "tokens";
  limit: number;
  remaining: number;
  /** Time until the whole limit is available again. */
  resetSeconds: number;
};

/** Header names of the OpenAI dialect, for clients of every dialect. */
export const limitHeaders = ({
  unit,
  limit,
  remaining,
  resetSeconds,
}: LimitState): Record<string, string> => ({
  [`x-ratelimit-limit-${unit}`]: String(limit),
  [`x-ratelimit-remaining-${unit}`]: String(remaining),
  [`x-ratelimit-reset-${unit}`]: `${resetSeconds}s`,
});

/** Converts these headers to the names and the form of the messages dialect, where the reset is a time. */
export function anthropicLimitHeaders(shown: Record<string, string>, now: Date): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const unit of ["requests", "tokens"]) {
    const limit = shown[`x-ratelimit-limit-${unit}`];
    const remaining = shown[`x-ratelimit-remaining-${unit}`];
    const seconds = Number.parseInt(shown[`x-ratelimit-reset-${unit}`] ?? "", 10);
    if (limit !== undefined && remaining !== undefined && !Number.isNaN(seconds)) {
      const reset = new Date(now.getTime() + seconds * 1000).toISOString();
      // Whole seconds, like the vendor.
      const moment = reset.replace(/\.\d+Z$/, "Z");
      Object.assign(headers, {
        [`anthropic-ratelimit-${unit}-limit`]: limit,
        [`anthropic-ratelimit-${unit}-remaining`]: remaining,
        [`anthropic-ratelimit-${unit}-reset`]: moment,
      });
    }
  }
  return headers;
}
