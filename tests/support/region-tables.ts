/** Prints a table of figures as the pages have it. */
export function printTable(head: string[], rows: string[][]): void {
  const lines = [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`);
  console.log(`\n${new Date().toISOString().slice(0, 10)}\n\n${lines.join("\n")}\n`);
}

/** The value below which this share of the values is. */
export function percentile(values: number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

export const inMs = (ms: number): string => `${ms.toFixed(ms < 10 ? 1 : 0)} ms`;
export const inSeconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
