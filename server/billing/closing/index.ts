/** Closed months: sums them up, links them in a chain, and moves their entries to an archive. */
export { archiveLines, dropArchived, findArchived, readArchive } from "./archive";
export { type Closing, latestClosings, verifyChain } from "./chain";
export { closeMonth, closeOldMonths, type NotClosed } from "./close";
