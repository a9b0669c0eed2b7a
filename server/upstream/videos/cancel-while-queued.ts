import type { Polled } from "./video-upstream";

type Cancelled = "cancelled" | "too_late" | "unknown";

/** For vendors whose DELETE has another effect once a task has left the queue. `polled`: the task's current state. */
export async function cancelWhileQueued(
  polled: Polled,
  remove: () => Promise<Cancelled>,
): Promise<Cancelled> {
  switch (polled.kind) {
    case "cancelled":
      return "cancelled";
    case "processing":
      return polled.isQueued ? remove() : "too_late";
    case "completed":
    case "failed":
      return "too_late";
    case "lost":
    case "transient":
      return "unknown";
  }
}
