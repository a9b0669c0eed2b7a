import { LRUCache } from "lru-cache";
import { newId } from "@/server/base/ids";
import { type Nanos, nanos } from "@/server/base/money";
import { type EscrowWish, type HoldRequest, MAX_AMOUNT } from "../holds";
import type { Drawn } from "../settlements";
import { createSpendMeter, type SpendMeter } from "./spend-meter";
import { type GrantedEscrow, leftOf, payerOf, type Tranche, type Tranches } from "./tranches";

/** Payers whose spend is remembered. */
const MAX_PAYERS = 10_000;

/** Which calls of this process are paid out of what it has set aside. */
export type Grants = {
  /** Takes what a call asks for. null: the database is to be asked. */
  take: (request: HoldRequest) => Drawn | null;
  /** What to ask for beside the call, where its payer is busy. To be followed by `open` or `decline`. */
  wish: (request: HoldRequest) => EscrowWish | null;
  /** It was granted: pays for the call that asked. */
  open: (request: HoldRequest, granted: GrantedEscrow) => Drawn;
  decline: (request: HoldRequest) => void;
  /** What a call has of it; null: nothing, or its row is gone. */
  drawnBy: (requestId: string) => Drawn | null;
  /** The call is about to be charged; then it was, or nobody knows. Twice changes nothing. */
  ending: (requestId: string) => void;
  /** Returns the payer where the charge took more than its tranche had left, which pays no more calls. */
  ended: (requestId: string, charge: Nanos) => Pick<Tranche, "accountId" | "keyId"> | null;
  failed: (requestId: string) => void;
  /** Counts towards what makes a payer busy. */
  charged: (payer: Pick<HoldRequest, "accountId" | "period" | "keyId">, amount: Nanos) => void;
};

/** A call that is paid out of a tranche. */
type Paid = { tranche: Tranche; held: Nanos; isEnding: boolean };

/** The calls, from the moment at which they are paid for until they are charged. */
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
        // It stays taken, for it may be charged yet.
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
  /** How many charges within two seconds make a payer busy. */
  busyCalls: number | undefined;
  /** Whether money may be set aside for it now: others can call it back, and nobody just has. */
  mayAsk: (request: HoldRequest) => boolean;
}): Grants {
  const { processId, tranches, now, mayAsk } = deps;
  const { pay, ...calls } = createPaidCalls(tranches, now);
  const asking = new Set<string>();
  const meters = new LRUCache<string, SpendMeter>({ max: MAX_PAYERS });
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
      const payer = payerOf(request);
      const meter = meterOf(payer);
      if (!meter.isBusy() || asking.has(payer) || !mayAsk(request)) {
        return null;
      }
      asking.add(payer);
      // Twice what its calls have that are under way or wait for their charge, beside two seconds of what they cost.
      const underWay = tranches.taken(payer) + request.amount;
      const amount = 2n * underWay + meter.amount();
      return { id: newId("esc"), processId, amount: amount < MAX_AMOUNT ? nanos(amount) : MAX_AMOUNT };
    },
    open: (request, granted) => {
      asking.delete(payerOf(request));
      return pay(tranches.open(request, granted), request);
    },
    decline: (request) => void asking.delete(payerOf(request)),
    charged: (payer, amount) => meterOf(payerOf(payer)).charged(amount),
  };
}
