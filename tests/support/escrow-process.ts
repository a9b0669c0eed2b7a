import { createGrants, type Grants } from "@/server/billing/escrow/grants";
import { createTranches, type Tranches } from "@/server/billing/escrow/tranches";
import type { HoldRequest } from "@/server/billing/holds/holds";
import { USABLE_MS } from "./escrow-model";

/** A call under way. `isExact`: it has its own hold. */
export type EscrowCall = { request: HoldRequest; isExact: boolean; isEnding: boolean };

/** A live process, whose memory is our real code. */
export class EscrowProcess {
  readonly tranches: Tranches;
  readonly grants: Grants;
  readonly calls = new Map<string, EscrowCall>();
  isDead = false;

  constructor(now: () => number, processId: string) {
    this.tranches = createTranches({ usableMs: USABLE_MS, now });
    const mayAsk = () => true;
    this.grants = createGrants({ processId, tranches: this.tranches, now, busyCalls: 0, mayAsk });
  }
}
