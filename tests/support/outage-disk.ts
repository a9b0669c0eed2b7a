/** The charges on the disk of the machine in a history of outages, until the ledger has them. */
import { expect } from "vitest";
import { isReserveId, most, type OutageModel, type Stored, sumOf } from "./outage-model";
import type { OutageProcess } from "./outage-process";

export type StoredCharge = Stored & { owner: OutageProcess };

export class OutageDisk {
  readonly stored = new Map<string, StoredCharge>();
  /** All charges that were ever here. */
  readonly charged = new Map<string, bigint>();
  /** All that each reserve has paid, in the ledger or not. */
  readonly paidBy = new Map<string, bigint>();

  constructor(readonly model: OutageModel) {}

  keep(requestId: string, charge: Omit<StoredCharge, "isDead" | "processId">): void {
    this.stored.set(requestId, { ...charge, processId: charge.owner.holder, isDead: false });
    this.charged.set(requestId, charge.charge);
  }

  /** A part has paid for the call, as far as the call held money of it. */
  notePaid({ holder }: OutageProcess, { charge, held }: Pick<StoredCharge, "charge" | "held">): void {
    this.paidBy.set(holder, (this.paidBy.get(holder) ?? 0n) + (charge < held ? charge : held));
  }

  #unsettledOf = ({ holder }: OutageProcess) =>
    [...this.stored].flatMap(([id, each]) =>
      each.processId === holder && !this.model.entries.has(id) ? [each] : [],
    );

  /** What a process has sold and the ledger does not have. */
  usedOf = (owner: OutageProcess): bigint =>
    sumOf([...owner.calls.values()].map(({ held }) => held)) +
    sumOf(this.#unsettledOf(owner).map(({ charge }) => charge));

  /** By how much its charges are above what their calls held. */
  excessOf = (owner: OutageProcess): bigint =>
    sumOf(this.#unsettledOf(owner).map(({ charge, held }) => most(charge - held, 0n)));

  /** The ledger takes a charge. Returns what it met; null: it had the charge. */
  enter(requestId: string, stored: StoredCharge): { isLate: boolean; isAlone: boolean } | null {
    const isNew = !this.model.entries.has(requestId);
    const hasPart = this.model.parts.has(stored.processId);
    const isAlone = isReserveId(stored.processId);
    expect(isNew && isAlone && !hasPart, "a reserve is returned after its charges").toBe(false);
    this.model.charge(requestId, stored);
    return isNew ? { isLate: !hasPart, isAlone } : null;
  }
}
