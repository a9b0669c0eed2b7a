import type { Nanos } from "@/server/base/money";
import type { HoldOutcome, HoldRequest, Shortfall } from "./holds";
import type { Payer } from "./months";

/** What a freeze is made with. */
export type Freezer = {
  insert: (request: HoldRequest) => Promise<HoldOutcome>;
  openMonths: (payer: Payer) => Promise<void>;
  /** Returns what the account's dead calls have frozen, and what processes have set aside that no call has taken. */
  reclaim: (payer: Payer) => Promise<unknown>;
};

/** What was granted: the call's hold, or the escrow that it asked for. */
export type Granted = { amount: Nanos; isEscrow: boolean };

/** What to try once before a refusal is believed. */
type Remedy = "openMonths" | "reclaim";

/** null: nothing that has not been tried may help. */
function remedyFor(shortage: Shortfall, tried: ReadonlySet<Remedy>): Remedy | null {
  if (shortage === "unopened" && !tried.has("openMonths")) {
    return "openMonths";
  }
  return tried.has("reclaim") ? null : "reclaim";
}

const MAX_PASSES = 8;

/**
 * Freezes what is asked for; what was granted, or what is short. Each pass removes one reason to refuse, or to grant
 * less than was asked for: no month yet, a queue that took more than it got, money of the dead, money set aside.
 */
export async function freeze(freezer: Freezer, request: HoldRequest): Promise<Granted | Shortfall> {
  const tried = new Set<Remedy>();
  let refusal: Shortfall = "account";
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const minimum = tried.has("reclaim") ? request.minimum : request.amount;
    const { granted, isEscrow, shortage } = await freezer.insert({ ...request, minimum });
    if (granted !== null) {
      return { amount: granted, isEscrow };
    }
    if (shortage !== null) {
      const remedy = remedyFor(shortage, tried);
      if (remedy === null) {
        return shortage;
      }
      // Once more even when nothing was found: another process may have returned it since ours looked.
      tried.add(remedy);
      await freezer[remedy](request);
      refusal = shortage;
    }
    // Else enough when the batch began: those before us were granted it, or were refused and left it.
  }
  return refusal;
}
