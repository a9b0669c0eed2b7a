import type { SelectResultFields } from "drizzle-orm/query-builders/select.types";

/** A row of a query for these columns. */
export type RowOf<Columns> = SelectResultFields<Columns>;

/** The first row that a statement answers. Throws `refusal` where there is none. */
export async function rowOrRefuse<Row>(statement: PromiseLike<Row[]>, refusal: () => Error): Promise<Row> {
  const [row] = await statement;
  if (row === undefined) {
    throw refusal();
  }
  return row;
}
