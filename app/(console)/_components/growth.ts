/** By how much something has grown: 0.5 is half as much again; null: there was nothing before. */
export const growth = (now: number, before: number): number | null =>
  before === 0 ? null : now / before - 1;
