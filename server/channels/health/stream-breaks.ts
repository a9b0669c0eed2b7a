/**
 * Counts streams in a row that broke off after they had begun well; a complete stream resets the count. As with other
 * faults, a fault that one account's requests may cause counts once per account toward all. Pure.
 */
import { withEntry, withoutEntry } from "./bounded-map";
import { FAULTS_TO_OPEN } from "./breaker";
import type { FaultFields } from "./events";
import { blameOf } from "./faults";

const MAX_ACCOUNTS = 500;

/** Breaks in a row: of each account, of all. `affected`: the accounts that met one. */
export type StreamBreaks = {
  accounts: ReadonlyMap<string, number>;
  affected: ReadonlySet<string>;
  total: number;
};

export const NO_BREAKS: StreamBreaks = { accounts: new Map(), affected: new Set(), total: 0 };

/** After a complete stream of this account. */
export const completed = ({ accounts, total }: StreamBreaks, accountId: string): StreamBreaks =>
  total === 0 && accounts.size === 0
    ? NO_BREAKS
    : { ...NO_BREAKS, accounts: withoutEntry(accounts, accountId) };

/** After a stream of this account that broke off. `opens`: enough did to skip the channel, for the account or for all. */
export function brokeOff(
  breaks: StreamBreaks,
  accountId: string,
  fault: FaultFields,
): { breaks: StreamBreaks; opens: { forAccount: boolean; forAll: boolean } } {
  const blame = blameOf(fault);
  if (blame !== "channel" && blame !== "doubtful") {
    return { breaks, opens: { forAccount: false, forAll: false } };
  }
  const count = (breaks.accounts.get(accountId) ?? 0) + 1;
  const isNew = blame === "channel" || !breaks.affected.has(accountId);
  const total = Math.min(breaks.total + (isNew ? 1 : 0), FAULTS_TO_OPEN);
  return {
    breaks: {
      accounts: withEntry(breaks.accounts, [accountId, count], MAX_ACCOUNTS),
      // At the limit, no account is counted any more.
      affected: total < FAULTS_TO_OPEN ? new Set(breaks.affected).add(accountId) : breaks.affected,
      total,
    },
    opens: { forAccount: blame === "doubtful" && count >= FAULTS_TO_OPEN, forAll: total >= FAULTS_TO_OPEN },
  };
}
