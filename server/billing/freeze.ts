import type { Nanos } from "@/server/base/money";
import type { HoldOutcome, HoldRequest, Shortfall } from "./holds";
import type { Payer } from "./months";

/** What a freeze is made with. */
export type Freezer = {
  insert: (request: HoldRequest) => Promise<HoldOutcome>;
  openMonths: (payer: Payer) => Promise<void>;
  /** Returns what the account's dead calls have frozen. */
  sweepFor: (payer: Payer) => Promise<unknown>;
};

/** What to try once before a refusal is believed. */
type Remedy = "openMonths" | "sweepFor";

/** null: nothing that has not been tried may help. */
function remedyFor(shortage: Shortfall, tried: ReadonlySet<Remedy>): Remedy | null {
  if (shortage === "unopened" && !tried.has("openMonths")) {
    return "openMonths";
  }
  return tried.has("sweepFor") ? null : "sweepFor";
}

const MAX_PASSES = 8;

/**
 * Freezes what is asked for; what was granted, or what is short. Each pass removes one reason to refuse: no month yet,
 * a queue that took more than it got, money of the dead.
 */
export async function freeze(freezer: Freezer, request: HoldRequest): Promise<Nanos | Shortfall> {
  const tried = new Set<Remedy>();
  let refusal: Shortfall = "account";
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const { granted, shortage } = await freezer.insert(request);
    if (granted !== null) {
      return granted;
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
