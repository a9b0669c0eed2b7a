/** The floor: schema and clients, no rules. The tables of a room are used by that room only. */

export { type Changes, reportChange, watchChanges } from "./changes";
export { type Database, type Orm, openDatabase, type Queryable, type Transaction } from "./client";
export { findEmbeddedUrl } from "./embedded-record";
export { migrateDatabase, migrationsAreCurrent } from "./migrate";
export * as tables from "./schema";
export { isTransient } from "./transient";
