import type { Program } from "./program";

const BEGIN = "<!-- clients: npm run test:clients -->";
const END = "<!-- /clients -->";
const columns = [
  "Program",
  "Speaks",
  "Loop, chat",
  "Loop, messages",
  "Loop, responses",
  "Wrong key",
  "No quota",
  "Unknown model",
  "One call a minute",
  "500 once",
];

const row = (cells: string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;

/** `text` with this program's row in the table between the marks, the others as they were. */
export function saveRow(text: string, program: Program, cells: string[]): string {
  const [before = "", rest = ""] = text.split(BEGIN);
  const [table = "", after = ""] = rest.split(END);
  const kept = table
    .split("\n")
    .filter((line) => line.startsWith("| ") && !line.startsWith(`| ${program.title} `))
    .slice(1);
  const name = `${program.title} ${program.version}`;
  const rows = [row(columns), `|${" --- |".repeat(columns.length)}`].concat(
    kept.filter((line) => !line.startsWith("| ---")),
    row([name, program.dialect, ...cells]),
  );
  return `${before}${BEGIN}\n${rows.join("\n")}\n${END}${after}`;
}
