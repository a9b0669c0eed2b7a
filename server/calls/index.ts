/**
 * Calls: the log of calls to the gateway. Hides the queue in memory, the batches in which it is written, how long it is
 * kept, which index answers which question, and the
 * sums by model and hour that are kept next to it. Promises that a call never waits for its own record, that each is
 * recorded once, and that a page of a million rows costs no more than a bounded walk along one index. A log, not a
 * ledger: records in the memory of a killed process are lost.
 */

export { listAttempts, reportChannel } from "./attempts";
export { type Calls, createCalls, keepCallMonths } from "./calls";
export { rankCalls, sumCalls } from "./compared";
export { eraseWords } from "./erase";
export type { CallFilter } from "./filter";
export { lastErrorsOfKeys } from "./last-errors";
export { getCall, listCalls } from "./list";
export { createMissedPaths, listMissedPaths, type MissedPaths } from "./missed-paths";
export { createModelHours, type ModelCall, type ModelHours } from "./model-hours";
export type { ModelFigures, ModelTraffic } from "./model-traffic";
export { hasAttempts, newestAttempts } from "./newest-attempts";
export { type AttemptRecord, type CallRecord, chargeIdOf } from "./rows";
export { summariseCalls } from "./summary";
