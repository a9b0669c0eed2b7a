import { fromSignal } from "@/server/base/cancellation";
import type { BackgroundTask } from "@/server/responses";
import type { BodyBudget } from "../body/body-bytes";
import type { AuthedCall } from "../pipeline/call";

/** The call of a background response, as its absent client would have made it. `stop` ends it. */
export function backgroundCall(
  { bodies }: { bodies: BodyBudget },
  { task, stop }: { task: BackgroundTask; stop: AbortController },
): AuthedCall {
  const { accountId, keyId, requestId, request } = task;
  const unlimited = { requestsPerMinute: null, tokensPerMinute: null, maxConcurrent: null, dailyLimit: null };
  return {
    requestId,
    request: new Request("http://background/v1/responses", {
      method: "POST",
      signal: stop.signal,
      headers: { "accept-language": request.language },
    }),
    hangUp: fromSignal(stop.signal),
    readyAt: performance.now(),
    logFields: { accountId, keyId, model: task.modelId, stream: true },
    // No client reads the answer; the stream still makes its last text, from which a cancelled response gets its
    // output.
    ...{
      attempts: [],
      traceHeaders: {},
      responseHeaders: {},
      cleanups: [],
      ended: () => {},
      onDetachedText: () => {},
    },
    caller: {
      ...{
        accountId,
        keyId,
        requestsPerMinute: null,
        maxConcurrent: null,
        monthlyCap: null,
        dailyCap: null,
        weeklyCap: null,
        tellsCost: false,
        cachesPrompts: false,
      },
      // The limits applied when the response was requested.
      ...{ account: { ...unlimited, storesResponses: true, priceGroupId: null }, models: [] },
    },
    bytes: bodies.open({ id: keyId, accountId }),
  };
}
