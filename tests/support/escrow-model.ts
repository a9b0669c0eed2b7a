import { type Nanos, nanos } from "@/server/base/money";
import { RENEWED_AFTER } from "@/server/billing/escrow/draws";
import type { Fold } from "@/server/billing/escrow/folds";
import type { HoldRequest } from "@/server/billing/holds/holds";
import type { AccountId, KeyId } from "@/server/domain/ids";
import { branded } from "./branded";

/** A lease, and the part of it in which its escrow can pay; in milliseconds of the model's clock. */
const LEASE_MS = 20_000;
export const USABLE_MS = 15_000;

const ACCOUNT: AccountId = branded("acc_model");

type HoldRow = {
  period: string;
  amount: bigint;
  captured: bigint;
  /** The amount by which upstreams exceeded the parts of its calls. */
  overHold: bigint;
  expiresAt: number;
  isEscrow: boolean;
};
type EscrowMonth = { quota: bigint; used: bigint; frozen: bigint };
type EscrowEntry = { kind: "capture" | "release"; period: string; amount: bigint; held: bigint };

export type DrawOutcome = "ended" | "capture" | "release" | "gone";

/**
 * Models the effect of the room's statements on one account's ledger, each at one moment: the database, as processes
 * may rely on it. It knows nothing of the memory of processes, which may be out of date.
 */
export class EscrowModel {
  now = 0;
  readonly rows = new Map<string, HoldRow>();
  readonly months = new Map<string, EscrowMonth>();
  readonly entries = new Map<string, EscrowEntry>();

  constructor(readonly quota: bigint) {}

  month(period: string): EscrowMonth {
    const month = this.months.get(period) ?? { quota: this.quota, used: 0n, frozen: 0n };
    this.months.set(period, month);
    return month;
  }

  available(period: string): bigint {
    const { quota, used, frozen } = this.month(period);
    return quota - used - frozen;
  }

  #freeze(id: string, row: Omit<HoldRow, "captured" | "overHold" | "expiresAt">): void {
    this.month(row.period).frozen += row.amount;
    this.rows.set(id, { ...row, captured: 0n, overHold: 0n, expiresAt: this.now + LEASE_MS });
  }

  /** `insertHolds`: an escrow if the account has much more than that, else the call's hold, else nothing. */
  insert({ requestId, period, amount, escrow }: HoldRequest): { amount: Nanos; isEscrow: boolean } | null {
    const part = this.available(period) / 16n;
    const aside = escrow && escrow.amount < part ? escrow.amount : part;
    if (escrow && aside >= 2n * amount && aside > 0n) {
      this.#freeze(escrow.id, { period, amount: aside, isEscrow: true });
      return { amount: nanos(aside), isEscrow: true };
    }
    if (this.available(period) < amount) {
      return null;
    }
    this.#freeze(requestId, { period, amount, isEscrow: false });
    return { amount, isEscrow: false };
  }

  /** `drawOnEscrows`, for one call. */
  draw(escrowId: string, requestId: string, end: { charge: bigint | null; held: bigint }): DrawOutcome {
    const earlier = this.entries.get(requestId);
    if (earlier) {
      return earlier.kind;
    }
    const row = this.rows.get(escrowId);
    if (!row) {
      return "gone";
    }
    const { charge, held } = end;
    // A draw leaves a lease as it is that was renewed only just.
    if (row.expiresAt < this.now + LEASE_MS * (1 - RENEWED_AFTER)) {
      this.#renewRow(escrowId);
    }
    row.captured += charge ?? 0n;
    row.overHold += charge !== null && charge > held ? charge - held : 0n;
    this.entries.set(requestId, this.#entry(row.period, charge, held));
    return "ended";
  }

  #entry = (period: string, charge: bigint | null, held: bigint): EscrowEntry =>
    charge === null
      ? { kind: "release", period, amount: held, held }
      : { kind: "capture", period, amount: charge, held };

  /** `endHolds`, for one call: of its own hold, or late. */
  end(requestId: string, period: string, charge: bigint | null): void {
    const row = this.rows.get(requestId);
    if (this.entries.has(requestId) || (!row && charge === null)) {
      return;
    }
    const month = this.month(period);
    month.frozen -= row?.amount ?? 0n;
    month.used += charge ?? 0n;
    this.rows.delete(requestId);
    this.entries.set(requestId, this.#entry(period, charge, row?.amount ?? 0n));
  }

  /** `foldEscrows`. */
  fold(folds: Fold[]): void {
    for (const { id, period, keep: requestedKeep } of folds) {
      const row = this.rows.get(id);
      if (row) {
        const target = requestedKeep ?? 0n;
        const keep = target < row.amount ? target : row.amount;
        this.month(period).used += row.captured;
        this.month(period).frozen -= row.amount - keep;
        row.captured = 0n;
        row.amount = keep;
        if (requestedKeep === null) {
          this.rows.delete(id);
        }
      }
    }
  }

  /** `renewHolds`. `isLocked`: another process has locked the rows, so that only missing rows are reported. */
  renew(ids: string[], isLocked: boolean): { renewed: string[]; lost: string[] } {
    const there = ids.filter((id) => this.rows.has(id));
    const renewed = isLocked ? [] : there;
    for (const id of renewed) {
      this.#renewRow(id);
    }
    return { renewed, lost: ids.filter((id) => !there.includes(id)) };
  }

  #renewRow(id: string): void {
    const row = this.rows.get(id);
    if (row) {
      row.expiresAt = this.now + LEASE_MS;
    }
  }

  /** `sweepHolds`. */
  sweep(): void {
    for (const [id, row] of this.rows) {
      if (row.expiresAt < this.now) {
        this.month(row.period).used += row.captured;
        this.month(row.period).frozen -= row.amount;
        this.rows.delete(id);
      }
    }
  }
}

export const requestOf = (
  requestId: string,
  want: { key: number; period: string; amount: bigint },
): HoldRequest => ({
  ...{ requestId, accountId: ACCOUNT, period: want.period },
  ...{ keyId: branded<KeyId>(`key_${want.key}`), keyCap: null, amount: nanos(want.amount) },
  minimum: nanos(want.amount),
});
