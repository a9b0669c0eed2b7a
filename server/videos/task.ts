/** The video task of spec section 3: its states, and the effect of each event on the task and its money. Pure. */

import type { TaskState } from "@/server/domain/enums";
import { failures } from "@/server/domain/task-failures";

export type TaskEvent =
  /** An upstream has accepted it. */
  | { kind: "accepted" }
  /** No upstream accepts it, or the vendor reports a failure. */
  | { kind: "failed"; code: string; message: string }
  | { kind: "completed" }
  | { kind: "cancelled" }
  /** The deadline passed and a last poll did not find it done. */
  | { kind: "timedOut" };

/** The effect on the frozen money: none yet, charged in full, or returned. */
type Money = "kept" | "captured" | "released";

export type Transition = { state: TaskState; money: Money; error: { code: string; message: string } | null };

/** The moment so many milliseconds later or, if negative, earlier. */
export const after = (moment: Date, ms: number): Date => new Date(moment.getTime() + ms);

export const isOpen = (state: TaskState): boolean => state === "submitting" || state === "processing";

const TIMEOUT = { code: "timeout", message: failures.timeout.zh };

/** null: the task has already ended, or is already in the state that the event leads to. The first event counts. */
export function transition(state: TaskState, event: TaskEvent): Transition | null {
  if (!isOpen(state)) {
    return null;
  }
  switch (event.kind) {
    case "accepted":
      return state === "submitting" ? { state: "processing", money: "kept", error: null } : null;
    case "completed":
      return { state: "completed", money: "captured", error: null };
    case "cancelled":
      return { state: "cancelled", money: "released", error: null };
    case "failed":
      return { state: "failed", money: "released", error: { code: event.code, message: event.message } };
    case "timedOut":
      return { state: "failed", money: "released", error: TIMEOUT };
  }
}
