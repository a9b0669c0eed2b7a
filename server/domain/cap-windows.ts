/** The window of a cap: a day, a week from Monday on, or a month of the billing zone. */
export const capWindows = ["day", "week", "month"] as const;
export type CapWindow = (typeof capWindows)[number];
