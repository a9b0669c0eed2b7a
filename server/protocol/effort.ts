/** How hard a model is to think, in the words that the dialects have for it: from low to high. */
const efforts = ["minimal", "low", "medium", "high", "xhigh", "max"] as const;
export type Effort = (typeof efforts)[number];

export const isEffort = (value: unknown): value is Effort => efforts.some((effort) => effort === value);

/** The effort that a thinking budget, in tokens, comes to. */
export function effortOf(budget: number): Effort {
  if (budget <= 2_048) {
    return "low";
  }
  return budget <= 8_192 ? "medium" : "high";
}

/** The highest level that the upstream takes up to the one wanted, else its lowest. null: it takes none. */
export function clipEffort(wanted: Effort, levels: readonly string[]): Effort | null {
  const known = levels.filter(isEffort);
  return known.findLast((level) => efforts.indexOf(level) <= efforts.indexOf(wanted)) ?? known[0] ?? null;
}
