import type { JsonObject } from "./corpus";

/** The token counts of a recording. `prompt` has the cached ones in it, `completion` the reasoning. */
export type Usage = {
  /** null: the recording does not say. */
  prompt: number | null;
  cacheRead: number;
  /** For five minutes; `cacheWrite1h`: for an hour. */
  cacheWrite: number;
  cacheWrite1h: number;
  completion: number;
  /** null: the recording does not say. */
  reasoning: number | null;
};

export const at = (value: unknown, ...path: string[]): unknown =>
  path.reduce<unknown>(
    (inside, key) =>
      typeof inside === "object" && inside !== null ? (inside as JsonObject)[key] : undefined,
    value,
  );

/** The first of these that is a number. */
export const count = (...values: unknown[]): number =>
  values.find((value): value is number => typeof value === "number") ?? 0;
