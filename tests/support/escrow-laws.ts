import { expect } from "vitest";
import type { Drawn } from "@/server/billing/holds/settlement";
import type { EscrowModel } from "./escrow-model";
import type { EscrowProcess } from "./escrow-process";

function checkBalances({ months, rows, entries }: EscrowModel): void {
  for (const [period, { quota, used, frozen }] of months) {
    const open = [...rows.values()].filter((row) => row.period === period);
    const ended = [...entries.values()].filter(
      (entry) => entry.period === period && entry.kind === "capture",
    );
    const sum = (amounts: bigint[]) => amounts.reduce((total, amount) => total + amount, 0n);
    const captured = sum(open.map((row) => row.captured));
    expect(frozen, "what is frozen is the sum of what is open").toBe(sum(open.map((row) => row.amount)));
    expect(used, "what is used is the sum of the charges, but for those an escrow has not told").toBe(
      sum(ended.map((entry) => entry.amount)) - captured,
    );
    const overHold = sum(ended.map(({ amount, held }) => (amount > held ? amount - held : 0n)));
    expect(used + frozen - quota <= overHold, "nobody spends more than there is").toBe(true);
  }
}

/** A charge on disk that the ledger may not have yet, out of an escrow. */
export type UnsettledCharge = { requestId: string; drawn: Drawn; charge: bigint };

/** Checks that each row covers its process's grants and unsettled charges, plus the charges above their grants. */
function checkRoom(model: EscrowModel, processes: EscrowProcess[], unsettled: UnsettledCharge[]): void {
  const open = unsettled.filter(({ requestId }) => !model.entries.has(requestId));
  for (const owner of processes) {
    const inUse = new Map<string, bigint>();
    for (const { drawn, charge } of open) {
      if (owner.tranches.inUse(drawn.escrowId) !== null) {
        const within = charge < drawn.held ? charge : drawn.held;
        inUse.set(drawn.escrowId, (inUse.get(drawn.escrowId) ?? 0n) + within);
      }
    }
    for (const { request, isExact } of owner.calls.values()) {
      const drawn = isExact ? null : owner.grants.drawnBy(request.requestId);
      if (drawn && !model.entries.has(request.requestId)) {
        inUse.set(drawn.escrowId, (inUse.get(drawn.escrowId) ?? 0n) + drawn.held);
      }
    }
    for (const [id, granted] of inUse) {
      const row = model.rows.get(id);
      const room = row ? row.amount - row.captured + row.overHold : granted;
      expect(granted <= room, "nothing is granted that is not frozen").toBe(true);
    }
  }
}

/** Checks the laws that hold after every step of a history. */
export function checkLaws(
  model: EscrowModel,
  processes: EscrowProcess[],
  unsettled: UnsettledCharge[] = [],
): void {
  checkRoom(model, processes, unsettled);
  checkBalances(model);
}
