/**
 * Prices as a CSV file with one price a line, as spreadsheets open and save it. Pure. A cell that begins like a formula
 * is written with an apostrophe before it, which reading removes.
 */
import { parse } from "csv-parse/sync";
import { stringify } from "csv-stringify/sync";
import { formatMoney, type Nanos, parseMoney } from "@/server/base/money";
import { isPriceName, type PriceName } from "@/server/pricing";

/** `beginsAt`: null is now. */
export type PricedLine = { modelId: string; name: PriceName; price: Nanos | null; beginsAt: Date | null };
export type FileLine = PricedLine & { line: number };

/** A problem in a line; the console has a text for each. */
export type LineProblem = {
  line: number;
  problem:
    | "unreadable"
    | "columns"
    | "tooMany"
    | "modelUnknown"
    | "nameUnknown"
    | "nameOfOtherKind"
    | "price"
    | "moment"
    | "momentOver"
    | "currency"
    | "twice";
  /** The cell's text. */
  value: string;
};

export const priceFileColumns = ["model", "price_of", "price", "currency", "begins_at"] as const;
const needed = ["model", "price_of", "price"] as const;

/** The most lines of a file: a thousand models with all their classes of tokens, twice. */
const MOST_LINES = 10_000;

/** The cells of a line. */
export const cellsOfLine = (
  { modelId, name, price, beginsAt }: PricedLine,
  currency: string,
): Record<(typeof priceFileColumns)[number], string> => ({
  // A name that begins with an apostrophe gets a second one, which reading removes.
  model: modelId.startsWith("'") ? `'${modelId}` : modelId,
  price_of: name,
  price: price === null ? "" : formatMoney(price),
  currency,
  begins_at: beginsAt?.toISOString() ?? "",
});

export const priceFile = (lines: readonly PricedLine[], currency: string): string =>
  stringify([[...priceFileColumns], ...lines.map((line) => Object.values(cellsOfLine(line, currency)))], {
    bom: true,
    escape_formulas: true,
    record_delimiter: "windows",
  });

type CsvRecord = { record: string[]; info: { lines: number } };
type Cells = { line: number; cellOf: (column: (typeof priceFileColumns)[number]) => string };

const ESCAPED = /^'(?=['=+\-@\t\r])/;

/**
 * The delimiter of the column names. Spreadsheets paste tabs, and save semicolons where the comma is the decimal point.
 */
const delimiterOf = (text: string): string => /[,;\t]/.exec(text)?.[0] ?? ",";

const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})$/;

/** null: not a moment. A moment without a zone would mean another one in each zone. */
function momentOf(text: string): Date | null {
  const at = new Date(text);
  return MOMENT.test(text) && !Number.isNaN(at.getTime()) ? at : null;
}

const LIMIT = 10n ** 15n;

/** Reads a price from 0 to below a million; null: empty; undefined: not a price. */
function priceOf(text: string): Nanos | null | undefined {
  const price = text === "" ? null : parseMoney(text);
  const isPrice = price === null ? text === "" : price >= 0n && price < LIMIT;
  return isPrice ? price : undefined;
}

function readLine({ line, cellOf }: Cells, { currency, now }: PriceFileContext): FileLine | LineProblem {
  const wrong = (problem: LineProblem["problem"], value: string): LineProblem => ({ line, problem, value });
  const [name, written, moment, own] = [
    cellOf("price_of"),
    cellOf("price"),
    cellOf("begins_at"),
    cellOf("currency"),
  ];
  const price = priceOf(written);
  const beginsAt = momentOf(moment);
  if (!isPriceName(name)) {
    return wrong("nameUnknown", name);
  }
  if (price === undefined) {
    return wrong("price", written);
  }
  if (own !== "" && own.toUpperCase() !== currency) {
    return wrong("currency", own);
  }
  if (moment !== "" && beginsAt === null) {
    return wrong("moment", moment);
  }
  if (beginsAt !== null && beginsAt <= now) {
    return wrong("momentOver", moment);
  }
  return { line, modelId: cellOf("model"), name, price, beginsAt };
}

const isProblem = (read: FileLine | LineProblem): read is LineProblem => "problem" in read;

function recordsOf(text: string): CsvRecord[] | LineProblem {
  try {
    return parse(text, {
      bom: true,
      info: true,
      delimiter: delimiterOf(text),
      relax_column_count: true,
      skip_empty_lines: true,
      to: MOST_LINES + 2,
    }) as unknown as CsvRecord[];
  } catch (error) {
    const line = error instanceof Error && "lines" in error ? Number(error.lines) : 1;
    return { line, problem: "unreadable", value: "" };
  }
}

type PriceFileContext = { currency: string; now: Date };

/** The lines of a file, and the problems of lines that cannot be read; both in order. */
export function readPriceFile(
  text: string,
  terms: PriceFileContext,
): { lines: FileLine[]; problems: LineProblem[] } {
  const records = recordsOf(text);
  if (!Array.isArray(records)) {
    return { lines: [], problems: [records] };
  }
  const [head, ...body] = records;
  const names = (head?.record ?? []).map((name) => name.trim().toLowerCase());
  const missing = needed.find((name) => !names.includes(name));
  if (missing !== undefined) {
    return { lines: [], problems: [{ line: 1, problem: "columns", value: missing }] };
  }
  const read = body.slice(0, MOST_LINES).map(({ record, info }) => {
    const cell = (column: string) => (record[names.indexOf(column)] ?? "").replace(ESCAPED, "");
    // A model's name may have any characters, so its cell alone is not trimmed.
    return readLine(
      { line: info.lines, cellOf: (column) => (column === "model" ? cell(column) : cell(column).trim()) },
      terms,
    );
  });
  const lines = read.filter((each): each is FileLine => !isProblem(each));
  const keys = new Set<string>();
  const twice = lines.flatMap(({ line, modelId, name, beginsAt }): LineProblem[] => {
    const key = JSON.stringify([modelId, name, beginsAt]);
    const isKnown = keys.has(key);
    keys.add(key);
    return isKnown ? [{ line, problem: "twice", value: name }] : [];
  });
  const over = body[MOST_LINES];
  const problems = [...read.filter(isProblem), ...twice];
  return {
    lines,
    problems: [
      ...problems.sort((a, b) => a.line - b.line),
      ...(over ? [{ line: over.info.lines, problem: "tooMany" as const, value: String(MOST_LINES) }] : []),
    ],
  };
}
