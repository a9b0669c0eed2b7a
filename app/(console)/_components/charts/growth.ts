/** The growth of a figure: 0.5 is half as much again; null: the figure was 0 before. */
export const growth = (now: number, before: number): number | null =>
  before === 0 ? null : now / before - 1;
