import { errorMessages } from "@/server/base/error-messages";
import { GatewayError } from "@/server/base/errors";
import type { Charge } from "@/server/billing";
import type { JsonObject } from "@/server/protocol/fields";
import { errorOf } from "@/server/protocol/responses/error-out";
import { writeResponsesUsage } from "@/server/protocol/responses/usage-out";
import type { BackgroundTask, End } from "@/server/responses";

/** A response so far, and its charge, which is not captured yet. */
export type SoFar = { response: JsonObject | null; charge: Charge | null };
export type BackgroundResult = Omit<End, "note">;

export const nothing: SoFar = { response: null, charge: null };

/** The end of a cancelled response: it contains, and costs, its output so far. */
const cancelled = ({ response, charge }: SoFar): BackgroundResult["ifCancelled"] => ({
  response: {
    status: "cancelled",
    output: response?.output ?? [],
    usage: charge?.usage ? writeResponsesUsage(charge.usage) : null,
  },
  charge,
});

export const failed = (error: JsonObject, soFar = nothing): BackgroundResult => ({
  response: { status: "failed", error, output: [], usage: null },
  charge: null,
  ifCancelled: cancelled(soFar),
});

/** The end of a response that its process did not finish. */
export const lost = ({ request }: BackgroundTask, soFar = nothing): BackgroundResult =>
  failed(errorOf({ code: 500, message: errorMessages.backgroundLost()[request.language] }), soFar);

/** The end of a response whose answer has been read. `isStopped`: its client or its key ended it. Throws clientGone. */
export function endOf(task: BackgroundTask, made: SoFar, isStopped: boolean): BackgroundResult {
  const { response, charge } = made;
  const isWhole = response !== null && response.status !== "failed";
  if (isStopped && !isWhole) {
    return lost(task, made);
  }
  if (response === null) {
    throw new GatewayError("clientGone");
  }
  const { created_at: _at, ...fields } = response;
  return isWhole
    ? { response: { ...fields, background: true, store: true }, charge, ifCancelled: cancelled(made) }
    : failed((fields.error ?? {}) as JsonObject, made);
}
