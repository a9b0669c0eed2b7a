import type { UpstreamPlan } from "@/server/protocol/upstream-plan";
import type { AuthedCall } from "./call";

const HEADER = "x-dropped";
const MOST_NAMES = 10;

/** A client's name for a part of its request, reduced to the characters that a header may have. */
const plain = (name: string): string => name.replace(/[^\w.-]/g, "").slice(0, 64) || "tool";

/** Names the parts of the request that the answering upstream did not get, to the client and in the call's log line. */
export function noteDropped(
  { responseHeaders: shown, logFields: facts }: Pick<AuthedCall, "responseHeaders" | "logFields">,
  plan: UpstreamPlan,
): void {
  const names = [...new Set(plan.dropped.map(plain))].slice(0, MOST_NAMES);
  if (names.length > 0) {
    facts.dropped = names.join(", ");
    shown[HEADER] = facts.dropped;
  } else {
    // Removes the names of an upstream that failed before this one.
    delete facts.dropped;
    delete shown[HEADER];
  }
}
