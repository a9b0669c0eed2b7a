import type { Nanos } from "@/server/base/money";
import type { Payer } from "../months/months";
import type { HoldOutcome, HoldRequest, Shortfall } from "./holds";

/** The functions that a freeze uses. */
export type Freezer = {
  insert: (request: HoldRequest) => Promise<HoldOutcome>;
  openMonths: (payer: Payer) => Promise<void>;
  /**
   * Returns the money that the account's dead calls have frozen, and money that processes have set aside and no call
   * has taken: for the whole account, or for the key alone.
   */
  reclaim: (payer: Payer, whose: "account" | "key") => Promise<unknown>;
};

/** The granted hold, or the escrow that the call asked for. */
export type Granted = { amount: Nanos; isEscrow: boolean };

/** A remedy to try once before a refusal is final: to open months, or to reclaim money of the account or the key. */
type Remedy = "openMonths" | "account" | "key";

/** null: no untried remedy could help. */
function remedyFor(shortfall: Shortfall, tried: ReadonlySet<Remedy>): Remedy | null {
  if (shortfall === "unopened" && !tried.has("openMonths")) {
    return "openMonths";
  }
  const whose = shortfall === "key" ? "key" : "account";
  return tried.has("account") || tried.has(whose) ? null : whose;
}

const MAX_PASSES = 8;

/**
 * Freezes the requested amount. Returns the granted amount, or the reason for a refusal. Each pass removes one reason
 * to refuse or to grant less: a month that is not open, a queue in which earlier requests left too little, money of
 * dead calls, money set aside.
 */
export async function freeze(freezer: Freezer, request: HoldRequest): Promise<Granted | Shortfall> {
  const tried = new Set<Remedy>();
  let refusal: Shortfall = "account";
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const isReclaimed = tried.has("account") || tried.has("key");
    const minimum = isReclaimed ? request.minimum : request.amount;
    const { granted, isEscrow, shortfall, failure } = await freezer.insert({ ...request, minimum });
    if (failure) {
      throw failure.error;
    }
    if (granted !== null) {
      return { amount: granted, isEscrow };
    }
    if (shortfall !== null) {
      const remedy = remedyFor(shortfall, tried);
      if (remedy === null) {
        return shortfall;
      }
      // Try again even if nothing was found: another process may have returned the money since our last try.
      tried.add(remedy);
      await (remedy === "openMonths" ? freezer.openMonths(request) : freezer.reclaim(request, remedy));
      refusal = shortfall;
    }
    // Otherwise the money was sufficient when the batch began, but earlier requests of the batch were granted it, or
    // were refused and left it.
  }
  return refusal;
}
