import type { SelectResultFields } from "drizzle-orm/query-builders/select.types";

/** The type of a row of a query for these columns. */
export type RowOf<Columns> = SelectResultFields<Columns>;

/** Returns the first row of a statement. Throws `refusal` if there is none. */
export async function rowOrRefuse<Row>(statement: PromiseLike<Row[]>, refusal: () => Error): Promise<Row> {
  const [row] = await statement;
  if (row === undefined) {
    throw refusal();
  }
  return row;
}
