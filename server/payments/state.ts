import type { PaymentState } from "@/server/base/facts";

/** What a provider says of a checkout; `amiss`: paid, but not what was asked for. */
export type Outcome = "paid" | "amiss" | "processing" | "failed" | "expired";

/**
 * What a payment becomes, in whatever order its provider's messages come: money that has come stands, and what is said
 * of the way to it counts only before.
 */
export function stateAfter(state: PaymentState, outcome: Outcome): PaymentState {
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
