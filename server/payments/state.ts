import type { PaymentState } from "@/server/domain/enums";

/** A provider's report about a checkout; `amiss`: paid, but not the requested amount. */
export type CheckoutOutcome = "paid" | "amiss" | "processing" | "failed" | "expired";

/**
 * The next state of a payment, in whatever order its provider's messages come: once the money has come, that is final,
 * and reports about earlier steps no longer count.
 */
export function stateAfter(state: PaymentState, outcome: CheckoutOutcome): PaymentState {
  if (state === "paid" || outcome === "paid") {
    return "paid";
  }
  if (state === "review" || outcome === "amiss") {
    return "review";
  }
  if (state === "open" || (state === "processing" && outcome === "failed")) {
    return outcome;
  }
  return state;
}
