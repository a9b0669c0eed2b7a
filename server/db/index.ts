/** The floor: schema and clients, no rules. The tables of a room are used by that room only. */

export { isTransient } from "@/server/base/transient";
export { describeServer } from "./about";
export { type Absence, askWrites, awayFor, watchAbsence } from "./absence";
export {
  type Database,
  type Db,
  HOT_CONNECTIONS,
  openDatabase,
  patient,
  type Tx,
  transaction,
} from "./client";
export {
  type Distributed,
  distributeDatabase,
  findDistribution,
  inEachStatement,
  inStatements,
} from "./distribution";
export { findEmbeddedUrl } from "./embedded-record";
export { migrateDatabase } from "./migrate";
export { type Changes, markChanges, reportChange, watchChanges } from "./notifications";
export {
  byName,
  cutPage,
  findPage,
  highestFirst,
  type Keyset,
  newestFirst,
  oldestFirst,
  type Page,
  type PageQuery,
  type TimePageQuery,
} from "./page";
export {
  dropPartition,
  listPartitions,
  type MakeOptions,
  makePartitions,
  type Partition,
  partitionName,
} from "./partitions";
export { refusePooling } from "./pooler";
export { errorCode, findReason, reasonOf } from "./reasons";
export { openReadReplica, type ReadReplica } from "./replica";
export { type RowOf, rowOrRefuse } from "./rows";
export * as tables from "./schema";
export { explainState, findSchemaState, verifySchema } from "./schema-state";
export { lookAtServers, sayServer } from "./server-finder";
export { findStandbys, type StandbyState, type Standbys, sayStandbys } from "./standbys";
export { findTimeline } from "./timeline";
export { isDuplicate, orRefuse } from "./violations";
export { askDatabaseClock, askPools } from "./vitals";
