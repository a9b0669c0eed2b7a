import type { ShownTaskState } from "@/server/domain/enums";

/** The state of a task at its vendor. */
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
 * The state for a vendor's word. Any unknown word means that the task is running: a gateway that read an unknown word
 * as a failure refunded the client while the vendor continued and billed (QuantumNous/new-api#5045).
 */
export const readState = (word: string | null | undefined): VendorState =>
  states.get(word?.toLowerCase() ?? "") ?? "processing";
