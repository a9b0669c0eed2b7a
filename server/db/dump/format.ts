/**
 * A dump is text in lines: the head, then for each table its section and its rows as PostgreSQL's COPY writes them,
 * ended by `\.`, then the foot. COPY escapes line ends, so no row contains one and no row is `\.`.
 */
import { z } from "zod";
import { Refusal } from "@/server/domain/refusal";

const FORMAT = 1;
export const END_OF_ROWS = "\\.";

const Name = z.string().regex(/^[a-z_][a-z0-9_]*$/);

/** `migration`: the time of the database's newest migration. Only a schema with the same one can take the rows. */
export const Head = z.strictObject({
  tollgate: z.literal("dump"),
  format: z.literal(FORMAT),
  migration: z.string(),
  takenAt: z.string(),
});
export type Head = z.infer<typeof Head>;

/** A partition: its name, and PostgreSQL's text of its bound. */
const Partition = z.strictObject({
  name: Name,
  bound: z.string().regex(/^(?:FOR VALUES (?:IN|FROM) \([^;]*\)|DEFAULT)$/),
});

/** A table's section. Parents come before the tables that refer to them. */
export const Section = z.strictObject({
  table: Name,
  columns: z.array(Name),
  partitions: z.array(Partition),
});
export type Section = z.infer<typeof Section>;

/** `sha256`: of all lines before it, in hexadecimal. */
export const Foot = z.strictObject({ tables: z.number(), rows: z.number(), sha256: z.string() });
export type Foot = z.infer<typeof Foot>;

export const headOf = (facts: Pick<Head, "migration" | "takenAt">): Head => ({
  tollgate: "dump",
  format: FORMAT,
  ...facts,
});

export const damaged = () => new Refusal("the dump is incomplete or was changed", null);

/** Throws Refusal. */
export function readLine<T>(schema: z.ZodType<T>, line: Buffer | null): T {
  try {
    return schema.parse(JSON.parse(line?.toString("utf8") ?? ""));
  } catch (error) {
    throw error instanceof Error ? Object.assign(damaged(), { cause: error }) : error;
  }
}
