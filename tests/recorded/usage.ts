import type { JsonObject } from "./corpus";

/** The token counts of a recording. `prompt` includes the cached ones, `completion` the reasoning. */
export type RecordedUsage = {
  /** null: the recording does not have it. */
  prompt: number | null;
  cacheRead: number;
  /** For five minutes; `cacheWrite1h`: for an hour. */
  cacheWrite: number;
  cacheWrite1h: number;
  completion: number;
  /** null: the recording does not have it. */
  reasoning: number | null;
};

export const at = (value: unknown, ...path: string[]): unknown =>
  path.reduce<unknown>(
    (inside, key) =>
      typeof inside === "object" && inside !== null ? (inside as JsonObject)[key] : undefined,
    value,
  );

/** The first number among these values. */
export const count = (...values: unknown[]): number =>
  values.find((value): value is number => typeof value === "number") ?? 0;
