import { inDecimals } from "@/server/base/money";
import { type Drift, isOfDays } from "@/server/billing";
import { shown } from "./render";

/** Rows that are shown of money, and as many of days: more than these have one common cause. */
export const MAX_SHOWN = 1_000;

/**
 * The differences that a check finds: the first ones, and the number of the others. Those of days are kept apart: nothing
 * is charged by them, and they must not hide one of money.
 */
export class Found {
  private readonly drift: Drift[] = [];
  private readonly ofDays: Drift[] = [];
  private leftOut = 0;

  /** `count`: the number of all, if `drift` has the first ones only. */
  add({ drift, count }: { drift: Drift[]; count: number }): void {
    this.leftOut += count - drift.length;
    for (const each of drift) {
      const kind = isOfDays(each) ? this.ofDays : this.drift;
      if (kind.length < MAX_SHOWN) {
        kind.push(each);
      } else {
        this.leftOut++;
      }
    }
  }

  get count(): number {
    return this.drift.length + this.ofDays.length + this.leftOut;
  }

  /** Whether no more of money are shown. */
  get isFull(): boolean {
    return this.drift.length >= MAX_SHOWN;
  }

  /** The differences to show, those of days last. */
  rows() {
    const all = inDecimals([...this.drift, ...this.ofDays]);
    return all.map(({ keyId: _, ...row }) => shown(row, { accountId: "account" }));
  }

  /** The number of differences that `rows` leaves out, in words that follow a sentence. */
  leftOutWords(): string {
    return this.leftOut === 0 ? "" : `; not shown: ${this.leftOut} more differences`;
  }
}
