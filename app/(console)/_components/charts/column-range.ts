/** Columns of a chart that a person marks: the one where they began stays, the other one moves. */
export type ColumnRange = { anchor: number; end: number };

/** Where a chart draws its columns, in pixels of the window. */
export type Plot = { left: number; width: number };

const within = (column: number, count: number) => Math.min(Math.max(column, 0), count - 1);

/** The marked columns from left to right. */
export const boundsOf = ({ anchor, end }: ColumnRange) => ({
  first: Math.min(anchor, end),
  last: Math.max(anchor, end),
});

/** The column at a place of the window. Beside the plot it is the outermost one. */
export const columnAt = (x: number, { left, width }: Plot, count: number): number =>
  within(Math.floor(((x - left) / width) * count), count);

export const isInPlot = (x: number, { left, width }: Plot): boolean => x >= left && x < left + width;

const steps: Record<string, (end: number, count: number) => number> = {
  ArrowLeft: (end) => end - 1,
  ArrowRight: (end) => end + 1,
  // A slider also moves by the vertical arrows.
  ArrowDown: (end) => end - 1,
  ArrowUp: (end) => end + 1,
  Home: () => 0,
  End: (_, count) => count - 1,
};

/** The range after a key; null: the key moves nothing. `isWider`: the first column stays, as with Shift in a text. */
export function moved(
  { anchor, end }: ColumnRange,
  key: string,
  { isWider, count }: { isWider: boolean; count: number },
): ColumnRange | null {
  const step = steps[key];
  if (!step) {
    return null;
  }
  const next = within(step(end, count), count);
  return { anchor: isWider ? anchor : next, end: next };
}
