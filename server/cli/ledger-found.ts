import { inDecimals } from "@/server/base/money";
import { type Drift, isOfDays, isSum } from "@/server/billing";
import { shown } from "./render";

/** Rows that are shown of money, and as many of days: more than these have one common cause. */
export const MAX_SHOWN = 1_000;

type Month = Pick<Drift, "accountId" | "period">;

/**
 * The differences that a check finds. Those of days are kept apart and only so many of them: nothing is charged by them,
 * and they must not hide one of money.
 */
export class Found {
  readonly drift: Drift[] = [];
  /** The months of all differing sums, also of those that are left out. */
  readonly months = new Map<string, Month>();
  private readonly ofDays: Drift[] = [];
  private leftOut = 0;

  add(differences: Drift[]): void {
    for (const each of differences) {
      const { accountId, period } = each;
      if (isSum(each)) {
        this.months.set(`${accountId} ${period}`, { accountId, period });
      }
      if (!isOfDays(each)) {
        this.drift.push(each);
      } else if (this.ofDays.length < MAX_SHOWN) {
        this.ofDays.push(each);
      } else {
        this.leftOut++;
      }
    }
  }

  get count(): number {
    return this.drift.length + this.ofDays.length + this.leftOut;
  }

  /** The differences to show, those of days last. */
  rows() {
    const all = inDecimals([...this.drift, ...this.ofDays]);
    return all.map(({ keyId: _, ...row }) => shown(row, { accountId: "account" }));
  }

  /** The number of differences that `rows` leaves out, in words that follow a sentence. A step names only its first ones. */
  leftOutWords(): string {
    return this.leftOut === 0 ? "" : `; not shown: at least ${this.leftOut} more sums of days that differ`;
  }
}
