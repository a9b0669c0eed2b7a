import { type Nanos, nanos } from "@/server/base/money";
import { createRecent } from "@/server/base/recent";
import { newId } from "@/server/domain/ids";
import { type EscrowWish, type HoldRequest, MAX_AMOUNT } from "../holds/holds";
import type { Drawn } from "../holds/settlement";
import { createSpendMeter, type SpendMeter } from "./spend-meter";
import { type GrantedEscrow, leftOf, payerKey, type Tranche, type Tranches } from "./tranches";

/** Payers whose spend is kept in memory. */
const MAX_PAYERS = 10_000;

/** Manages the calls of this process that its escrows pay for. */
export type Grants = {
  /** Takes the call's amount from an escrow. null: the database must be asked. */
  take: (request: HoldRequest) => Drawn | null;
  /** The escrow to request together with the hold, if the payer is busy. Must be followed by `open` or `decline`. */
  wish: (request: HoldRequest) => EscrowWish | null;
  /** The escrow was granted. It pays for the call that requested it. */
  open: (request: HoldRequest, granted: GrantedEscrow) => Drawn;
  decline: (request: HoldRequest) => void;
  /** The part of an escrow that a call holds; null: none, or the escrow's row is gone. */
  drawnBy: (requestId: string) => Drawn | null;
  /**
   * The call's charge begins. `ended`: it was charged; `failed`: the result is unknown. Repeating it changes nothing.
   */
  ending: (requestId: string) => void;
  /**
   * The call's charge is on disk, and holds its part of the escrow until it is in the ledger (`ended`). Returns whether
   * the charge exceeds the rest of its tranche; that tranche pays for no more calls.
   */
  stored: (requestId: string, charge: Nanos) => boolean;
  /** Returns the payer if the charge exceeded the rest of its tranche; that tranche pays for no more calls. */
  ended: (requestId: string, charge: Nanos) => Pick<Tranche, "accountId" | "keyId"> | null;
  failed: (requestId: string) => void;
  /** Counts a charge toward the limit that makes a payer busy. */
  charged: (payer: Pick<HoldRequest, "accountId" | "period" | "keyId">, amount: Nanos) => void;
};

/** A call that is paid out of a tranche. */
type Paid = { tranche: Tranche; held: Nanos; isEnding: boolean };

/** The calls from the moment at which an escrow pays for them until they are charged. */
function createPaidCalls({ close }: Tranches, now: () => number) {
  const calls = new Map<string, Paid>();
  function finish(requestId: string): Tranche | null {
    const call = calls.get(requestId);
    if (!call) {
      return null;
    }
    calls.delete(requestId);
    call.tranche.calls -= 1;
    call.tranche[call.isEnding ? "ending" : "inUse"] -= call.held;
    return call.tranche;
  }
  return {
    pay: (tranche: Tranche, { requestId, amount }: HoldRequest): Drawn => {
      tranche.calls += 1;
      tranche.inUse += amount;
      tranche.usedAt = now();
      calls.set(requestId, { tranche, held: amount, isEnding: false });
      return { escrowId: tranche.id, held: amount };
    },
    drawnBy: (requestId: string) => {
      const call = calls.get(requestId);
      return call && !call.tranche.isGone ? { escrowId: call.tranche.id, held: call.held } : null;
    },
    ending: (requestId: string) => {
      const call = calls.get(requestId);
      if (call && !call.isEnding) {
        call.isEnding = true;
        call.tranche.inUse -= call.held;
        call.tranche.ending += call.held;
      }
    },
    stored: (requestId: string, charge: Nanos): boolean => {
      const call = calls.get(requestId);
      if (!call) {
        return false;
      }
      const { tranche } = call;
      tranche.ending += charge - call.held;
      call.held = charge;
      if (tranche.isGone || leftOf(tranche) >= 0n) {
        return false;
      }
      close(tranche);
      return true;
    },
    ended: (requestId: string, charge: Nanos) => {
      const tranche = finish(requestId);
      if (!tranche) {
        return null;
      }
      tranche.charged += charge;
      if (tranche.isGone || leftOf(tranche) >= 0n) {
        return null;
      }
      close(tranche);
      return tranche;
    },
    failed: (requestId: string) => {
      const call = calls.get(requestId);
      const tranche = finish(requestId);
      if (call && tranche) {
        // The amount stays taken, because it may still be charged.
        tranche.ending += call.held;
        tranche.inDoubt = (tranche.inDoubt ?? 0n) + call.held;
        close(tranche);
      }
    },
  };
}

export function createGrants(deps: {
  processId: string;
  tranches: Tranches;
  now: () => number;
  /** The number of charges within two seconds that makes a payer busy. */
  busyCalls: number | undefined;
  /** Whether money may be set aside for it now: other processes can recall it, and none has just done so. */
  mayAsk: (request: HoldRequest) => boolean;
}): Grants {
  const { processId, tranches, now, mayAsk } = deps;
  const { pay, ...calls } = createPaidCalls(tranches, now);
  const asking = new Set<string>();
  const meters = createRecent<string, SpendMeter>(MAX_PAYERS);
  function meterOf(payer: string): SpendMeter {
    const meter = meters.get(payer) ?? createSpendMeter(now, deps.busyCalls);
    meters.set(payer, meter);
    return meter;
  }
  return {
    ...calls,
    take: (request) => {
      const tranche = tranches.usable(request);
      return tranche && leftOf(tranche) >= request.amount ? pay(tranche, request) : null;
    },
    wish: (request) => {
      const payer = payerKey(request);
      const meter = meterOf(payer);
      if (!meter.isBusy() || asking.has(payer) || !mayAsk(request)) {
        return null;
      }
      asking.add(payer);
      // Twice the holds of its calls under way or waiting for their charge, plus two seconds of its spend.
      const underWay = tranches.taken(payer) + request.amount;
      const amount = 2n * underWay + meter.amount();
      return { id: newId("esc"), processId, amount: amount < MAX_AMOUNT ? nanos(amount) : MAX_AMOUNT };
    },
    open: (request, granted) => {
      asking.delete(payerKey(request));
      return pay(tranches.open(request, granted), request);
    },
    decline: (request) => void asking.delete(payerKey(request)),
    charged: (payer, amount) => meterOf(payerKey(payer)).charged(amount),
  };
}
