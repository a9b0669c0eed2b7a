import { stringify } from "csv-stringify/sync";

/** A table that is too long to be held: its rows come in batches, one cell for each column. */
export type Table = {
  /** Of the file, without its ending. */
  name: string;
  columns: readonly string[];
  batches: AsyncIterable<(string | number | boolean | null)[][]>;
};

/** What a spreadsheet still opens. */
const MAX_ROWS = 1_000_000;

/** What a cell says never runs: a spreadsheet takes text that begins like a formula for one. */
const cells = { escape_formulas: true, record_delimiter: "windows", cast: { boolean: String } } as const;

async function* textOf({ columns, batches }: Table, maxRows: number): AsyncGenerator<string> {
  // Excel takes a file without the mark for one in the encoding of its country.
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
 * A table as CSV. A batch is read when its text is asked for. What fails on the way is told to `onError`, and thrown: half
 * a file must not look like a whole one.
 */
export async function* csvOf(table: Table, { onError, maxRows = MAX_ROWS }: Watch): AsyncGenerator<string> {
  try {
    yield* textOf(table, maxRows);
  } catch (error) {
    onError(error);
    throw error;
  }
}
