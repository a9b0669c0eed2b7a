import type { ShownTaskState } from "@/server/base/facts";

/** Where a task is at its vendor. */
export type VendorState = ShownTaskState | "queued" | "expired";

const words: Record<Exclude<VendorState, "processing">, string[]> = {
  queued: ["pending", "queued", "queueing", "in_queue", "submitted", "created", "not_start", "preparing"],
  completed: ["succeeded", "succeed", "success", "completed", "done"],
  failed: ["failed", "fail", "failure"],
  expired: ["expired"],
  cancelled: ["cancelled", "canceled"],
};

const states = new Map(
  Object.entries(words).flatMap(([state, list]) => list.map((word) => [word, state as VendorState])),
);

/**
 * A vendor's word for where a task is. Any other word is work: a gateway that took one it did not know for a failure
 * paid the client back while the vendor went on and billed (QuantumNous/new-api#5045).
 */
export const readState = (word: string | null | undefined): VendorState =>
  states.get(word?.toLowerCase() ?? "") ?? "processing";
