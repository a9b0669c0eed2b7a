/** The rows of a batch as a part of a statement. */
import type { Fragment, ISql } from "postgres";

type ColumnType = "text" | "integer" | "bigint" | "boolean" | "jsonb" | "timestamptz";

/** The columns of a batch's rows, each with its type in PostgreSQL. */
type Columns = Record<string, ColumnType>;

/** `bigint` is decimal text, `jsonb` JSON text, `timestamptz` ISO 8601; a missing value is null. */
type ValueOf<Type extends ColumnType> =
  | (Type extends "boolean" ? boolean : string | number)
  | null
  | undefined;

export type BatchRow<Of extends Columns> = { [Name in keyof Of]?: ValueOf<Of[Name]> };

/** A template that is made once: `head`, a parameter for each cast, and `tail`. */
function templateOf(head: string, casts: string[], tail: string): TemplateStringsArray {
  const parts = [head, ...casts.map((cast, index) => `::${cast}${index < casts.length - 1 ? ", " : tail}`)];
  return Object.assign(parts, { raw: parts });
}

/**
 * Returns a function that makes a batch's rows a source named `name`, to write after `from`. A batch has one of two
 * forms, so that a connection prepares few statements. One row is its values, which PostgreSQL reads as constants;
 * several rows are an array for each column. Measured against one JSON text: decision 71.
 */
export function batchRows<Of extends Columns>(name: string, columns: Of) {
  const names = Object.keys(columns);
  const types = Object.values(columns);
  const as = `) as ${name} (${names.join(", ")})`;
  // Text reaches PostgreSQL as it is. By its own rules, the driver would print JSON text as JSON once more, parse times
  // and print them again, and print each text in an array of booleans as false.
  const castOf = (type: ColumnType, ending: "" | "[]") =>
    type === "jsonb" || type === "timestamptz" || (type === "boolean" && ending === "[]")
      ? `text${ending}::${type}${ending}`
      : `${type}${ending}`;
  const textOf = (value: BatchRow<Of>[string]) =>
    typeof value === "boolean" ? String(value) : (value ?? null);
  const one = templateOf(
    "(values (",
    types.map((type) => castOf(type, "")),
    `)${as}`,
  );
  const several = templateOf(
    "unnest(",
    types.map((type) => castOf(type, "[]")),
    as,
  );
  return (sql: ISql, rows: readonly BatchRow<Of>[]): Fragment => {
    const [first] = rows;
    return first !== undefined && rows.length === 1
      ? sql(one, ...names.map((column) => first[column] ?? null))
      : sql(several, ...names.map((column) => rows.map((row) => textOf(row[column]))));
  };
}
