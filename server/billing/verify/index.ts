/** Whether the books are right (law 5): the ledger's sums against its entries and holds, step by step; and mending them. */
export type { Drift } from "./figures";
export { isSum, repairMonth } from "./repair";
export { findVerified, verifyOpenMonths } from "./rounds";
export { type Place, type Scope, verifyLedger, verifySlices } from "./slices";
