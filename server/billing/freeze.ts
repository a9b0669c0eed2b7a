import type { Nanos } from "@/server/base/money";
import type { HoldOutcome, HoldRequest, Shortfall } from "./holds";
import type { Payer } from "./months";

/** What a freeze is made with. */
export type Freezer = {
  insert: (request: HoldRequest) => Promise<HoldOutcome>;
  openMonths: (payer: Payer) => Promise<void>;
  /**
   * Returns what the account's dead calls have frozen, and what processes have set aside, for all of the account or for
   * the key alone, that no call has taken.
   */
  reclaim: (payer: Payer, whose: "account" | "key") => Promise<unknown>;
};

/** What was granted: the call's hold, or the escrow that it asked for. */
export type Granted = { amount: Nanos; isEscrow: boolean };

/** What to try once before a refusal is believed: to open what is not open, or to have back what is whose. */
type Remedy = "openMonths" | "account" | "key";

/** null: nothing that has not been tried may help. */
function remedyFor(shortage: Shortfall, tried: ReadonlySet<Remedy>): Remedy | null {
  if (shortage === "unopened" && !tried.has("openMonths")) {
    return "openMonths";
  }
  const whose = shortage === "key" ? "key" : "account";
  return tried.has("account") || tried.has(whose) ? null : whose;
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
    const isReclaimed = tried.has("account") || tried.has("key");
    const minimum = isReclaimed ? request.minimum : request.amount;
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
      await (remedy === "openMonths" ? freezer.openMonths(request) : freezer.reclaim(request, remedy));
      refusal = shortage;
    }
    // Else enough when the batch began: those before us were granted it, or were refused and left it.
  }
  return refusal;
}
