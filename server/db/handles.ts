/** The ways to open a `Db`, for rooms only: `.dependency-cruiser.cjs`. */
import { type Database, type Db, HANDLES } from "./client";

/** Drizzle over the database, or over the transaction. */
export const ormOf = (db: Db) => db[HANDLES].orm;

/** The driver, for the hot path. In a transaction it shares Drizzle's connection, whose dates and JSON are text. */
export const sqlOf = <Sql>(db: { readonly [HANDLES]: { sql: Sql } }): Sql => db[HANDLES].sql;

/**
 * Whether accounts' rows are spread over machines, so that a statement that locks may have rows of one account only.
 */
export const isDistributed = (db: { readonly [HANDLES]: { isDistributed: boolean } }): boolean =>
  db[HANDLES].isDistributed;

/** Whether it is a transaction, which an error of any statement undoes. */
export const isTransaction = (db: Db): boolean => "isTransaction" in db[HANDLES];

/** The same database, but commits do not wait for the disk: for rows that need not survive a power cut. */
export const relaxed = (db: Database): Db => db[HANDLES].relaxed;
