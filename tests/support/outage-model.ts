/** The statements of the room for one account with an outage allowance, each at one moment. */
import { nanos } from "@/server/base/money";
import { RESERVED } from "@/server/billing/outage/grants";
import type { PartGrant, PartRequest } from "@/server/billing/outage/parts";

/** A charge on the disk of the machine. */
export type Stored = { processId: string; charge: bigint; held: bigint; isDead: boolean };

export const QUOTA = 150n;
export const ALLOWANCE = 100n;
const KEPT_MS = 3_720_000;
/** Longer than any history: a day in the database. */
const RESERVE_KEPT_MS = 1e12;

export const isReserveId = (id: string) => id.startsWith("reserve_");

export const least = (...amounts: bigint[]) => amounts.reduce((low, amount) => (amount < low ? amount : low));
export const most = (...amounts: bigint[]) =>
  amounts.reduce((high, amount) => (amount > high ? amount : high));
export const sumOf = (amounts: Iterable<bigint>) =>
  [...amounts].reduce((total, amount) => total + amount, 0n);

/** A model of the room's statements for one account with an allowance. Each statement happens at one moment. */
export class OutageModel {
  now = 0;
  used = 0n;
  readonly parts = new Map<string, { amount: bigint; turn: number; expiresAt: number }>();
  readonly entries = new Map<string, bigint>();
  /** The holds of the month. */
  readonly holds = new Map<string, bigint>();
  /** By how much charges were above what their calls held, and charges that came after their part was returned. */
  excess = 0n;

  /** The month's remaining money. */
  available = () => QUOTA - this.used - sumOf(this.holds.values());

  /** `endHolds`, for one call. A charge whose hold is lost is late. */
  chargeHeld(requestId: string, charge: bigint): void {
    if (!this.entries.has(requestId)) {
      this.entries.set(requestId, charge);
      this.used += charge;
      this.excess += this.holds.delete(requestId) ? 0n : charge;
    }
  }

  /** `grantParts`. */
  grant(processId: string, [request]: PartRequest[], turn: number): PartGrant[] {
    if (!request) {
      return [];
    }
    const room = most(least(ALLOWANCE, this.available()), 0n);
    const rows = [...this.parts].filter(([id]) => id !== processId);
    const others = rows.map(([, { amount }]) => amount);
    const isReserve = isReserveId(processId);
    const sharers = rows.filter(([id]) => isReserveId(id) === isReserve).length;
    const kept = rows.some(([id]) => isReserveId(id)) ? room / RESERVED : 0n;
    const share = (isReserve ? room / RESERVED : room - kept) / BigInt(1 + sharers);
    const own = least(this.parts.get(processId)?.amount ?? 0n, request.most);
    const amount = most(own, least(share, room - sumOf(others)), 0n);
    if (turn > (this.parts.get(processId)?.turn ?? 0)) {
      this.parts.set(processId, {
        amount,
        turn,
        expiresAt: this.now + (isReserve ? RESERVE_KEPT_MS : KEPT_MS),
      });
    }
    return [{ accountId: request.accountId, amount: nanos(amount), share: nanos(share) }];
  }

  /** `endOutageCalls`, for one call. */
  charge(requestId: string, { processId, charge, held }: Omit<Stored, "isDead">): void {
    if (this.entries.has(requestId)) {
      return;
    }
    const part = this.parts.get(processId);
    this.entries.set(requestId, charge);
    this.holds.delete(requestId);
    this.used += charge;
    this.excess += part ? most(charge - held, 0n) : charge;
    if (part) {
      part.amount = most(part.amount - charge, 0n);
    }
  }
}
