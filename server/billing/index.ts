/**
 * Billing: money. Hides group commit, lock order, leases and the ledger's SQL. One way to spend: `hold -> capture |
 * release`. Guarantees the laws of the ledger: balances are the sum of entries and open holds, no commit leaves an
 * account overspent or a key beyond its cap, a call ends once, money frozen by a dead process comes back when its lease
 * ends, and a delivered call is charged, even if late.
 */

export { adjust, type Balance, debit, getBalance, hasFrozen, setMonthlyQuota, topUp } from "./balances";
export { type Billing, createBilling } from "./billing";
export type { Buyer } from "./ceilings";
export {
  archiveLines,
  type Closing,
  closeMonth,
  closeOldMonths,
  dropArchived,
  findArchived,
  latestClosings,
  type NotClosed,
  readArchive,
  verifyChain,
} from "./closing";
export {
  disableCodes,
  forgetMaker,
  getCodeBatch,
  listCodeBatches,
  makeCodes,
  redeemCode,
} from "./code-batches";
export { endDurableHold, holdDurably, payDurably } from "./durable-holds";
export {
  conditionsOfCharge,
  cutOf,
  findCharges,
  hasOtherModel,
  hasUnreadCounts,
  isLateCharge,
  isNotBelieved,
  type LedgerEntry,
  listEntries,
} from "./entries";
export { recallEscrows } from "./escrow";
export { countIncidents } from "./incidents";
export { makeLedgerMonths } from "./ledger-months";
export { type Earned, earnedByGroup, totalEarned } from "./margin";
export { measureBooks } from "./measure";
export { type ModelSales as Sold, salesByModel as soldOfModels } from "./model-sales";
export { carryTopups, type Payer } from "./months";
export { countPendingCharges as countArrears } from "./pending-charges";
export {
  explainCharge,
  pricesOfCharge,
} from "./price";
export { leftOf, listRefunds, refundCharge } from "./refunds";
export { findRunningOut } from "./runway";
export {
  ABOVE_HOLD,
  type Charge,
  conditionsNote,
  cutNote,
  NOT_BELIEVED,
  OTHER_MODEL,
  UNREAD_COUNTS,
} from "./settlements";
export { type DaySpend, findTopSpenders, spendByDay, spendOfAccounts, spendOfKeys, usageFrom } from "./spend";
export { spendOfDays } from "./spend-days";
export { spendPointsOfKeys } from "./spend-points";
export { type HolderAllowance as Seen, type Standing, seenBy } from "./standing";
export { exportStatement, listPeriods, listStatement } from "./statement";
export type { Hold } from "./take-hold";
export { totalUsage, usageByGroup, usageOverTime } from "./usage";
export { type AskedSpan, pointUnits, resolveSpan, spanBefore } from "./usage-span";
export {
  type Drift,
  findVerified,
  isSum,
  type Place,
  repairMonth,
  type Scope,
  verifyLedger,
  verifyOpenMonths,
  verifySlices,
} from "./verify";
export { listMonthSums, sumMonth } from "./whole-month";
export { accountsSpentWithin, keysSpentWithin } from "./window-spend";
export { currentWindows } from "./windows";
