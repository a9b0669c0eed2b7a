/**
 * Billing: money. Hides group commit, lock order, leases and the ledger's SQL. One way to spend: `hold -> capture |
 * release`. Guarantees the laws of the ledger: balances are the sum of entries and open holds, no commit leaves an
 * account overspent or a key beyond its cap, a call ends once, money frozen by a dead process comes back when its lease
 * ends, and a delivered call is charged, even if late.
 */

export { type Billing, createBilling } from "./billing";
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
  adjust,
  type Balance,
  debit,
  getBalance,
  hasFrozen,
  setMonthlyQuota,
  topUp,
} from "./entries/balances";
export {
  disableCodes,
  forgetMaker,
  getCodeBatch,
  listCodeBatches,
  makeCodes,
  redeemCode,
} from "./entries/code-batches";
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
} from "./entries/entries";
export { countIncidents } from "./entries/incidents";
export {
  explainCharge,
  pricesOfCharge,
} from "./entries/price";
export { leftOf, listRefunds, refundCharge, refundsByMonth, refundsOfAccounts } from "./entries/refunds";
export { exportStatement, listPeriods, listStatement } from "./entries/statement";
export { recallEscrows } from "./escrow";
export {
  ABOVE_HOLD,
  conditionsNote,
  cutNote,
  NOT_BELIEVED,
  OTHER_MODEL,
  UNREAD_COUNTS,
} from "./holds/charge-notes";
export { endDurableHold, holdDurably, payDurably } from "./holds/durable-holds";
export { countPendingCharges as countArrears } from "./holds/pending-charges";
export type { Charge } from "./holds/settlement";
export type { Hold } from "./holds/take-hold";
export type { Buyer } from "./months/caps";
export { makeLedgerMonths } from "./months/ledger-months";
export { carryTopups, type Payer } from "./months/months";
export { type HolderAllowance as Seen, type Standing, seenBy } from "./months/standing";
export { listMonthSums, sumKinds, sumMonth } from "./months/whole-month";
export { accountsSpentWithin, keysSpentWithin } from "./months/window-spend";
export { currentWindows } from "./months/windows";
export {
  findReservable,
  limitReserve,
  type Reservable,
  type Reserve,
  type ReservedAmount,
  renewReserve,
  returnFormer,
  subtractCharges,
} from "./outage/reserve";
export { type Claim, chargesOfReserve, claimReserve, findClaimable } from "./outage/reserve-claims";
export {
  ageOf,
  type Draft,
  isPublished,
  newReserveHolder,
  openDraft,
  publishDraft,
  takeBackReserve,
  withdrawReserves,
  writeDraft,
} from "./outage/reserve-files";
export { sumNextDay } from "./usage/day-sums";
export { type Earned, earnedByGroup, totalEarned } from "./usage/margin";
export { measureBooks } from "./usage/measure";
export { type ModelSales as Sold, salesByModel as soldOfModels } from "./usage/model-sales";
export { findOutageSales, measureOutage } from "./usage/outage-sales";
export { findRunningOut } from "./usage/runway";
export {
  type DaySpend,
  findFirstCharge,
  findTopSpenders,
  spendByDay,
  spendOfAccounts,
  spendOfKeys,
  usageFrom,
} from "./usage/spend";
export { spendOfDays } from "./usage/spend-days";
export { spendPointsOfKeys } from "./usage/spend-points";
export { DAYS_BEFORE, findUnusualDay } from "./usage/unusual-day";
export { totalUsage, usageByGroup, usageOverTime } from "./usage/usage";
export { type AskedSpan, pointUnits, resolveSpan, spanBefore, spanOfDays } from "./usage/usage-span";
export {
  type Drift,
  findVerified,
  isOfDays,
  isSum,
  type Place,
  repairMonth,
  type Scope,
  type Slice,
  verifyLedger,
  verifyOpenMonths,
  verifySlices,
} from "./verify";
