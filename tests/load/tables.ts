import { readFileSync, writeFileSync } from "node:fs";

const DOCUMENT = "docs/benchmarks.md";

export const number = (value: number, digits: number) =>
  Number.isFinite(value) ? value.toFixed(digits) : "—";

export function table(head: string[], rows: string[][]): string {
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: string[]) =>
    `| ${cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join(" | ")} |`;
  const rule = `| ${widths.map((width, column) => (column === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`)).join(" | ")} |`;
  return [line(head), rule, ...rows.map(line)].join("\n");
}

/** Replaces the text between `<!-- bench:name -->` and `<!-- /bench:name -->` in a document. */
export function writeBlock(name: string, text: string, path = DOCUMENT): void {
  const [open, close] = [`<!-- bench:${name} -->`, `<!-- /bench:${name} -->`];
  const document = readFileSync(path, "utf8");
  const start = document.indexOf(open);
  const end = document.indexOf(close);
  if (start === -1 || end < start) {
    throw new Error(`${path} has no block ${open}`);
  }
  writeFileSync(path, `${document.slice(0, start + open.length)}\n\n${text}\n\n${document.slice(end)}`);
}
