/**
 * How alike two vectors are: 1 when they point the same way, 0 when they have nothing in common. Drawn, never charged.
 */
export function cosine(one: number[], other: number[]): number {
  const dot = (a: number[], b: number[]) => a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);
  const lengths = Math.sqrt(dot(one, one) * dot(other, other));
  // The roots of very small numbers are not exact, and a share of 1.000000001 would be drawn.
  return lengths === 0 ? 0 : Math.max(-1, Math.min(1, dot(one, other) / lengths));
}

/** The texts of a field with one a line; empty lines are none. */
export const linesOf = (text: string): string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
