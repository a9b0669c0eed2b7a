import type { CountedUsage } from "@/server/protocol/upstream-plan";

/** A usage in which all counts differ. */
export const sampleUsage: CountedUsage = {
  usage: {
    ...{ inputTokens: 5, cacheReadTokens: 2, cacheWriteTokens: 3, cacheWrite1hTokens: 4 },
    ...{ outputTokens: 6, reasoningTokens: 1 },
  },
  source: "upstream",
};
