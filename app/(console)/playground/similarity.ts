/** The cosine similarity of two vectors: 1 for the same direction, 0 for nothing in common. Drawn, never charged. */
export function cosine(left: number[], right: number[]): number {
  const dot = (a: number[], b: number[]) => a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);
  const lengths = Math.sqrt(dot(left, left) * dot(right, right));
  // Floating-point roots are not exact, and the result could be 1.000000001.
  return lengths === 0 ? 0 : Math.max(-1, Math.min(1, dot(left, right) / lengths));
}

/** The texts of a field, one per line, without empty lines. */
export const linesOf = (text: string): string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
