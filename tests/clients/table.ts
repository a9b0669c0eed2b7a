import type { Program } from "./program";

const columns = {
  loops: ["Program", "Speaks", "chat", "messages", "responses", "gemini"],
  refusals: ["Program", "Wrong key", "No quota", "Unknown model", "One call a minute", "500 once"],
  "compat-errors": ["Program", "Wrong key", "No quota", "Unknown model"],
  caching: ["Program", "Calls", "Tokens of prompts", "Read", "Written", "Neither", "Paid for", "Measured"],
} as const;
export type TableName = keyof typeof columns;

/** The page that has the table. */
export const fileOf = (table: TableName) =>
  table === "caching" ? "docs/prompt-caching.md" : "docs/programs.md";

const row = (cells: readonly string[]) =>
  `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;

type ProgramRow = { program: Program; cells: string[] };

/**
 * Returns `text` with this program's row in the table between its marks. The other rows stay; the order is that of
 * `programs`.
 */
export function saveRow(
  text: string,
  { table, programs }: { table: TableName; programs: Program[] },
  { program, cells }: ProgramRow,
): string {
  const begin = `<!-- clients: ${table} -->`;
  const end = `<!-- /clients: ${table} -->`;
  const [before = "", rest = ""] = text.split(begin);
  const [old = "", after = ""] = rest.split(end);
  const rows = old.split("\n").filter((line) => line.startsWith("| ") && !line.startsWith("| ---"));
  const mine = row([`${program.title} ${program.version}`, ...cells]);
  const others = rows.slice(1);
  const placeOf = (line: string) => programs.findIndex(({ title }) => line.startsWith(`| ${title} `));
  const kept = [...others.filter((line) => placeOf(line) !== programs.indexOf(program)), mine].sort(
    (a, b) => placeOf(a) - placeOf(b),
  );
  const head = [row(columns[table]), `|${" --- |".repeat(columns[table].length)}`];
  return `${before}${begin}\n${[...head, ...kept].join("\n")}\n${end}${after}`;
}
