import { stringify } from "csv-stringify/sync";

/** A table that is too long for memory: its rows come in batches, with one cell for each column. */
export type CsvTable = {
  /** The file's name without its extension. */
  name: string;
  columns: readonly string[];
  batches: AsyncIterable<(string | number | boolean | null)[][]>;
};

/** As many rows as a spreadsheet opens. */
const MAX_ROWS = 1_000_000;

/** A cell never runs: spreadsheets take text that begins like a formula for one. */
const cells = { escape_formulas: true, record_delimiter: "windows", cast: { boolean: String } } as const;

async function* textOf({ columns, batches }: CsvTable, maxRows: number): AsyncGenerator<string> {
  // Without the mark, Excel reads a file in the encoding of its country.
  yield stringify([[...columns]], { ...cells, bom: true });
  let rows = 0;
  for await (const batch of batches) {
    const kept = batch.slice(0, maxRows - rows);
    yield stringify(kept, cells);
    rows += kept.length;
    if (kept.length < batch.length) {
      yield stringify([[`cut off after ${maxRows} rows: choose a shorter time range`]], cells);
      return;
    }
  }
}

type Watch = { onError: (error: unknown) => void; maxRows?: number };

/**
 * Returns a table as CSV. A batch is read when its text is requested. An error is reported to `onError` and thrown:
 * half a file must not look like a whole one.
 */
export async function* csvOf(
  table: CsvTable,
  { onError, maxRows = MAX_ROWS }: Watch,
): AsyncGenerator<string> {
  try {
    yield* textOf(table, maxRows);
  } catch (error) {
    onError(error);
    throw error;
  }
}
