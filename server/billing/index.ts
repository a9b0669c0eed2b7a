/**
 * Billing: money. Hides group commit, lock order, leases and the ledger's SQL. One way to spend:
 * `hold -> capture | release`. Promises the laws of the ledger: balances are the sum of entries and open holds, no
 * commit leaves an account overspent, a call ends once, and what the dead froze comes back when its lease ends.
 */
export { type Balance, getBalance, setMonthlyQuota, topUp } from "./balances";
export { type Billing, createBilling, type Hold } from "./billing";
export { endLasting, freezeLasting } from "./lasting";
export { currentPeriod } from "./period";
export { affordableTokens, ceilingNanos, costNanos } from "./price";
export type { Charge, UsageSource } from "./settlements";
export { type LedgerEntry, listEntries, verifyLedger } from "./verify";
