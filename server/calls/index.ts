/**
 * Calls: the log of calls to the gateway. Hides the queue in memory, the batches in which it is written, how long it is
 * kept, and which index answers which question. Promises that a call never waits for its own record, that each is
 * recorded once, and that a page of a million rows costs no more than a bounded walk along one index. A log, not a
 * ledger: records in the memory of a killed process are lost.
 */

export { listAttempts, reportChannel } from "./attempts";
export { type Calls, createCalls, keepCallMonths } from "./calls";
export { eraseWords } from "./erase";
export { lastErrorsOfKeys } from "./last-errors";
export { type CallFilter, getCall, listCalls } from "./list";
export { createMissedPaths, listMissedPaths, type MissedPaths } from "./missed-paths";
export { hasAttempts, newestAttempts } from "./newest-attempts";
export { type AttemptRecord, type CallRecord, chargeIdOf } from "./rows";
export { summariseCalls } from "./summary";
