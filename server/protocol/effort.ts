/** Levels of thinking effort, in the dialects' words, from low to high. */
const efforts = ["minimal", "low", "medium", "high", "xhigh", "max"] as const;
export type Effort = (typeof efforts)[number];

export const isEffort = (value: unknown): value is Effort => efforts.some((effort) => effort === value);

/** The effort that matches a thinking budget in tokens. */
export function effortOf(budget: number): Effort {
  if (budget <= 2_048) {
    return "low";
  }
  return budget <= 8_192 ? "medium" : "high";
}

/** The highest level of the upstream that is not above the wanted one, otherwise its lowest. null: it takes none. */
export function clipEffort(effort: Effort, levels: readonly string[]): Effort | null {
  const supportedEfforts = levels.filter(isEffort);
  return (
    supportedEfforts.findLast((level) => efforts.indexOf(level) <= efforts.indexOf(effort)) ??
    supportedEfforts[0] ??
    null
  );
}
