/** The floor: schema and clients, no rules. The tables of a room are used by that room only. */

export { isTransient } from "@/server/base/transient";
export { type Database, openDatabase, type Queryable } from "./client";
export { findEmbeddedUrl } from "./embedded-record";
export { migrateDatabase, migrationsAreCurrent } from "./migrate";
export { reportChange, watchChanges } from "./notifications";
export * as tables from "./schema";
export type { PinnedUpstream } from "./schema/videos";
