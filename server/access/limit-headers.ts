/** What is left of a limit a minute. `unit`: what it counts. */
export type Standing = {
  unit: "requests" | "tokens";
  limit: number;
  remaining: number;
  /** Until all of it is there again. */
  resetSeconds: number;
};

/** The names of the OpenAI dialect, which clients of every dialect get. */
export const limitHeaders = ({ unit, limit, remaining, resetSeconds }: Standing): Record<string, string> => ({
  [`x-ratelimit-limit-${unit}`]: String(limit),
  [`x-ratelimit-remaining-${unit}`]: String(remaining),
  [`x-ratelimit-reset-${unit}`]: `${resetSeconds}s`,
});

/** What these headers say in the names and the form of the messages dialect: the reset is a moment there. */
export function anthropicLimitHeaders(shown: Record<string, string>, now: Date): Record<string, string> {
  const said: Record<string, string> = {};
  for (const unit of ["requests", "tokens"]) {
    const limit = shown[`x-ratelimit-limit-${unit}`];
    const remaining = shown[`x-ratelimit-remaining-${unit}`];
    const seconds = Number.parseInt(shown[`x-ratelimit-reset-${unit}`] ?? "", 10);
    if (limit !== undefined && remaining !== undefined && !Number.isNaN(seconds)) {
      const reset = new Date(now.getTime() + seconds * 1000).toISOString();
      // Whole seconds, as the vendor writes them.
      const moment = reset.replace(/\.\d+Z$/, "Z");
      Object.assign(said, {
        [`anthropic-ratelimit-${unit}-limit`]: limit,
        [`anthropic-ratelimit-${unit}-remaining`]: remaining,
        [`anthropic-ratelimit-${unit}-reset`]: moment,
      });
    }
  }
  return said;
}
