/**
 * Verifies the books (law 5): compares the ledger's sums with its entries and holds, step by step, and repairs them.
 */
export { isOfDays } from "./day-drift";
export type { Drift } from "./drift";
export { isSum, repairMonth } from "./repair";
export { findVerified, verifyOpenMonths } from "./rounds";
export { type Scope, type Slice, type VerifyCursor as Place, verifyLedger, verifySlices } from "./slices";
