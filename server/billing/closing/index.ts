/** Months that are over: summed up, bound to each other in a chain, and their entries taken to an archive. */
export { archiveLines, dropArchived, findArchived, readArchive } from "./archive";
export { type Closing, latestClosings, verifyChain } from "./chain";
export { closeMonth, closeOldMonths, type NotClosed } from "./close";
