import { snakeCase } from "@/server/base/snake-case";

type TableRow = Record<string, unknown>;

/** A thing as commands show it: its names in snake case, or as given in `names`. */
export const shown = (thing: object, names: Record<string, string> = {}): TableRow =>
  Object.fromEntries(
    Object.entries(thing).map(([name, value]: [string, unknown]) => [names[name] ?? snakeCase(name), value]),
  );

/** A value as commands show it, with the names in nested values converted, too. */
export function shownWhole(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(shownWhole);
  }
  return typeof value === "object" && value !== null && !(value instanceof Date)
    ? Object.fromEntries(Object.entries(value).map(([name, member]) => [snakeCase(name), shownWhole(member)]))
    : value;
}

const cell = (value: unknown): string => {
  if (value === null || value === undefined) {
    return "-";
  }
  if (value instanceof Date) {
    return value.toISOString();
  }
  return typeof value === "object" ? JSON.stringify(value) : String(value);
};

function table(rows: TableRow[]): string {
  const names = Object.keys(rows[0] ?? {});
  const lines = [names, ...rows.map((row) => names.map((name) => cell(row[name])))];
  const widths = names.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((text, column) => text.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a terminal takes for commands
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** Text for a terminal. Customers choose names in it, and vendors write their errors: none of it may be a command to it. */
export const printable = (text: string): string => text.replaceAll(controls, "\ufffd");

/** A result with a text for people. */
export class Report {
  constructor(
    private readonly value: unknown,
    readonly text: string,
  ) {}

  toJSON() {
    return this.value;
  }
}

/** A result for people: a list as a table, a single thing as lines. */
export function render(value: unknown): string {
  if (value instanceof Report) {
    return value.text;
  }
  if (Array.isArray(value)) {
    return value.length === 0 ? "(none)" : table(value as TableRow[]);
  }
  if (typeof value === "object" && value !== null) {
    const width = Math.max(...Object.keys(value).map((name) => name.length));
    return Object.entries(value)
      .map(([name, field]) => `${name.padEnd(width)}  ${cell(field)}`)
      .join("\n");
  }
  return String(value);
}
